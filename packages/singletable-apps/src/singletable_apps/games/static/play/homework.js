// Homework on a phone: times as the reader's clock has them, and the time left for a question.
for (const each of document.querySelectorAll("time")) {
  each.textContent = new Date(each.dateTime).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
}
const shown = document.querySelector("[data-left]");
if (shown instanceof HTMLElement) {
  const end = Date.now() + 1000 * Number(shown.dataset.left);
  const timer = setInterval(() => {
    const left = Math.ceil((end - Date.now()) / 1000);
    shown.textContent = left === 1 ? "1 second left" : `${Math.max(0, left)} seconds left`;
    if (left > 0) return;
    clearInterval(timer);
    const form = document.querySelector("form.reply");
    const isFilled = form?.querySelector(":checked:not([value='']), textarea:not(:placeholder-shown), [type=number]:valid");
    // The server waits two seconds for what is sent in time.
    if (form instanceof HTMLFormElement && isFilled) form.submit();
    else location.reload();
  }, 250);
}
