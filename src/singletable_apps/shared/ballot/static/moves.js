// Where everybody stands, and what a move makes of it. Nothing here knows of a page.
//
// A ballot is a list of levels, best first; a level is a list of numbers, each the place of a name in
// the order of the page. Who is in no level is not ranked. For one who moves, a slot says where to,
// seen without the mover: 0 is a level of its own before all others, 1 is together with the first, 2 a
// level of its own after it, and so on; one slot more than the last is not ranked.

/** @typedef {number[][]} Levels */

/** The level of somebody, from 0 on; -1 if not ranked. @param {Levels} levels @param {number} who */
export const levelOf = (levels, who) => levels.findIndex((level) => level.includes(who));

/** @param {Levels} levels @param {number} who @returns {Levels} */
export const without = (levels, who) =>
  levels.map((level) => level.filter((each) => each !== who)).filter((level) => level.length);

/** The slot in which somebody is. @param {Levels} levels @param {number} who */
export function slotOf(levels, who) {
  const at = levelOf(levels, who);
  if (at < 0) return unranked(levels, who);
  return levels[at].length > 1 ? 2 * at + 1 : 2 * at;
}

/** The slot of who is not ranked. @param {Levels} levels @param {number} who */
export const unranked = (levels, who) => 2 * without(levels, who).length + 1;

/** The levels after somebody has moved to a slot. @param {Levels} levels @param {number} who @param {number} slot */
export function put(levels, who, slot) {
  const others = without(levels, who);
  const at = slot >> 1;
  if (slot > 2 * others.length) return others;
  if (slot % 2) return others.map((level, index) => (index === at ? [...level, who].sort((a, b) => a - b) : level));
  return [...others.slice(0, at), [who], ...others.slice(at)];
}

/**
 * What the buttons of a row do: each gives a slot, or none where there is nothing to do.
 * Up and Down give a place of one's own; "same" gives that of who is above.
 * @type {Record<string, (levels: Levels, who: number) => number | undefined>}
 */
export const BUTTONS = {
  up(levels, who) {
    const slot = slotOf(levels, who);
    return slot % 2 ? slot - 1 : slot ? slot - 2 : undefined;
  },
  down(levels, who) {
    const slot = slotOf(levels, who), last = unranked(levels, who) - 1;
    return slot % 2 ? slot + 1 : slot < last ? slot + 2 : undefined;
  },
  top: (levels, who) => (slotOf(levels, who) ? 0 : undefined),
  same(levels, who) {
    const at = levelOf(levels, who);
    return at > 0 ? 2 * at - 1 : undefined;
  },
  remove: (levels, who) => unranked(levels, who),
};

/**
 * What a key does to who is lifted.
 * @type {Record<string, (slot: number, last: number) => number>}
 */
export const KEYS = {
  ArrowUp: (slot) => Math.max(0, slot - 1),
  ArrowDown: (slot, last) => Math.min(last, slot + 1),
  ArrowLeft: (slot) => Math.max(0, slot - 1),
  ArrowRight: (slot, last) => Math.min(last, slot + 1),
  Home: () => 0,
  End: (_, last) => last - 1,
  Delete: (_, last) => last,
};

const up = (/** @type {number} */ slot, /** @type {number} */ last) => (slot === last ? slot - 1 : Math.max(0, slot - 2));
const down = (/** @type {number} */ slot, /** @type {number} */ last) => Math.min(last, slot + 2);

/** The same where nobody shares a place. @type {typeof KEYS} */
export const KEYS_ALONE = { ...KEYS, ArrowUp: up, ArrowLeft: up, ArrowDown: down, ArrowRight: down };

/** @param {Levels} a @param {Levels} b */
export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/**
 * The levels that numbers in boxes say; gaps mean nothing.
 * @param {string[]} texts @returns {Levels}
 */
export function levelsOf(texts) {
  /** @type {Map<number, number[]>} */
  const places = new Map();
  texts.forEach((text, who) => {
    const place = Number(text);
    if (/^\d+$/.test(text) && place > 0) places.set(place, [...(places.get(place) ?? []), who]);
  });
  return [...places].sort(([a], [b]) => a - b).map(([, level]) => level);
}
