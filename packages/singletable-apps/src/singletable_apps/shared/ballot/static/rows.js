// The components of the list: places, rows with their buttons, and the ballot as text.
import { html } from "../../shared/vendor/islands.js";
import { BUTTONS, levelOf, without } from "./moves.js";
import { HELP, joinNames, describePlace } from "./text.js";

/** @typedef {import("./moves.js").Levels} Levels */
/** @typedef {{ who: number, slot: number, how: "key" | "pointer" }} Held the lifted row, and the slot it would land in */
/**
 * @typedef {object} ListState
 * @property {string[]} names
 * @property {({ src: string, alt: string } | undefined)[]} pictures
 * @property {boolean} allowTies                                 whether rows can share a place
 * @property {Levels} levels
 * @property {Held | undefined} held
 * @property {number | undefined} open                        the row whose buttons are shown on narrow screens
 * @property {(who: number, button: string) => void} press
 * @property {(who: number) => void} next                     rank below all others
 * @property {(who: number) => void} lift
 * @property {(who: number) => void} toggle
 */

const PATHS = {
  grip: "M7.5 5.2v.1M12.5 5.2v.1M7.5 10v.1M12.5 10v.1M7.5 14.8v.1M12.5 14.8v.1",
  up: "M5 12.5l5-5 5 5",
  down: "M5 7.5l5 5 5-5",
  top: "M4.5 4.5h11M5.5 12l4.5-4.5 4.5 4.5M10 8v8",
  same: "M4.5 7.5h11M4.5 12.5h11",
  remove: "M5.5 5.5l9 9M14.5 5.5l-9 9",
  more: "M5 10v.1M10 10v.1M15 10v.1",
  plus: "M10 4.5v11M4.5 10h11",
};

/** @type {[string, string, (name: string) => string][]} */
const TOOLS = [
  ["up", "Up", (name) => `Move ${name} up`],
  ["down", "Down", (name) => `Move ${name} down`],
  ["top", "To the top", (name) => `Move ${name} to the top`],
  ["same", "Same place as above", (name) => `Give ${name} the same place as above`],
  ["remove", "Remove", (name) => `Remove ${name} from the ranking`],
];

/** @param {{ name: keyof typeof PATHS }} props */
const Icon = ({ name }) => html`<svg class=${`icon icon-${name}`} viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false"><path d=${PATHS[name]} /></svg>`;

/** The ranked rows. @param {{ list: ListState, empty: string }} props */
export function Ranked({ list, empty }) {
  const { levels, held } = list;
  if (!levels.length) {
    return html`<p class=${`levels-empty ${held?.how === "pointer" && held.slot === 0 ? "is-over" : ""}`}>${empty}</p>`;
  }
  return html`<ol class="levels">
    ${levels.map((level, at) => html`<li key=${Math.min(...level)} class=${`level ${level.length > 1 ? "is-tied" : ""} ${landing(list, at)}`} data-level=${at}>
      <span class="level-place" aria-hidden="true">${at + 1}</span>
      <ul class="level-rows" aria-label=${`Place ${at + 1}`}>
        ${level.map((who) => html`<${Row} key=${who} who=${who} list=${list} />`)}
      </ul>
      ${level.length > 1 && html`<span class="level-equal" aria-hidden="true">equal</span>`}
    </li>`)}
  </ol>`;
}

/** Return the class that marks where the dragged row would land. @param {ListState} list @param {number} at */
function landing({ levels, held }, at) {
  if (held?.how !== "pointer") return "";
  const { who, slot } = held;
  if (levels[at].length === 1 && levels[at][0] === who) return "is-origin";
  const others = without(levels, who), index = at - (alone(levels, who, at) ? 1 : 0);
  if (slot === 2 * index + 1) return "is-joined";
  if (slot === 2 * index) return "is-before";
  return slot === 2 * others.length && index === others.length - 1 ? "is-after" : "";
}

/** Return whether the dragged row is alone in a place above this one. @param {Levels} levels @param {number} who @param {number} at */
function alone(levels, who, at) {
  const from = levelOf(levels, who);
  return from >= 0 && from < at && levels[from].length === 1;
}

/** The unranked rows. @param {{ list: ListState, rest: number[] }} props */
export const Rest = ({ list, rest }) => html`<ul class="rest-rows">
  ${rest.map((who) => html`<${Row} key=${who} who=${who} list=${list} />`)}
</ul>`;

/** A row. @param {{ who: number, list: ListState }} props */
function Row({ who, list }) {
  const { names, levels, held, open } = list;
  const name = names[who], picture = list.pictures[who], ranked = levelOf(levels, who) >= 0, lifted = held?.who === who;
  // Enter and Space also click, without coordinates.
  const click = (/** @type {MouseEvent} */ event) => {
    if (event.detail === 0 && (ranked || lifted)) list.lift(who);
    else if (ranked) list.toggle(who);
    else list.next(who);
  };
  const spaced = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== " " || ranked || lifted) return;
    event.preventDefault();
    list.lift(who);
  };
  const state = `${lifted ? `is-held is-held-by-${held.how}` : ""} ${open === who ? "is-open" : ""}`;
  return html`<li class=${`row ${ranked ? "is-ranked" : ""} ${state}`} data-who=${who}>
    <span class="row-grip" data-grip aria-hidden="true"><${Icon} name="grip" /></span>
    <button type="button" class="row-name" data-name=${who} aria-describedby="ballot-help" aria-pressed=${ranked || lifted ? String(lifted) : undefined} onClick=${click} onKeyDown=${spaced}>
      ${picture && html`<img class="choice-picture" src=${picture.src} alt=${picture.alt} width="40" height="40" />`}<span>${name}</span><span class="sr-only">, ${describePlace(levels, who, names)}</span>${!ranked && html`<${Icon} name="plus" />`}
    </button>
    ${ranked && html`<button type="button" class="tool row-more" data-tool="more" aria-expanded=${String(open === who)} aria-label=${`More for ${name}`} onClick=${() => list.toggle(who)}><${Icon} name="more" /></button>
    <div class="row-tools">
      ${TOOLS.filter(([button]) => list.allowTies || button !== "same").map(([button, text, label]) => html`<button type="button" class="tool" key=${button} data-tool=${button} aria-label=${label(name)} title=${text} aria-disabled=${BUTTONS[button](levels, who) === undefined ? "true" : undefined} onClick=${() => list.press(who, button)}><${Icon} name=${button} /><span class="tool-text" aria-hidden="true">${text}</span></button>`)}
    </div>`}
  </li>`;
}

/** The ballot as text. @param {{ names: string[], levels: Levels, rest: number[], labels: Record<string, string> }} props */
export function BallotText({ names, levels, rest, labels }) {
  if (!levels.length) return html`<p class="ballot-ranking-blank">${labels.blank_hint}</p>`;
  return html`<ol class="ballot-ranking">${levels.map((level, at) => html`<li><span class="ballot-ranking-place">${at + 1}.</span> <b>${joinNames(level.map((who) => names[who]))}</b></li>`)}</ol>
    ${rest.length > 0 && html`<p class="ballot-ranking-rest">${labels.unranked_title}: ${joinNames(rest.map((who) => names[who]))}.</p>`}`;
}

export const Help = () => html`<p class="sr-only" id="ballot-help">${HELP}</p>`;
