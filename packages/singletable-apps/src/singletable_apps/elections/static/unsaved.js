// Asks before a page with unsaved changes is left.
for (const form of document.querySelectorAll("form[data-unsaved]")) {
  let changed = false;
  form.addEventListener("input", () => { changed = true; });
  form.addEventListener("click", (event) => { if (event.target.closest(".row-away")) changed = true; });
  form.addEventListener("submit", () => { changed = false; });
  window.addEventListener("beforeunload", (event) => { if (changed) event.preventDefault(); });
}
