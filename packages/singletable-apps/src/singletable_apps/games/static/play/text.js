// Words, numbers and icons of the player's screen.
import { html } from "../../shared/vendor/islands.js";

const PATHS = {
  check: "M4.5 10.5l3.5 3.5 7.5-8",
  grip: "M7.5 5.2v.1M12.5 5.2v.1M7.5 10v.1M12.5 10v.1M7.5 14.8v.1M12.5 14.8v.1",
  up: "M5 12.5l5-5 5 5",
  down: "M5 7.5l5 5 5-5",
  right: "M8 5.5l4.5 4.5L8 14.5",
  more: "M4.5 10v.1M10 10v.1M15.5 10v.1",
};

/** @param {{ name: keyof typeof PATHS }} props */
export const Icon = ({ name }) => html`<svg class=${`icon icon-${name}`} viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false"><path d=${PATHS[name]} /></svg>`;

/** @param {number} number */
export const format = (number) => number.toLocaleString("en-US");

/** @param {number} count @param {string} one @param {string} [many] */
export const plural = (count, one, many = `${one}s`) => `${format(count)} ${count === 1 ? one : many}`;

/** Return 1st, 2nd, 3rd, 11th. @param {number} number */
export function ordinal(number) {
  const teen = number % 100 > 10 && number % 100 < 14;
  return `${number}${(teen ? "" : { 1: "st", 2: "nd", 3: "rd" }[number % 10]) || "th"}`;
}

/** Return an answer in words. @param {any} question @param {any} answer */
export function describe(question, answer) {
  if (answer.text) return answer.text;
  if (answer.number !== null && answer.number !== undefined) return question.scale === "stars" ? plural(answer.number, "star") : String(answer.number);
  const texts = (answer.choices ?? []).map((/** @type {string} */ id) => question.options?.find((/** @type {any} */ each) => each.id === id)).map((/** @type {any} */ option) => option?.text || option?.id.toUpperCase());
  return texts.join(["rank", "order"].includes(question.type) ? " › " : ", ");
}
