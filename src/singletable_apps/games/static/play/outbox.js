// Answers on their way. The room client keeps them in this browser and sends them again until there is a reply.
import { signal } from "../../shared/vendor/islands.js";

/** @typedef {"sending" | "sent" | "late" | "rejected"} Status */
/** @typedef {{ type: string, data: Record<string, any>, status: Status, reason?: string }} Entry */

const RETRY = 1000; // milliseconds, while the server is busy
const TRANSIENT = new Set(["busy", "internal-error"]);

/** @param {any} client of rooms.js
 * @param {(entry: Entry, reply: any) => void} confirmed */
export function makeOutbox(client, confirmed) {
  /** The newest entry of each question, by `answer 001` or `vote 001`. */
  const entries = signal(/** @type {Record<string, Entry>} */ ({}));

  /** @param {string} slot @param {Entry} entry */
  const put = (slot, entry) => (entries.value = { ...entries.value, [slot]: entry });

  /** @param {string} slot @param {Entry} entry @param {Promise<any>} reply */
  async function follow(slot, entry, reply) {
    put(slot, entry);
    let after = entry;
    try {
      const data = await reply;
      after = { ...entry, status: data?.outcome === "late" ? "late" : "sent" };
      if (entries.value[slot] === entry) confirmed(after, data);
    } catch (error) {
      const { code, message } = /** @type {{ code?: string, message?: string }} */ (error);
      if (code === "closed") return; // it stays for the next time
      if (TRANSIENT.has(code ?? "")) {
        setTimeout(() => { if (entries.value[slot] === entry) add(entry.type, entry.data); }, RETRY);
        return;
      }
      after = { ...entry, status: "rejected", reason: message };
    }
    // A newer answer to the same question may be on its way already.
    if (entries.value[slot] === entry) put(slot, after);
  }

  /** @param {string} type @param {Record<string, any>} data */
  function add(type, data) {
    const slot = `${type} ${data.questionId}`;
    follow(slot, { type, data, status: "sending" }, client.send(type, data, { slot }));
  }

  // What an earlier visit could not send.
  for (const message of client.unsent.values()) {
    if (!message.slot) continue;
    const reply = new Promise((resolve, reject) => Object.assign(message, { resolve, reject }));
    follow(message.slot, { type: message.type, data: message.data, status: "sending" }, reply);
  }
  return {
    entries,
    add,
    /** @param {string} type @param {string} questionId */
    find: (type, questionId) => entries.value[`${type} ${questionId}`],
    waiting: () => Object.values(entries.value).filter((entry) => entry.status === "sending").length,
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
