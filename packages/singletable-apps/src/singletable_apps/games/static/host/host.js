// The host's screen: one button for the next step, and everything a host has to look after.
import { html, render } from "../../shared/vendor/islands.js";
import { openGame, phaseOf, spaced } from "../live.js";
import { makeActions } from "./actions.js";
import { Audience } from "./audience.js";
import { ActionBar, AskDialog, Now, PHASES, Players, Queue, RoomSettings } from "./parts.js";

const root = /** @type {HTMLElement} */ (document.getElementById("host"));
const config = JSON.parse(document.getElementById("config")?.textContent ?? "{}");
const game = openGame(config);
const actions = makeActions(game, config);

function Status() {
  const { screens } = game.presence.value;
  return html`<p class="console-status"><span class="console-code">${game.view.value.phase !== "ended" && spaced(game.view.value.joinCode)}</span><span class=${`dot${game.online.value ? "" : " is-off"}`}></span>${game.online.value ? (screens ? `Live, ${screens === 1 ? "one screen" : `${screens} screens`}` : "Live") : game.closed.value || "Connecting. Buttons work meanwhile."}</p>`;
}

function App() {
  const view = game.view.value, props = { game, actions };
  return html`<div class="console-main">
      <${Status}/>
      <${Now} ...${props} screen=${config.screen}/>
      <${ActionBar} ...${props} config=${config}/>
      ${actions.problem.value && html`<p class="field-error" role="alert">${actions.problem.value}</p>`}
      <${Queue} ...${props}/><${Audience} ...${props}/>
    </div>
    <aside class="console-side"><${Players} ...${props}/><${RoomSettings} ...${props}/></aside>
    <${AskDialog} actions=${actions}/>
    <p class="sr-only" aria-live="polite">${PHASES[view.phase]}${view.phase === "paused" ? "" : `, ${PHASES[phaseOf(view)]}`}</p>`;
}

root.replaceChildren();
render(html`<${App}/>`, root);
document.addEventListener("keydown", actions.onKey);
// The space bar belongs to the next step again after a click; who uses the keyboard keeps the focus.
document.addEventListener("click", ({ detail }) => {
  const at = /** @type {HTMLElement | null} */ (document.activeElement);
  if (detail && !at?.matches(":focus-visible")) at?.blur();
});
