// What a host does. Every action is the form that works without scripts, so it works while the socket is down.
import { effect, signal } from "../../shared/vendor/islands.js";
import { phaseOf, progressOf } from "../live.js";

/** @typedef {{title: string, text?: string, button: string, isDanger?: boolean, act: () => void}} Question */

/** @param {import("../live.js").Game} game @param {{page: string}} config */
export function makeActions(game, config) {
  const busy = signal(false);
  const problem = signal("");
  const asked = signal(/** @type {Question | null} */ (null));

  let last = Promise.resolve(), waiting = 0;

  /** Post a form after those before it. A second click does no harm: a command is for one version of the state.
   * @param {string} path @param {Record<string, string> | [string, string][]} fields */
  function post(path, fields) {
    waiting += 1;
    busy.value = true;
    last = last.then(() => submit(path, fields)).then(() => { busy.value = --waiting > 0; });
    return last;
  }

  /** @param {string} path @param {Record<string, string> | [string, string][]} fields */
  async function submit(path, fields) {
    try {
      const answer = await fetch(`${config.page}/${path}`, { method: "POST", headers: { Accept: "application/json" }, body: new URLSearchParams(fields) });
      problem.value = answer.ok ? "" : (await answer.json()).detail ?? "This did not work. Try again.";
      await game.refresh();
    } catch {
      problem.value = "The server cannot be reached. Try again.";
    }
  }

  /** @param {string} command @param {Record<string, string>} more */
  const send = (command, more = {}) => post("command", { command, version: `${game.view.value.version}`, sure: "on", ...more });

  let isOver = () => false;

  /** Ask, until what the question is about has changed: by another host, by players or by the timer.
   * @param {Question} question @param {() => unknown} state */
  function ask(question, state) {
    const before = state();
    isOver = () => state() !== before;
    asked.value = question;
  }
  effect(() => { if (asked.value && isOver()) asked.value = null; });
  const moment = () => `${game.view.value.questionId} ${game.view.value.phase}`;

  /** Do the next step, and ask first if that leaves out answers, or most of the players. */
  function next() {
    const view = game.view.value, phase = phaseOf(view), { command } = view.host.next, waiting = view.host.pendingCount;
    if (asked.value || view.phase === "ended") return;
    if (view.phase === "checking" && waiting) {
      ask({ title: `Go on without ${waiting === 1 ? "one answer" : `${waiting} answers`}?`, text: "Nobody sees answers that you have not approved.", button: "Go on without them", act: () => send(command) }, () => `${moment()} ${game.view.value.host.pendingCount}`);
      return;
    }
    const progress = progressOf(game);
    const isClosing = view.phase !== "paused" && (phase === "open" || phase === "voting");
    if (!isClosing || !progress || progress.done * 2 >= progress.of) { void send(command); return; }
    const verb = phase === "voting" ? "voted" : "answered";
    ask({ title: `Only ${progress.done} of ${progress.of} players have ${verb}. Close anyway?`, button: "Close anyway", act: () => send(command) }, moment);
  }

  /** Undo a close that came too early. */
  function reopen() {
    const view = game.view.value, act = () => send("reopen");
    if (view.phase !== "reveal" || !view.question?.isQuiz) { void act(); return; }
    ask({ title: "Open this question again?", text: "The solution has been shown. Those who have not answered can answer for 10 seconds.", button: "Open again for 10 s", act }, moment);
  }

  function skip() {
    ask({ title: "Skip this question?", text: "Nobody gets points for it, and it is not asked again.", button: "Skip the question", isDanger: true, act: () => send("skip") }, () => can("skip") && game.view.value.questionId);
  }

  function end() {
    ask({ title: "End the game?", text: "Everyone sees the final leaderboard.", button: "End the game", isDanger: true, act: () => send("end") }, () => can("end"));
  }

  /** @param {{playerId: string, name: string}} player */
  function remove(player) {
    ask({ title: `Remove ${player.name}?`, text: "This phone cannot join again, the name stays taken, and points are not shown any more.", button: "Remove", isDanger: true, act: () => post(`players/${player.playerId}/remove`, {}) }, () => game.view.value.host.players.some((each) => each.playerId === player.playerId));
  }

  /** @param {string} command */
  const can = (command) => game.view.value.host.commands.includes(command);
  // All questions of a survey are open at once, so there is nothing to go on to.
  const canSkip = () => can("skip") && !game.view.value.survey;
  const canReopen = () => can("reopen") && !game.view.value.survey;
  const pause = () => send(game.view.value.phase === "paused" ? "resume" : "pause");
  const extend = () => send("extend", { seconds: "30" });
  const canExtend = () => Boolean(game.view.value.deadline) && ["open", "voting"].includes(game.view.value.phase);

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.altKey || event.ctrlKey || event.metaKey || event.repeat || asked.value) return;
    if (target.closest("input, textarea, select, [contenteditable], dialog")) return;
    const isPress = event.key === " " || event.key === "Enter";
    // On a button or a link, these keys belong to it.
    if (isPress && target.closest("button, a, summary, label")) return;
    if (isPress) next();
    else if (event.key === "p" && (can("pause") || can("resume"))) void pause();
    else if (event.key === "s" && canSkip()) skip();
    else if (event.key === "+" && canExtend()) void extend();
    else if (event.key === "o" && canReopen()) reopen();
    else return;
    event.preventDefault();
  }

  return { busy, problem, asked, post, next, skip, reopen, end, remove, pause, extend, can, canSkip, canReopen, canExtend, onKey };
}

/** @typedef {ReturnType<typeof makeActions>} Actions */
