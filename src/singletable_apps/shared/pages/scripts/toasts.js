// A toast can be sent away; one that only says that all is well goes by itself, if nobody reads it.
for (const toast of document.querySelectorAll("[data-toast]")) {
  const away = () => toast.remove();
  const button = toast.querySelector("button");
  button.hidden = false;
  button.addEventListener("click", away);
  if (toast.dataset.toast === "good") {
    let timer = setTimeout(away, 8000);
    const stay = () => clearTimeout(timer);
    const leave = () => { timer = setTimeout(away, 4000); };
    toast.addEventListener("pointerenter", stay);
    toast.addEventListener("focusin", stay);
    toast.addEventListener("pointerleave", leave);
    toast.addEventListener("focusout", leave);
  }
}
