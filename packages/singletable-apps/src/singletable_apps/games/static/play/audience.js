// What players send beside answers: reactions, questions to the host, and votes for them.
import { html, useEffect, useRef, useState } from "../../shared/vendor/islands.js";
import { Icon, format, plural } from "./text.js";

const EMOJI = { "👏": "Applaud", "❤️": "Love it", "😂": "Laugh", "😮": "Wow", "🎉": "Celebrate" };
const REACTING = ["waiting", "reveal", "leaderboard", "ended"];

/** Call the API of the game; throw an error with a sentence for people.
 * @param {{ api: string, token: string }} start @param {string} method @param {string} path @param {object} body */
export async function callApi(start, method, path, body) {
  const headers = { Authorization: `Bearer ${start.token}`, "Content-Type": "application/json" };
  const answer = await fetch(`${start.api}/${path}`, { method, headers, body: JSON.stringify(body) }).catch(() => { throw new Error("No connection. Try again."); });
  const data = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) throw new Error(data.detail ?? data.title);
  return data;
}

/** Reactions and questions, below what is played. While a question runs, they are out of the way.
 * @param {{ view: any, me: any, start: any, client: any, drafts: any, tap: () => void }} props */
export function AudienceBar({ view, me, start, client, drafts, tap }) {
  const { phase, survey, audience } = view.value;
  const isBetween = REACTING.includes(phase), canAsk = audience.isOn && (isBetween || phase === "paused" || survey);
  const sheet = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => { if (!canAsk) sheet.current?.close(); }, [canAsk]);
  const react = (/** @type {string} */ emoji) => {
    tap();
    // A reaction to what is over helps nobody: it does not wait for a connection.
    if (client.status === "open" || client.status === "polling") client.send("react", { emoji }).catch(() => {});
  };
  return html`<div class="audience-bar">
    ${canAsk && html`<button type="button" class="ask-button" onClick=${() => sheet.current?.showModal()}>Ask the host${audience.questions.length > 0 && html` <span class="quiet">${plural(audience.questions.length, "question")}</span>`}</button>`}
    ${isBetween && html`<p class="reacts" role="group" aria-label="React on the big screen">${Object.entries(EMOJI).map(([emoji, name]) => html`<button type="button" key=${emoji} aria-label=${name} onClick=${() => react(emoji)}>${emoji}</button>`)}</p>`}
    <dialog class="sheet" ref=${sheet} aria-labelledby="sheet-title">${canAsk && html`<${Sheet} ...${{ view, me, start, drafts, tap }} close=${() => sheet.current?.close()} />`}</dialog>
  </div>`;
}

/** @param {{ view: any, me: any, start: any, drafts: any, tap: () => void, close: () => void }} props */
function Sheet({ view, me, start, drafts, tap, close }) {
  const [note, say] = useState({ text: "", isError: false });
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const { audience, isAnonymous } = view.value;
  const fail = (/** @type {any} */ error) => say({ text: error.message, isError: true });
  const ask = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const input = /** @type {HTMLTextAreaElement} */ (field.current), text = input.value;
    try {
      const asked = await callApi(start, "POST", "audience-questions", { text });
      // Unless the next one is being written already.
      if (input.value === text) input.value = "";
      drafts.save("audience", input.value);
      say({ text: asked.status === "pending" ? "Sent. The host reads it first." : "Sent.", isError: false });
    } catch (error) { fail(error); }
  };
  /** @param {string} id @param {boolean} isOn */
  const vote = async (id, isOn) => {
    const mark = (/** @type {boolean} */ on) => { me.value = { ...me.value, upvotes: on ? [...me.value.upvotes, id] : me.value.upvotes.filter((/** @type {string} */ each) => each !== id) }; };
    tap();
    mark(isOn);
    try {
      await callApi(start, "PUT", `audience-questions/${id}/vote`, { isOn });
    } catch (error) { mark(!isOn); fail(error); }
  };
  return html`<header class="sheet-head"><h2 id="sheet-title">Questions to the host</h2><button type="button" class="sheet-close" onClick=${close}><span class="sr-only">Close</span><${Icon} name="down" /></button></header>
    <ul class="asked">${audience.questions.map((/** @type {any} */ each) => {
      const isMine = me.value.upvotes.includes(each.id);
      return html`<li key=${each.id} class=${`is-${each.status}`}><div><p>${each.text}</p><p class="text-meta">${[each.name, { shown: "on the big screen", answered: "answered" }[/** @type {string} */ (each.status)]].filter(Boolean).join(" · ")}</p></div>
        <button type="button" class="upvote" aria-pressed=${String(isMine)} onClick=${() => vote(each.id, !isMine)}><${Icon} name="up" />${format(each.votes)}<span class="sr-only"> votes. Vote for: ${each.text}</span></button></li>`;
    })}${!audience.questions.length && html`<li class="quiet">No questions yet. Ask the first one.</li>`}</ul>
    <form class="sheet-form" onSubmit=${ask}><label class="enter-label" for="ask-text">Your question</label>
      <textarea class="reply-text" id="ask-text" ref=${field} rows="2" maxlength="240" required defaultValue=${drafts.read("audience")} onInput=${(/** @type {any} */ event) => { drafts.save("audience", event.target.value); say({ text: "", isError: false }); }}></textarea>
      <p class=${`reply-state ${note.isError ? "is-rejected" : note.text ? "is-sent" : ""}`} role="status">${note.text || (isAnonymous ? "Nobody sees who has asked." : "Others see your name.")}</p>
      <button type="submit" class="big-button">Send</button></form>`;
}
