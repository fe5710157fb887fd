// Answers on their way. The room client keeps them in this browser and sends them again until there is a reply.
import { signal } from "../../shared/vendor/islands.js";

/** @typedef {"sending" | "sent" | "late" | "rejected"} Status */
/** @typedef {{ number: number, type: string, data: Record<string, any>, status: Status, code?: string, reason?: string, isSlow?: boolean }} Entry */

const RETRY = 1000; // milliseconds, while the server is busy
const SLOW = 4000; // milliseconds after which we say that an answer is kept here
const TRANSIENT = new Set(["busy", "internal-error"]);

/** @param {any} client of rooms.js
 * @param {(entry: Entry, reply: any) => void} confirmed */
export function makeOutbox(client, confirmed) {
  /** The newest entry of each question, by `answer 001` or `vote 001`. */
  const entries = signal(/** @type {Record<string, Entry>} */ ({}));
  let count = 0;

  /** Change an entry, unless there is a newer one. @param {string} slot @param {Entry} entry @param {Partial<Entry>} change */
  function change(slot, entry, change) {
    if (entries.value[slot]?.number === entry.number) entries.value = { ...entries.value, [slot]: { ...entry, ...change } };
  }

  /** @param {string} type @param {Record<string, any>} data @param {string} slot @param {Promise<any>} sent */
  async function follow(type, data, slot, sent) {
    const entry = { number: ++count, type, data, status: /** @type {Status} */ ("sending") };
    entries.value = { ...entries.value, [slot]: entry };
    const slow = setTimeout(() => change(slot, entry, { isSlow: true }), SLOW);
    try {
      const reply = await sent;
      if (entries.value[slot].number === entry.number) confirmed(entry, reply);
      change(slot, entry, { status: reply?.outcome === "late" ? "late" : "sent" });
    } catch (error) {
      const { code, message } = /** @type {{ code?: string, message?: string }} */ (error);
      if (TRANSIENT.has(code ?? "")) {
        setTimeout(() => { if (entries.value[slot].number === entry.number) add(type, data); }, RETRY);
      } else if (code !== "closed") change(slot, entry, { status: "rejected", code, reason: message }); // or it stays for the next time
    }
    clearTimeout(slow);
  }

  /** @param {string} type @param {Record<string, any>} data */
  function add(type, data) {
    const slot = `${type} ${data.questionId}`;
    follow(type, data, slot, client.send(type, data, { slot }));
  }

  // What an earlier visit could not send.
  for (const message of client.unsent.values()) {
    if (!message.slot) continue;
    follow(message.type, message.data, message.slot, new Promise((resolve, reject) => Object.assign(message, { resolve, reject })));
  }
  return {
    entries,
    add,
    /** @param {string} type @param {string} questionId */
    find: (type, questionId) => entries.value[`${type} ${questionId}`],
    /** The answer that came when its question was closed. @param {string} questionId */
    findLate(questionId) {
      const entry = entries.value[`answer ${questionId}`];
      return entry?.status === "late" || entry?.code === "wrong-phase" ? entry.data : undefined;
    },
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
