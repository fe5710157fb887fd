// A game as a screen sees it: its view, the counters beside it, and the clock of the server.
// Everything comes from the server; a reload or a reconnect shows the same.
import { connect } from "../shared/rooms.js";
import { signal, useEffect, useRef, useState } from "../shared/vendor/islands.js";

/** @param {{api: string, token: string, view: any, joined: {count: number, names: string[], teams: string[]}, serverTime: string}} config */
export function openGame(config) {
  const view = signal(config.view);
  const counts = signal(/** @type {{questionId: string, phase: string, done: number, of: number} | null} */ (null));
  const presence = signal({ players: config.view.playerCount, hostPresent: true, screens: 0 });
  const joined = signal(config.joined);
  const tally = signal(/** @type {{questionId: string, tally: Record<string, number>} | null} */ (null));
  const reactions = signal(/** @type {Record<string, number> | null} */ (null));
  // Whether messages come in, and why they never will again.
  const online = signal(true);
  const closed = signal("");
  // Milliseconds by which the server's clock is ahead of ours, until the connection has measured it.
  const offset = Date.parse(config.serverTime) - Date.now();

  /** @type {Record<string, (data: any) => void>} */
  const handlers = {
    // A snapshot may be newer than an event that comes after it.
    initialStateSync(data) { if (data.view.version >= view.value.version) view.value = data.view; },
    gameStateChanged(data) { handlers.initialStateSync(data); },
    // The newest one that a room has may be of the phase before.
    hostChanged(data) { if (data.version === view.value.version) view.value = { ...view.value, host: data.host }; },
    playerAnswered(data) { counts.value = data; },
    presenceChanged(data) { presence.value = data; },
    playerJoined(data) {
      joined.value = data;
      view.value = { ...view.value, playerCount: data.count };
    },
    liveTally(data) { tally.value = data; },
    audienceChanged(data) { view.value = { ...view.value, audience: data.audience }; },
    reactionsCounted(data) { reactions.value = data.counts; },
    aiSummaryReady(data) {
      const { reveal } = view.value;
      if (reveal?.questionId === data.questionId) view.value = { ...view.value, reveal: { ...reveal, summary: data.summary } };
    },
  };

  const room = connect({
    url: `${config.api}/socket`,
    pollUrl: `${config.api}/events?wait=25`,
    postUrl: `${config.api}/messages`,
    token: config.token,
    version: () => view.value.version,
    onMessage: ({ type, data }) => handlers[type]?.(data),
    onStatus(status, details) {
      online.value = status === "open" || status === "polling";
      if (status === "closed") closed.value = details.reason || "This link does not work any more.";
    },
  });

  /** Read the view over HTTP, while no messages come in. */
  async function refresh() {
    if (online.value) return;
    const answer = await fetch(`${config.api}/view`, { headers: { Authorization: `Bearer ${config.token}` } });
    if (answer.ok) handlers.initialStateSync(await answer.json());
  }

  const now = () => (room.offset === undefined ? Date.now() + offset : room.now());
  return { view, counts, presence, joined, tally, reactions, online, closed, now, refresh };
}

/** @typedef {ReturnType<typeof openGame>} Game */

/** The phase that is shown: the one before, while the game is paused. @param {any} view */
export const phaseOf = (view) => (view.phase === "paused" ? view.pausedPhase ?? "waiting" : view.phase);

/** How many have answered or voted, as far as this screen knows. @param {Game} game */
export function progressOf(game) {
  const view = game.view.value, counted = game.counts.value;
  const { done, players } = view.host ?? {};
  const known = players && { done, of: Math.max(players.length, done) };
  if (!counted?.of || counted.questionId !== view.questionId || counted.phase !== phaseOf(view)) return known ?? null;
  return { done: Math.max(counted.done, known?.done ?? 0), of: Math.max(counted.of, counted.done) };
}

/** The seconds that are left, and which share of the time that is. Null without a time limit. @param {Game} game */
export function useCountdown(game) {
  const { deadline, openedAt, remaining, phase, question, version } = game.view.value;
  const [, draw] = useState(0);
  const longest = useRef({ version: -1, total: 1 });
  useEffect(() => {
    if (!deadline) return undefined;
    const timer = setInterval(() => draw((count) => count + 1), 100);
    return () => clearInterval(timer);
  }, [deadline]);
  const left = deadline ? (Date.parse(deadline) - game.now()) / 1000 : remaining;
  if (left === null || left === undefined) return null;
  const known = deadline && openedAt ? (Date.parse(deadline) - Date.parse(openedAt)) / 1000 : question?.seconds ?? 0;
  if (longest.current.version !== version) longest.current = { version, total: Math.max(left, phase === "reading" ? 0 : known, 1) };
  return { left: Math.max(0, left), share: Math.min(1, Math.max(0, left / longest.current.total)) };
}

/** A count with its noun. @param {number} count @param {string} noun */
export const count = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** The code in two groups, as people say it. @param {string} code */
export const spaced = (code) => code.replace(/^(\d{3})(\d{3})$/, "$1 $2");

export const calm = matchMedia("(prefers-reduced-motion: reduce)");
