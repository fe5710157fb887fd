// A button beside a code that copies it; it is there only where it works.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false;
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("button[data-copy]");
    if (!button) return;
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
    const before = button.textContent;
    button.textContent = button.dataset.copied ?? "Copied";
    button.classList.add("is-done");
    setTimeout(() => {
      button.textContent = before;
      button.classList.remove("is-done");
    }, 1600);
  });
}
