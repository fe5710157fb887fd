// The ranking and its moves, without any DOM.
//
// A ranking is a list of levels, best first; a level is a list of indexes into the names on the page.
// A name in no level is not ranked. A slot says where a moving name goes, seen without it: 0 is a level
// of its own at the top, 1 shares the first level, 2 is a level of its own after it, and so on; the slot
// after the last means "not ranked".

/** @typedef {number[][]} Levels */

/** Return the level of a name, or -1 if it is not ranked. @param {Levels} levels @param {number} who */
export const levelOf = (levels, who) => levels.findIndex((level) => level.includes(who));

/** @param {Levels} levels @param {number} who @returns {Levels} */
export const without = (levels, who) =>
  levels.map((level) => level.filter((each) => each !== who)).filter((level) => level.length);

/** Return the slot of a name. @param {Levels} levels @param {number} who */
export function slotOf(levels, who) {
  const at = levelOf(levels, who);
  if (at < 0) return unranked(levels, who);
  return levels[at].length > 1 ? 2 * at + 1 : 2 * at;
}

/** Return the slot that means "not ranked". @param {Levels} levels @param {number} who */
export const unranked = (levels, who) => 2 * without(levels, who).length + 1;

/** Return the levels after moving a name to a slot. @param {Levels} levels @param {number} who @param {number} slot */
export function put(levels, who, slot) {
  const others = without(levels, who);
  const at = slot >> 1;
  if (slot > 2 * others.length) return others;
  if (slot % 2) return others.map((level, index) => (index === at ? [...level, who].sort((a, b) => a - b) : level));
  return [...others.slice(0, at), [who], ...others.slice(at)];
}

/**
 * The buttons of a row: each returns the new slot, or undefined where it has no effect.
 * Up and Down give the name a place of its own; "same" shares the place above.
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
 * The keys that move a lifted row.
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

/** The same where places cannot be shared. @type {typeof KEYS} */
export const KEYS_ALONE = { ...KEYS, ArrowUp: up, ArrowLeft: up, ArrowDown: down, ArrowRight: down };

/** @param {Levels} a @param {Levels} b */
export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/**
 * Return the levels that the numbers in the boxes describe; gaps do not matter.
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
