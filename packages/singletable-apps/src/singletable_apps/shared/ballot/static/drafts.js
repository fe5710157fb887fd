// Drafts: saved in this browser until the ballot is cast. Browsers without storage have none.

/** @typedef {{ at: number, version: string, levels: string[][] }} Draft the ranking by names, and when it was saved */

const PREFIX = "ballot draft ";

/** Return the draft if it has the current version; delete it otherwise.
 * @param {string} name @param {string} version @returns {Draft | undefined} */
export function readDraft(name, version) {
  try {
    const draft = JSON.parse(localStorage.getItem(PREFIX + name) ?? "null");
    if (draft && draft.version === version && Array.isArray(draft.levels)) return draft;
    if (draft) deleteDraft(name);
  } catch {
    deleteDraft(name);
  }
  return undefined;
}

/** @param {string} name @param {Draft} draft */
export function saveDraft(name, draft) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(draft));
  } catch { /* storage full or disabled */ }
}

/** @param {string} name */
export function deleteDraft(name) {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch { /* storage disabled */ }
}

// The page of a cast ballot names its draft, which is now outdated.
for (const cast of document.querySelectorAll("[data-ballot-cast]")) {
  const { ballotCast, version } = /** @type {HTMLElement} */ (cast).dataset;
  readDraft(ballotCast ?? "", version ?? "");
}
