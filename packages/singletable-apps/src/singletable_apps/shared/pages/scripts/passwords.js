// A switch that shows the password one types.
for (const button of document.querySelectorAll("button[data-reveal]")) {
  const field = document.getElementById(button.dataset.reveal);
  button.hidden = false;
  button.addEventListener("click", () => {
    const shown = field.type === "password";
    field.type = shown ? "text" : "password";
    button.textContent = shown ? button.dataset.hide : button.dataset.show;
    button.setAttribute("aria-pressed", String(shown));
  });
  field.form?.addEventListener("submit", () => { field.type = "password"; });
}
