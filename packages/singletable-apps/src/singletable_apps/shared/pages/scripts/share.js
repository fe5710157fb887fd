// A button that opens the share sheet of the device; it is there only where there is one.
if (navigator.share) {
  for (const button of document.querySelectorAll("button[data-share]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const { share: url, shareTitle: title } = button.dataset;
      navigator.share({ title, url }).catch(() => {});  // closed without sharing
    });
  }
}
