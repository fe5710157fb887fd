// A button that prints the page, also to a PDF.
for (const button of document.querySelectorAll("button[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}
// A button that opens the share sheet of the device, or copies the link where there is none.
if (navigator.share || navigator.clipboard) {
  for (const button of document.querySelectorAll("button[data-share]")) button.hidden = false;
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("button[data-share]");
    if (!button) return;
    const { share: url, shareTitle: title } = button.dataset;
    if (navigator.share) {
      navigator.share({ title, url }).catch(() => {});  // closed without sharing
      return;
    }
    await navigator.clipboard.writeText(url);
    const before = button.textContent;
    button.textContent = "Link copied";
    setTimeout(() => { button.textContent = before; }, 1600);
  });
}
