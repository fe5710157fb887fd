// Search in the guide from every page: Ctrl-K, / or the link opens a dialog with results as you type.
const url = "/guide/search";
const dialog = document.createElement("dialog");
dialog.className = "search-dialog";
dialog.setAttribute("aria-label", "Search the guide");
const form = Object.assign(document.createElement("form"), { action: url, className: "guide-search" });
form.setAttribute("role", "search");
const field = Object.assign(document.createElement("input"), { type: "search", className: "input", name: "q", maxLength: 200, autocomplete: "off", placeholder: "Search the guide and the reference" });
field.setAttribute("aria-label", field.placeholder);
const results = document.createElement("div");
results.setAttribute("aria-live", "polite");
form.append(field);
dialog.append(form, results);
document.body.append(dialog);

let latest = 0;
async function search() {
  const number = ++latest;
  const answer = await fetch(`${url}?q=${encodeURIComponent(field.value)}`, { headers: { Accept: "text/html" } });
  const found = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("results");
  if (number === latest && found) results.replaceChildren(...found.childNodes);
}

function open(event) {
  event.preventDefault();
  if (!dialog.open) dialog.showModal();
  field.select();
  search();
}

function move(step) {
  const stops = [field, ...results.querySelectorAll("a")];
  const at = stops.indexOf(document.activeElement);
  stops[(at + step + stops.length) % stops.length].focus();
}

field.addEventListener("input", search);
form.addEventListener("submit", event => {
  const first = results.querySelector("a");
  if (first) { event.preventDefault(); location.assign(first.href); dialog.close(); }
});
dialog.addEventListener("click", event => { if (event.target === dialog || event.target.closest("a")) dialog.close(); });
dialog.addEventListener("keydown", event => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) { event.preventDefault(); move(step); }
});
document.addEventListener("keydown", event => {
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
  if ((event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !isTyping)) open(event);
});
if (location.pathname !== url) {
  for (const link of document.querySelectorAll(`a[href="${url}"]`)) link.addEventListener("click", open);
}
