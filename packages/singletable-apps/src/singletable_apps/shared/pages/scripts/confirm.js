// A link to a page that asks for confirmation opens it as a dialog; without scripts it is that page.
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[data-confirm]");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  try {
    const answer = await fetch(link.href, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const asked = page.querySelector("[data-confirm-body]");
    if (!answer.ok || answer.redirected || !asked) throw new Error("not a confirmation");
    open(document.importNode(asked, true), link);
  } catch {
    location.assign(link.href);
  }
});

function open(asked, link) {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog";
  const heading = asked.querySelector("h1, h2");
  heading.id = "dialog-title";
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.append(asked);
  document.body.append(dialog);
  const cancel = asked.querySelector("[data-cancel]");
  cancel?.addEventListener("click", (event) => {
    event.preventDefault();
    dialog.close();
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => {
    dialog.remove();
    link.focus();
  });
  dialog.showModal();
  cancel?.focus();
}
