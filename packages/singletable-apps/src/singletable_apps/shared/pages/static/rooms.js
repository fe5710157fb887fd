// Rooms: a page that follows the events of a room, over a WebSocket or, where that is blocked, by long polls.
// shared/rooms/__init__.py describes the messages.

/** @typedef {{ type: string, kind?: string, id?: string, epoch: string, sequence: number, previous: number,
 *   timestamp: string, data: any }} Message */
/** @typedef {{ id: string, type: string, data: any, slot?: string, resolve?: Function, reject?: Function }} Unsent */
/** @typedef {{ url: string, pollUrl?: string, postUrl?: string, token?: string, storageKey?: string, version?: () => number,
 *   onMessage: (message: Message) => void, onStatus?: (status: string, details: object) => void }} Options */

// After these codes, connecting again would not help: replaced, not signed in, not allowed, not there.
const FINAL_CODES = new Set([4001, 4401, 4403, 4404]);
const FINAL_STATUSES = new Set([401, 403, 404]);
const PING_INTERVAL = 20_000;
const PONG_TIMEOUT = 10_000;
const SOCKET_RETRY = 60_000;
const POST_RETRY = 2000;
const POLL_PAUSE = 200;
const POLL_TIMEOUT = 40_000;
const FAILURES_BEFORE_POLLING = 2;

/** Connect to a room. Relative URLs are fine. `version` returns the version that the page shows. The status is `connecting`, `open`, `polling`, `waiting`
 * (to try again) or `closed` (for good, with a code and a reason).
 * @param {Options} options */
export const connect = (options) => new RoomClient(options);

/** The message was refused; `code` is for programs. */
export class RefusedError extends Error {
  /** @param {{ code?: string, message?: string }} data */
  constructor(data) {
    super(data?.message ?? "The message was refused.");
    this.code = data?.code ?? "refused";
    this.data = data;
  }
}

class RoomClient {
  /** @param {Options} options */
  constructor(options) {
    this.options = options;
    this.status = "";
    this.epoch = "";
    this.sequence = 0;
    /** @type {Map<string, Unsent>} messages without a reply, oldest first */
    this.unsent = new Map(readStored(options.storageKey).map((message) => [message.id, message]));
    /** @type {WebSocket | undefined} */
    this.socket = undefined;
    this.attempt = 0;
    this.failures = 0;
    this.offset = undefined;
    this.bestRoundTrip = Infinity;
    this.resyncedAt = -Infinity;
    this.wake = () => { if (!document.hidden) this.#hurry(); };
    addEventListener("online", this.wake);
    document.addEventListener("visibilitychange", this.wake);
    this.#open();
  }

  /** Send a message, and again after each reconnect until there is a reply. Returns the data of the reply. A message
   * with a `slot` replaces an earlier one with the same slot, and is also sent after a reload of the page.
   * @param {string} type @param {any} [data] @param {{ slot?: string }} [options] */
  send(type, data = null, { slot } = {}) {
    const message = /** @type {Unsent} */ ({ id: randomId(), type, data, slot });
    const reply = new Promise((resolve, reject) => Object.assign(message, { resolve, reject }));
    for (const earlier of [...this.unsent.values()].filter((each) => slot && each.slot === slot)) {
      this.unsent.delete(earlier.id);
      earlier.resolve?.(reply);
    }
    this.unsent.set(message.id, message);
    this.#store();
    if (this.status === "closed") message.reject?.(new RefusedError({ code: "closed" }));
    else this.#transmit(message);
    return reply;
  }

  /** The time of the server in milliseconds, as far as it is known. */
  now() {
    return Date.now() + (this.offset ?? 0);
  }

  /** Leave the room. Messages without a reply stay in the storage. */
  close(code = 1000, reason = "") {
    removeEventListener("online", this.wake);
    document.removeEventListener("visibilitychange", this.wake);
    this.#setStatus("closed", { code, reason });
    this.#stopTimers();
    this.polling?.abort();
    this.socket?.close();
    for (const message of this.unsent.values()) message.reject?.(new RefusedError({ code: "closed", message: reason }));
  }

  #open() {
    this.#stopTimers();
    this.socket?.close();
    if (this.status !== "polling") this.#setStatus("connecting");
    const socketUrl = this.#url(this.options.url);
    socketUrl.protocol = socketUrl.protocol.replace("http", "ws");
    const token = this.options.token ? [`token.${this.options.token}`] : [];
    const socket = new WebSocket(socketUrl, ["rooms", ...token]);
    let wasOpen = false;
    this.socket = socket;
    // Some proxies accept the connection and say nothing.
    this.retry = setTimeout(() => socket.close(), PONG_TIMEOUT);
    socket.onopen = () => {
      if (socket !== this.socket) return;
      clearTimeout(this.retry);
      wasOpen = true;
      this.failures = 0;
      this.bestRoundTrip = Infinity;
      this.polling?.abort();
      this.polling = undefined;
      this.#setStatus("open");
      this.#ping();
      for (const message of this.unsent.values()) this.#transmit(message);
    };
    socket.onmessage = ({ data }) => {
      if (socket !== this.socket) return;
      clearTimeout(this.pongTimer);
      this.attempt = 0;
      this.#receive(JSON.parse(data));
    };
    socket.onclose = ({ code, reason }) => {
      if (socket !== this.socket || this.status === "closed") return;
      this.socket = undefined;
      if (FINAL_CODES.has(code)) this.close(code, reason);
      else if (!wasOpen && ++this.failures >= FAILURES_BEFORE_POLLING && this.options.pollUrl) this.#startPolling();
      else this.#reconnect();
    };
  }

  /** Try again after 0.5, 1, 2, 4, 8 or 10 seconds; the jitter spreads a thousand phones. */
  #reconnect() {
    this.#stopTimers();
    const delay = Math.min(500 * 2 ** this.attempt++, 10_000) + Math.random() * 349;
    this.#setStatus("waiting", { delay });
    this.retry = setTimeout(() => this.#open(), delay);
  }

  /** The network or the page is back: do not wait. */
  #hurry() {
    if (this.status === "waiting") this.#open();
    else if (this.status === "open") this.#ping(PONG_TIMEOUT / 3);
  }

  /** Ask for a snapshot, because events are missing. */
  #resync() {
    this.epoch = "";
    this.sequence = 0;
    if (!this.polling) this.#abandon();
  }

  /** A heartbeat tells what a client knows that has missed nothing. Ask for a snapshot if this one knows less, but not all
   * the time. @param {{ epoch: string, sequence: number, version: number }} known */
  #compare({ epoch, sequence, version }) {
    const isBehind = epoch !== this.epoch || sequence > this.sequence || version > (this.options.version?.() ?? version);
    if (!isBehind || performance.now() - this.resyncedAt < PING_INTERVAL) return;
    this.resyncedAt = performance.now();
    this.#resync();
  }

  /** Leave the socket without waiting for its end, and connect again. */
  #abandon() {
    const { socket } = this;
    this.socket = undefined;
    socket?.close();
    this.#reconnect();
  }

  /** @param {Message} message */
  #receive(message) {
    this.offset ??= Date.parse(message.timestamp) - Date.now();
    if (message.type === "pong" && !message.kind) {
      this.#measureClock(message);
      this.#compare(message.data);
    } else if (!message.kind) this.#settle(message);
    else if (message.kind === "snapshot") {
      this.epoch = message.epoch;
      this.sequence = message.sequence;
      this.options.onMessage(message);
    } else if (message.epoch !== this.epoch) this.#resync();
    else if (message.kind === "state") this.options.onMessage(message);
    else if (message.sequence > this.sequence) {
      if (message.previous > this.sequence) {
        this.#resync();
        return;
      }
      this.sequence = message.sequence;
      this.options.onMessage(message);
    }
  }

  /** Settle the message that this is the reply to. @param {Message} reply */
  #settle({ id, type, data }) {
    const message = this.unsent.get(id ?? "");
    if (!message) return;
    if (data?.retryAfter) {
      setTimeout(() => this.#transmit(message), 1000 * data.retryAfter + 100);
      return;
    }
    this.unsent.delete(message.id);
    this.#store();
    if (type === "ack") message.resolve?.(data);
    else message.reject?.(new RefusedError(data));
  }

  /** @param {Unsent} message */
  async #transmit(message) {
    if (!this.unsent.has(message.id)) return;
    const { id, type, data } = message;
    const body = JSON.stringify({ id, type, data });
    if (this.status === "open") this.socket?.send(body);
    else if (this.status === "polling" && this.options.postUrl) {
      try {
        const response = await fetch(this.options.postUrl, { method: "POST", body, headers: this.#headers() });
        if (!response.ok) throw new Error(response.statusText);
        this.#receive(await response.json());
      } catch {
        setTimeout(() => this.#transmit(message), POST_RETRY);
      }
    }
  }

  #ping(timeout = PONG_TIMEOUT) {
    clearTimeout(this.pingTimer);
    clearTimeout(this.pongTimer);
    this.pingedAt = performance.now();
    this.socket?.send(JSON.stringify({ type: "ping" }));
    this.pongTimer = setTimeout(() => this.#abandon(), timeout);
    this.pingTimer = setTimeout(() => this.#ping(), PING_INTERVAL);
  }

  /** The quickest round trip gives the best estimate. @param {Message} pong */
  #measureClock({ timestamp }) {
    const roundTrip = performance.now() - (this.pingedAt ?? 0);
    if (roundTrip > this.bestRoundTrip) return;
    this.bestRoundTrip = roundTrip;
    this.offset = Date.parse(timestamp) + roundTrip / 2 - Date.now();
  }

  #startPolling() {
    this.retry = setTimeout(() => this.#open(), SOCKET_RETRY);
    if (this.polling) return;
    this.#setStatus("polling");
    this.polling = new AbortController();
    this.#poll(this.polling.signal);
  }

  /** @param {AbortSignal} signal */
  async #poll(signal) {
    for (const message of this.unsent.values()) this.#transmit(message);
    while (!signal.aborted) {
      try {
        const polled = fetch(this.#url(this.options.pollUrl ?? ""), { headers: this.#headers(), signal });
        const response = await inTime(polled);
        if (FINAL_STATUSES.has(response.status)) this.close(4000 + response.status, response.statusText);
        else if (!response.ok) throw new Error(response.statusText);
        else {
          const { messages, heartbeat } = await inTime(response.json());
          for (const message of messages) this.#receive(message);
          this.#compare(heartbeat);
        }
        this.attempt = 0;
      } catch {
        if (signal.aborted) return;
        // Not only sockets fail: the server or the network is down. States have no numbers, so that nobody knows which
        // of them were in a response that was lost.
        Object.assign(this, { epoch: "", sequence: 0, polling: undefined, failures: 0 });
        this.#reconnect();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_PAUSE));
    }
  }

  #headers() {
    const bearer = this.options.token ? { Authorization: `Bearer ${this.options.token}` } : {};
    return { "Content-Type": "application/json", ...bearer };
  }

  /** @param {string} path */
  #url(path) {
    const url = new URL(path, location.href);
    url.searchParams.set("epoch", this.epoch);
    url.searchParams.set("sequence", `${this.sequence}`);
    return url;
  }

  #stopTimers() {
    for (const timer of [this.retry, this.pingTimer, this.pongTimer]) clearTimeout(timer);
  }

  #setStatus(status, details = {}) {
    this.status = status;
    this.options.onStatus?.(status, details);
  }

  #store() {
    if (!this.options.storageKey) return;
    const kept = [...this.unsent.values()].filter((message) => message.slot);
    try {
      if (kept.length) localStorage.setItem(this.options.storageKey, JSON.stringify(kept));
      else localStorage.removeItem(this.options.storageKey);
    } catch { /* storage full or disabled */ }
  }
}

/** @param {string} [key] @returns {Unsent[]} */
function readStored(key) {
  try {
    const stored = JSON.parse((key && localStorage.getItem(key)) || "[]");
    return stored.filter((/** @type {Unsent} */ message) => message.id && message.type);
  } catch {
    return [];
  }
}

/** Fail unless there is a response in time. @param {Promise<any>} response */
const inTime = (response) =>
  Promise.race([response, new Promise((_, reject) => setTimeout(() => reject(new Error("There was no response.")), POLL_TIMEOUT))]);

// crypto.randomUUID exists only over TLS and on localhost, but phones also come over plain HTTP.
const randomId = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");
