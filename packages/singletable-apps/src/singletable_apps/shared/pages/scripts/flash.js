// Flash messages can be dismissed. Good news disappears by itself, unless someone is reading it.
for (const flash of document.querySelectorAll("[data-flash]")) {
  const dismiss = () => flash.remove();
  const button = flash.querySelector(".flash-dismiss");
  button.hidden = false;
  button.addEventListener("click", dismiss);
  if (flash.dataset.flash === "good") {
    let timer = setTimeout(dismiss, 8000);
    const stay = () => clearTimeout(timer);
    const leave = () => { timer = setTimeout(dismiss, 4000); };
    flash.addEventListener("pointerenter", stay);
    flash.addEventListener("focusin", stay);
    flash.addEventListener("pointerleave", leave);
    flash.addEventListener("focusout", leave);
  }
}
