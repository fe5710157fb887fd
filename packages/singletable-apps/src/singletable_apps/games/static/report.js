/** Offer to print the report; the browser can save it as a PDF. Closed lists are opened for paper. */
const button = document.querySelector("#print");
if (button instanceof HTMLButtonElement) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}
/** @type {HTMLDetailsElement[]} */
let opened = [];
window.addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")].filter((each) => each instanceof HTMLDetailsElement);
  for (const each of opened) each.open = true;
});
window.addEventListener("afterprint", () => {
  for (const each of opened) each.open = false;
});
