// Keep what is typed in a form on the server until it is saved: a few seconds after the last key,
// and when the page is left. The ETag of the draft tells if someone writes in another window.
import { phrase } from "./texts.js";

const form = document.querySelector("form[data-draft]");
const typed = (...without) => {
  const data = new URLSearchParams(new FormData(form));
  for (const name of ["action", "draft", "offer-revision", ...without]) data.delete(name);
  return data.toString();
};
if (form) {
  const { draft } = form.elements;
  const status = form.querySelector("[data-editor-status]");
  // A form that came back with errors is not saved.
  let kept = form.dataset.editor === "shown-again" ? "" : typed("revision");
  let timer = 0;
  let isSubmitted = false;
  let running = null;
  const send = async (keepalive) => {
    const now = typed("revision");
    if (now === kept || isSubmitted) return;
    try {
      const answer = await fetch(form.dataset.draft, {
        method: "POST", body: new URLSearchParams(typed()), keepalive, redirect: "error",
        headers: { Accept: "application/json", "If-Match": `"${draft.value}"` },
      });
      if (!answer.ok) throw new Error(phrase(answer.status === 412 ? "draft-other" : "draft-failed"));
      const { draft: revision, text } = await answer.json();
      draft.value = revision;
      kept = now;
      status.textContent = text;
      form.dispatchEvent(new Event("kept"));
    } catch (error) {
      form.dispatchEvent(new Event("unkept"));
      status.textContent = error instanceof TypeError ? phrase("draft-offline") : error.message;
    }
  };
  const keep = (keepalive) => {
    clearTimeout(timer);
    running = running ? running.then(() => send(keepalive)) : send(keepalive);
    running.finally(() => { running = null; });
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(keep, 3000, false);
  });
  form.addEventListener("submit", () => {
    isSubmitted = true;
    clearTimeout(timer);
  });
  // Saved in place: the server has forgotten the draft.
  form.addEventListener("saved", () => {
    kept = typed("revision");
    draft.value = "0";
  });
  addEventListener("pageshow", () => { isSubmitted = false; });
  addEventListener("pagehide", () => keep(true));
  document.addEventListener("visibilitychange", () => { if (document.hidden) keep(true); });
}
