// Questions of players to the host, and their reactions.
import { html } from "../../shared/vendor/islands.js";

const ORDER = ["shown", "pending", "visible", "answered", "hidden"];
/** What a host can do with a question, by its status. @type {Record<string, [string, string][]>} */
const CHOICES = {
  shown: [["answered", "Answered"], ["visible", "Take off the screen"]],
  pending: [["visible", "Approve"], ["hidden", "Hide"]],
  visible: [["shown", "Show large"], ["answered", "Answered"], ["hidden", "Hide"]],
  answered: [["visible", "Not answered"]],
  hidden: [["visible", "Show again"]],
};
const NOTES = { shown: "on the big screen", pending: "waits for you", answered: "answered", hidden: "hidden" };

/** @param {{game: import("../live.js").Game, actions: import("./actions.js").Actions}} props */
export function Audience({ game, actions }) {
  const { audience } = game.view.value, counts = Object.entries(game.reactions.value ?? {});
  const questions = [...audience.questions].sort((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status));
  const waiting = questions.filter((each) => each.status === "pending").length;
  return html`<section class="console-part"><h2>Questions from players ${waiting > 0 && html`<span class="badge badge-warning">${waiting}</span>`}</h2>
    <label class="check"><input type="checkbox" checked=${audience.isOn} onChange=${() => actions.post("room", { takes_questions: audience.isOn ? "" : "on" })}/><span>Players can ask you <span class="quiet">and vote for questions</span></span></label>
    ${audience.isOn && !questions.length && html`<p class="quiet">Nobody has asked yet.</p>`}
    ${questions.length > 0 && html`<ul class="queue">${questions.map((each) => html`<li key=${each.id} class=${`is-${each.status}`}><b class="queue-votes">${each.votes}<span class="sr-only"> votes</span></b><p>${each.text} <span class="meta">${[each.name, NOTES[each.status]].filter(Boolean).join(" · ")}</span></p>
      <div class="actions">${CHOICES[each.status].map(([status, label], at) => html`<button type="button" key=${status} class=${`button button-${at ? "plain" : "quiet"} button-small`} aria-label=${`${label}: ${each.text}`} onClick=${() => actions.post(`audience/${each.id}/${status}`, {})}>${label}</button>`)}</div></li>`)}</ul>`}
    ${counts.length > 0 && html`<p class="quiet">Reactions: ${counts.map(([emoji, number]) => `${emoji} ${number.toLocaleString("en")}`).join("  ")}</p>`}
  </section>`;
}
