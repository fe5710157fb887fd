// Answers on their way: kept in this browser until the server has confirmed them, and sent again with the same id.
import { signal } from "../../shared/vendor/islands.js";

/** @typedef {"sending" | "sent" | "late" | "rejected"} Status */
/** @typedef {{ id: string, type: string, data: Record<string, any>, status: Status, reason?: string }} Entry */

/** @param {string} name the game and the player
 * @param {(type: string, data: object, id: string) => Promise<any>} send
 * @param {(entry: Entry, reply: any) => void} confirmed */
export function makeOutbox(name, send, confirmed) {
  const storage = `games outbox ${name}`;
  /** The newest entry of each question, by `answer 001` or `vote 001`. */
  const entries = signal(/** @type {Record<string, Entry>} */ ({}));

  /** @param {Entry} entry */
  const keyOf = (entry) => `${entry.type} ${entry.data.questionId}`;

  function save() {
    const open = Object.values(entries.value).filter((entry) => entry.status === "sending");
    try {
      if (open.length) localStorage.setItem(storage, JSON.stringify(open));
      else localStorage.removeItem(storage);
    } catch { /* storage full or disabled: the entry is still sent while the page is open */ }
  }

  /** @param {Entry} entry */
  function put(entry) {
    entries.value = { ...entries.value, [keyOf(entry)]: entry };
    save();
  }

  /** @param {Entry} entry */
  async function deliver(entry) {
    let after = entry;
    try {
      const reply = await send(entry.type, entry.data, entry.id);
      after = { ...entry, status: reply?.outcome === "late" ? "late" : "sent" };
      confirmed(after, reply);
    } catch (error) {
      const { code, message } = /** @type {{ code?: string, message?: string }} */ (error);
      // Without a code the page is being closed: the entry stays for the next time.
      if (!code) return;
      after = { ...entry, status: "rejected", reason: message };
    }
    // A newer answer to the same question may be on its way already.
    if (entries.value[keyOf(entry)]?.id === entry.id) put(after);
  }

  return {
    entries,
    /** @param {string} type @param {Record<string, any>} data */
    add(type, data) {
      const entry = { id: crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`, type, data, status: /** @type {Status} */ ("sending") };
      put(entry);
      deliver(entry);
    },
    /** Send what an earlier visit could not. */
    restore() {
      try {
        for (const entry of JSON.parse(localStorage.getItem(storage) ?? "[]")) {
          entries.value = { ...entries.value, [keyOf(entry)]: entry };
          deliver(entry);
        }
      } catch { /* storage disabled or broken */ }
    },
    /** @param {string} type @param {string} questionId */
    find: (type, questionId) => entries.value[`${type} ${questionId}`],
  };
}

/** Drafts of texts that were not sent. @param {string} name */
export function makeDrafts(name) {
  const storage = `games drafts ${name}`;
  /** @type {Record<string, string>} */
  let drafts = {};
  try {
    drafts = JSON.parse(sessionStorage.getItem(storage) ?? "{}");
  } catch { /* storage disabled */ }
  return {
    /** @param {string} question */
    read: (question) => drafts[question] ?? "",
    /** @param {string} question @param {string} text */
    save(question, text) {
      drafts[question] = text;
      try {
        sessionStorage.setItem(storage, JSON.stringify(drafts));
      } catch { /* storage full or disabled */ }
    },
  };
}
