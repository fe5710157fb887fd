// Drafts, kept in this browser alone until the ballot is cast. Where nothing can be kept, nothing is.

/** @typedef {{ at: number, basis: string, levels: string[][] }} Draft what was ranked, by names, and when */

const PREFIX = "ballot draft ";

/** The draft of a name that is based on what stands now; another is outdated, and goes.
 * @param {string} name @param {string} basis @returns {Draft | undefined} */
export function draftOf(name, basis) {
  try {
    const draft = JSON.parse(localStorage.getItem(PREFIX + name) ?? "null");
    if (draft && draft.basis === basis && Array.isArray(draft.levels)) return draft;
    if (draft) forget(name);
  } catch {
    forget(name);
  }
  return undefined;
}

/** @param {string} name @param {Draft} draft */
export function keep(name, draft) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(draft));
  } catch { /* no place, or none allowed */ }
}

/** @param {string} name */
export function forget(name) {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch { /* none allowed */ }
}

// A page about what was cast names the draft that it came from.
for (const cast of document.querySelectorAll("[data-ballot-cast]")) {
  const { ballotCast, basis } = /** @type {HTMLElement} */ (cast).dataset;
  draftOf(ballotCast ?? "", basis ?? "");
}
