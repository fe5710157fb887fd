// Texts that are announced and shown.
import { levelOf } from "./moves.js";

/** @typedef {import("./moves.js").Levels} Levels */

/** As `Ada, Ben and Cleo`. @param {string[]} names */
export const joinNames = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;

/** As `place 2 of 5, equal with Ben`. @param {Levels} levels @param {number} who @param {string[]} names */
export function describePlace(levels, who, names) {
  const at = levelOf(levels, who);
  if (at < 0) return "not ranked";
  const others = levels[at].filter((each) => each !== who).map((each) => names[each]);
  const equal = others.length > 3 ? `equal with ${others.length} others` : `equal with ${joinNames(others)}`;
  return `place ${at + 1} of ${levels.length}${others.length ? `, ${equal}` : ""}`;
}

/** As `3 of 5 ranked`. @param {Levels} levels @param {string[]} names */
export function describeCount(levels, names) {
  const ranked = levels.flat().length;
  if (!ranked) return "Nothing ranked yet";
  return ranked === names.length ? `All ${ranked} ranked` : `${ranked} of ${names.length} ranked`;
}

export const HELP = "Press Space to lift, arrow keys to move, Space to drop, Escape to cancel.";

/** @param {number} at a timestamp @returns {string} as `today, 14:05` or `12 November, 14:05` */
export function formatTime(at) {
  const then = new Date(at);
  const day = then.toDateString() === new Date().toDateString()
    ? "today" : then.toLocaleDateString("en-GB", { day: "numeric", month: "long" });
  return `${day}, ${then.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
}
