// The player's screen: what the server says, and the answers on their way to it.
import { connect } from "../../shared/rooms.js";
import { effect, html, render, signal, useEffect, useState } from "../../shared/vendor/islands.js";
import { Answer, Ask, Ballot, OptionLabel, tilesClass } from "./answers.js";
import { AudienceBar, callApi } from "./audience.js";
import { Ring, clock, spoken, useSecondsLeft } from "./clock.js";
import { makeDrafts, makeOutbox } from "./outbox.js";
import { Ended, Leaderboard, Reveal } from "./results.js";
import { Survey, SurveyEnd } from "./survey.js";
import { Icon, format, plural } from "./text.js";

const root = /** @type {HTMLElement} */ (document.querySelector("[data-play]"));
const start = JSON.parse(root.dataset.play ?? "{}");
const view = signal(start.view), me = signal(start.me), counts = signal(/** @type {any} */ (undefined));
const isOffline = signal(false);
const host = signal(/** @type {"" | "here" | "away"} */ ("")); // away only after the host was here: some use no scripts
const gone = signal(/** @type {string | undefined} */ (undefined)); // why this browser is not in the game any more
const isAudience = start.role === "audience";
const name = `${start.view.gameId} ${start.me?.playerId ?? "audience"}`;
const drafts = makeDrafts(name);
const CLOSED = { 4001: "You play on another device or in another tab now. Reload this page to play here.", 4401: "Your link is not valid any more. Join again.", 4403: "The host has removed you from this game.", 4404: "This game does not exist any more." };

const client = connect({
  url: `${start.api}/socket`,
  pollUrl: `${start.api}/events`,
  postUrl: `${start.api}/messages`,
  token: start.token,
  version: () => Math.min(view.value.version, me.value?.version ?? Infinity),
  storageKey: `games outbox ${name}`,
  onMessage({ type, data }) {
    if (type === "initialStateSync") {
      view.value = data.view;
      if (data.me) me.value = data.me;
    } else if (type === "gameStateChanged") view.value = data.view;
    else if (type === "playerUpdated") me.value = data.me;
    else if (type === "playerAnswered") counts.value = data;
    else if (type === "audienceChanged") view.value = { ...view.value, audience: data.audience };
    else if (type === "presenceChanged") {
      host.value = data.hostPresent ? "here" : host.value && "away";
      if (data.players) view.value = { ...view.value, playerCount: data.players };
    }
    else if (type === "playerRemoved") gone.value = CLOSED[4403];
  },
  onStatus(status, details) {
    if (status === "waiting") isOffline.value = true;
    else if (status === "open" || status === "polling") isOffline.value = false;
    else if (status === "closed") gone.value ??= CLOSED[/** @type {keyof typeof CLOSED} */ (/** @type {any} */ (details).code)] ?? "";
  },
});
addEventListener("offline", () => (isOffline.value = true));
addEventListener("online", () => (isOffline.value = client.status !== "open" && client.status !== "polling"));
const drift = Date.parse(start.serverTime) - Date.now();
clock.now = () => (client.offset === undefined ? Date.now() + drift : client.now());
const outbox = makeOutbox(client, (entry, reply) => {
  if (entry.type === "vote") me.value = { ...me.value, vote: entry.data.ranking };
  else me.value = { ...me.value, answers: { ...me.value.answers, [entry.data.questionId]: reply?.answer ?? entry.data } };
});

/** What one has answered: what is on its way, or what the server has. @param {string} questionId */
function answerOf(questionId) {
  const entry = outbox.find("answer", questionId);
  return entry?.status === "sending" ? entry.data : me.value?.answers[questionId];
}

// Vibration is off unless one turns it on; not all phones have it.
const buzz = signal(readSetting("games buzz") === "on");
const tap = () => { if (buzz.value) navigator.vibrate?.(12); };

/** @param {string} key */
function readSetting(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function toggleBuzz() {
  buzz.value = !buzz.value;
  tap();
  try {
    localStorage.setItem("games buzz", buzz.value ? "on" : "off");
  } catch { /* storage disabled */ }
}

/** What became of an answer, in a line of fixed height. @param {{ type: string, questionId: string, idle?: string, done?: string }} props */
function SentState({ type, questionId, idle = "", done }) {
  const entry = outbox.find(type, questionId), is = type === "vote" ? "Ranking" : "Answer";
  const has = type === "vote" ? me.value?.vote.length >= (me.value?.required ?? 1) : me.value?.answers[questionId];
  const others = counts.value?.questionId === questionId && counts.value.phase === view.value.phase && counts.value.of > 1 ? ` · ${counts.value.done} of ${counts.value.of} are done` : "";
  const [kind, text] =
    entry?.status === "sending" ? (!isOffline.value && !entry.isSlow ? ["is-sending", "Sending…"] : ["is-waiting", `No connection. Your ${is.toLowerCase()} is saved here and sent when you are back.`])
    : entry?.status === "rejected" ? ["is-rejected", entry.reason]
    : entry?.status === "late" ? ["is-late", "Time was up when it arrived. The results show whether it counted."]
    : has?.status === "pending" ? ["is-sent", `${is} received. The host checks it first.`]
    : has?.status === "hidden" ? ["is-late", `The host does not show this answer.${view.value.question?.isQuiz ? "" : " You can change it."}`]
    : has ? ["is-sent", done ?? `${is} received${others}`]
    : ["", idle];
  return html`<p class=${`reply-state ${kind}`} role="status">${kind === "is-sent" && html`<${Icon} name="check" />`}<span>${text}</span></p>`;
}

/** The properties of an input. @param {any} question @param {string} questionId @param {object} more */
function askedOf(question, questionId, more) {
  return {
    question,
    answer: answerOf(questionId) ?? {},
    isSaved: Boolean(answerOf(questionId)),
    draft: drafts.read(questionId),
    keep: (/** @type {string} */ text) => drafts.save(questionId, text),
    submit: (/** @type {object} */ data) => outbox.add("answer", { questionId, ...data }),
    tap,
    ...more,
  };
}

/** @param {any} question */
const kickerOf = (question) => [question.category, question.points ? plural(question.points, "point") : ""].filter(Boolean).join(" · ");

/** @param {{ left: number | undefined }} props */
function Open({ left }) {
  const { question, questionId } = view.value;
  const isOpen = left === undefined || left > 0;
  const isTap = ["trivia", "choice", "yes-no", "rating"].includes(question.type) && !(question.selections > 1);
  return html`<${Ask} question=${question} kicker=${kickerOf(question)} />
    ${isAudience
      ? html`${question.options?.length > 0 && html`<ul class=${tilesClass(question.options)}>${question.options.map((/** @type {any} */ option) => html`<li key=${option.id} class=${`tile answer-tile answer-${option.id}`}><${OptionLabel} option=${option} /></li>`)}</ul>`}`
      : html`<${Answer} ...${askedOf(question, questionId, { isOpen })} />`}
    <div class="play-foot">${isAudience ? html`<p class="reply-state">${counts.value?.of ? `${counts.value.done} of ${counts.value.of} have answered` : "Players are answering"}</p>`
      : html`<${SentState} type="answer" questionId=${questionId} idle=${!isOpen ? "Time is up" : isTap ? "Tap your answer" : ""} />`}</div>`;
}

/** @param {{ left: number | undefined }} props */
function Voting({ left }) {
  const { question, questionId, ballot } = view.value;
  const isOpen = left === undefined || left > 0, entry = outbox.find("vote", questionId);
  const ranking = entry?.status === "sending" ? entry.data.ranking : me.value?.vote ?? [];
  return html`<header class="ask is-small"><p class="kicker">Rank the answers</p><h1 tabindex="-1" class="ask-title is-long">${question.title}</h1>${question.instruction && html`<p class="ask-instruction">${question.instruction}</p>`}</header>
    ${isAudience ? html`<ul class="texts">${ballot?.map((/** @type {any} */ each) => html`<li key=${each.id} class="text"><p>${each.text}</p></li>`)}</ul>`
      : html`<${Ballot} me=${me.value} ranking=${ranking} isOpen=${isOpen} isSaved=${ranking.length >= (me.value?.required ?? 1)} tap=${tap} submit=${(/** @type {any} */ data) => outbox.add("vote", { questionId, ...data })} />`}
    <div class="play-foot">${isAudience ? html`<p class="reply-state">Players are ranking</p>` : html`<${SentState} type="vote" questionId=${questionId} idle=${!isOpen ? "Time is up" : ranking.length ? "Saved so far" : ""} />`}</div>`;
}

function Checking() {
  const { question, questionId } = view.value, own = me.value?.answers[questionId];
  return html`<${Ask} question=${question} />${own?.text && html`<blockquote class="own-answer">${own.text}</blockquote>`}
    <p class="reply-state" role="status">Time is up. The host is reading the answers.</p>`;
}

/** A calm screen with a few words. @param {{ kicker?: string, title: any, children?: any }} props */
const Stage = ({ kicker, title, children }) => html`<section class="stage"><p class="kicker">${kicker}</p><h1 tabindex="-1">${title}</h1>${children}</section>`;

/** @param {{ left: number | undefined }} props */
function Reading({ left }) {
  const { question } = view.value, seconds = left === undefined ? 0 : Math.ceil(left);
  return html`<section class="stage"><p class="kicker">${kickerOf(question) || "Get ready"}</p><h1 tabindex="-1" class="ask-title">${question.title}</h1>
    ${question.image && html`<img class="ask-image" src=${question.image} alt="" />`}
    <p class="count-in" aria-hidden="true">${seconds > 0 && seconds <= 3 ? seconds : ""}</p><p class="stage-note">The answers come in a moment</p></section>`;
}

function Paused() {
  const { remaining, pausedPhase, questionId, title } = view.value;
  const isIn = pausedPhase === "voting" ? me.value?.vote.length : me.value && answerOf(questionId);
  return html`<${Stage} kicker=${title} title="Paused"><p class="stage-text">${isIn ? "Your answer is in. " : ""}The host will go on in a moment.</p>${remaining > 0 && html`<p class="stage-note">${plural(Math.ceil(remaining), "second")} left</p>`}</${Stage}>`;
}

const wasRenamed = signal(false);

/** A name can be corrected once before the game starts. */
function Rename() {
  const [error, setError] = useState(""), [isOpen, open] = useState(false);
  const submit = async (/** @type {any} */ event) => {
    event.preventDefault();
    try {
      const { name } = await callApi(start, "PUT", "name", { name: event.target.elements.name.value });
      me.value = { ...me.value, name };
      wasRenamed.value = true;
    } catch (error) {
      setError(/** @type {Error} */ (error).message);
    }
  };
  if (!isOpen) return html`<p><button type="button" class="small-button is-start" onClick=${() => open(true)}>Change my name</button></p>`;
  return html`<form class="enter" onSubmit=${submit}><label class="enter-label" for="new-name">Your name</label>
    <input class="enter-line" id="new-name" name="name" maxlength="24" required autocomplete="nickname" defaultValue=${me.value.name} ref=${(/** @type {HTMLElement | null} */ field) => field?.focus()} />
    ${error && html`<p class="enter-error" role="alert">${error}</p>`}<button type="submit" class="big-button">Save</button></form>`;
}

function Waiting() {
  const { title, playerCount, survey } = view.value;
  return html`<${Stage} kicker=${title} title=${isAudience ? "You are watching." : `You’re in, ${me.value.name}`}>
    <p class="stage-text">${survey ? "The survey opens soon." : "Look at the big screen. The first question comes soon."}</p>
    <p class="stage-note">${me.value?.team && html`<bdi>${me.value.team}</bdi> · `}${plural(playerCount, "player")} in the room</p>${!isAudience && !survey && !wasRenamed.value && html`<${Rename} />`}</${Stage}>`;
}

/** @param {{ left: number | undefined }} props */
function Phase({ left }) {
  const { phase, survey } = view.value;
  if (phase === "waiting") return html`<${Waiting} />`;
  if (phase === "paused") return html`<${Paused} />`;
  if (survey) {
    if (phase === "reveal" || phase === "ended") return html`<${SurveyEnd} view=${view.value} me=${me.value} join=${start.urls.join} />`;
    if (!me.value) return html`<${Stage} kicker=${view.value.title} title="Survey in progress"><p class="stage-text">Players are answering at their own pace.</p></${Stage}>`;
    return html`<${Survey} view=${view.value} me=${me.value} ask=${askedOf} answerOf=${answerOf} waiting=${outbox.waiting()} state=${(/** @type {string} */ id) => html`<${SentState} type="answer" questionId=${id} done="Saved" />`} />`;
  }
  if (phase === "reading") return html`<${Reading} left=${left} />`;
  if (phase === "open") return html`<${Open} left=${left} />`;
  if (phase === "checking") return html`<${Checking} />`;
  if (phase === "voting") return html`<${Voting} left=${left} />`;
  if (phase === "reveal") return html`<${Reveal} view=${view.value} me=${me.value} isAudience=${isAudience} late=${outbox.findLate(view.value.questionId)} />`;
  if (phase === "leaderboard") return html`<${Leaderboard} view=${view.value} me=${me.value} />`;
  return html`<${Ended} view=${view.value} me=${me.value} join=${start.urls.join} />`;
}

/** @param {{ left: number | undefined }} props */
function Bar({ left }) {
  const { question, questionNumber, questionCount, deadline, openedAt, phase } = view.value, own = me.value;
  const total = deadline && openedAt ? (Date.parse(deadline) - Date.parse(openedAt)) / 1000 : question?.seconds ?? 30;
  const isTimed = phase === "open" || phase === "voting";
  // In the place of the points, so that nothing moves.
  const trouble = phase === "ended" ? "" : isOffline.value ? "Reconnecting…" : host.value === "away" ? "The host is away" : "";
  return html`<header class="play-bar">
    <p class="play-who"><strong>${own?.name ?? "Watching"}</strong><span class=${trouble ? "is-trouble" : ""} role="status">${trouble || (own?.total !== undefined ? plural(own.total, "point") : own?.team || view.value.title)}</span></p>
    ${question && html`<p class="play-count"><span class="sr-only">Question </span>${questionNumber}<span class="quiet">/${questionCount}</span></p>`}
    ${isTimed && html`<${Ring} left=${left} total=${total} paused=${phase === "paused"} />`}
    <details class="play-menu"><summary><span class="sr-only">Menu</span><${Icon} name="more" /></summary>
      <ul class="play-menu-list">
        ${own && html`<li><a href=${start.urls.device}>Continue on another device</a></li>`}
        ${"vibrate" in navigator && own && html`<li><button type="button" aria-pressed=${String(buzz.value)} onClick=${toggleBuzz}>Vibrate on tap: ${buzz.value ? "on" : "off"}</button></li>`}
        <li><a href=${start.urls.leave}>Leave the game</a></li>
      </ul></details>
  </header>`;
}

/** What a screen reader says when the phase changes. */
function describePhase() {
  const { phase, questionNumber, reveal } = view.value;
  if (phase === "reading") return `Question ${questionNumber}. Get ready.`;
  if (phase === "open") return "Answer now.";
  if (phase === "checking") return "The host is reading the answers.";
  if (phase === "voting") return "Rank the answers of the others.";
  if (phase === "reveal" && me.value?.gained !== undefined) return `${me.value.isCorrect ? "Correct. " : ""}${format(me.value.gained)} points.`;
  return { paused: "Paused.", reveal: reveal?.isVoid ? "Skipped." : "Results.", leaderboard: "Leaderboard.", ended: "The game is over." }[/** @type {string} */ (phase)] ?? "";
}

function App() {
  const { phase, questionId, deadline } = view.value;
  const left = useSecondsLeft(deadline);
  useEffect(() => {
    scrollTo(0, 0);
    spoken.value = describePhase();
    if (!document.activeElement || document.activeElement === document.body) /** @type {HTMLElement | null} */ (root.querySelector("h1"))?.focus({ preventScroll: true });
  }, [phase, questionId]);
  if (gone.value !== undefined) return html`<div class="phone-page"><h1>You are not in this game any more</h1><p class="phone-text">${gone.value}</p><p class="phone-actions"><a class="big-button is-quiet" href=${start.urls.join}>Join another game</a></p></div>`;
  return html`<${Bar} left=${left} />
    <div class="play-main" data-phase=${phase} key=${`${phase} ${questionId}`}><${Phase} left=${left} /></div>
    ${!isAudience && html`<${AudienceBar} ...${{ view, me, start, client, drafts, tap }} />`}
    <p class="sr-only" aria-live="polite">${spoken.value}</p>`;
}

// The screen stays on while one plays, where the browser can do that.
async function keepAwake() {
  if (document.visibilityState !== "visible" || view.value.phase === "ended") return;
  try {
    await /** @type {any} */ (navigator).wakeLock?.request("screen");
  } catch { /* low battery, or not allowed */ }
}
document.addEventListener("visibilitychange", keepAwake);
addEventListener("pointerdown", keepAwake, { once: true });
document.addEventListener("click", (event) => {
  for (const menu of root.querySelectorAll("details[open]")) if (!menu.contains(/** @type {Node} */ (event.target))) menu.removeAttribute("open");
});

document.addEventListener("keydown", ({ key }) => { if (key === "Escape") root.querySelector("details[open]")?.removeAttribute("open"); });

// Whoever stays is in the next game, with the same name.
effect(() => { if (view.value.nextGame) location.assign(start.urls.next); });
root.textContent = "";
render(html`<${App} />`, root);
