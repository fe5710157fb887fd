// The big screen: what everyone in the room looks at. It shows, and controls nothing.
import { effect, html, render, useEffect, useRef, useState } from "../../shared/vendor/islands.js";
import { count, openGame, phaseOf, spaced, useCountdown } from "../live.js";
import { Reactions, Spotlight } from "./audience.js";
import { Leaderboard, Podium } from "./board.js";
import { Reveal, SurveyResults } from "./reveal.js";
import { cues, isHeard, setMusic, setSound } from "./sound.js";
import { Checking, Lobby, Open, Reading, Survey, Voting } from "./stage.js";

const root = /** @type {HTMLElement} */ (document.getElementById("screen"));
const config = JSON.parse(document.getElementById("config")?.textContent ?? "{}");
const qr = document.getElementById("qr")?.innerHTML ?? "";
const game = openGame(config);
const url = new URL(config.view.joinUrl);
const joinAt = `${url.host}${url.pathname}`;
const SPOKEN = { waiting: "Lobby", reading: "The next question", open: "Answers are open", checking: "The host reads the answers", voting: "Voting is open", reveal: "Results", leaderboard: "Leaderboard", ended: "The game is over" };
const CUES = { reading: cues.question, open: cues.open, checking: cues.close, voting: cues.open, reveal: cues.reveal, leaderboard: cues.board, ended: cues.podium };

/** Whether the phase began while this screen was watching. Results are told slowly only then. */
function useFresh(key) {
  const first = useRef(key);
  return first.current !== key;
}

function Stage({ isFresh }) {
  const view = game.view.value, phase = phaseOf(view);
  if (view.survey && (phase === "open" || phase === "checking")) return html`<${Survey} game=${game}/>`;
  if (view.survey && (phase === "reveal" || phase === "ended")) return html`<${SurveyResults} game=${game}/>`;
  switch (phase) {
    case "reading": return html`<${Reading} game=${game}/>`;
    case "open": return html`<${Open} game=${game}/>`;
    case "checking": return html`<${Checking} game=${game}/>`;
    case "voting": return html`<${Voting} game=${game}/>`;
    case "reveal": return html`<${Reveal} game=${game} isFresh=${isFresh}/>`;
    case "leaderboard": return html`<${Leaderboard} game=${game} isFresh=${isFresh}/>`;
    case "ended": return html`<${Podium} game=${game} isFresh=${isFresh}/>`;
    default: return html`<${Lobby} game=${game} qr=${qr} url=${joinAt} warning=${config.warning}/>`;
  }
}

/** The game on the left, how to join on the right: people come late. */
function Bar() {
  const view = game.view.value, phase = phaseOf(view);
  const isQuestion = view.question && phase !== "leaderboard" && phase !== "ended";
  return html`<header class="bar">
    <p class="bar-game"><b>${isQuestion ? `Question ${view.questionNumber} of ${view.questionCount}` : view.title}</b><span>${isQuestion && view.question.category ? `${view.question.category} · ` : ""}${count(view.playerCount, "player")}</span></p>
    ${phase === "ended" ? null : view.isLocked ? html`<p class="bar-join">The room is locked</p>` : html`<p class="bar-join"><span>${joinAt}</span><b>${spaced(view.joinCode)}</b></p><div class="bar-qr qr" dangerouslySetInnerHTML=${{ __html: qr }}></div>`}
  </header>`;
}

function Paused() {
  const view = game.view.value;
  const [now, tick] = useState(new Date());
  useEffect(() => {
    const timer = setInterval(() => tick(new Date()), 1000);
    return () => clearInterval(timer);
  }, []);
  return html`<div class="overlay" role="status"><p class="overlay-title">Paused</p><p class="overlay-clock">${now.toLocaleTimeString([], { hour: "numeric", minute: "2-digit" })}</p>${view.remaining > 0 && html`<p class="detail">${count(Math.ceil(view.remaining), "second")} left when we go on</p>`}</div>`;
}

/** What is wrong with the connection or the host, after some seconds. */
function Notice() {
  const text = game.closed.value ? game.closed.value : !game.online.value ? "Connection lost. Trying again …" : game.presence.value.hostPresent === false ? "The host is away for a moment." : "";
  const [shown, show] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => show(text), text ? 4000 : 0);
    return () => clearTimeout(timer);
  }, [text]);
  return html`<p class="notice" role="status" hidden=${!shown}>${shown}</p>`;
}

function Controls() {
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const look = () => setFull(Boolean(document.fullscreenElement));
    document.addEventListener("fullscreenchange", look);
    return () => document.removeEventListener("fullscreenchange", look);
  }, []);
  const phase = game.view.value.phase, isOn = isHeard.value;
  const toggle = () => { setSound(!isOn); if (!isOn) cues.open(); };
  useEffect(() => { setMusic(isOn && (phase === "waiting" || phase === "open")); }, [isOn, phase]);
  return html`<div class=${`controls${phase === "waiting" ? " is-kept" : ""}`}><button type="button" class="mute" aria-pressed=${!isOn} onClick=${toggle}>${isOn ? "Mute" : "Turn sound on"}</button>${document.fullscreenEnabled && html`<button type="button" onClick=${() => (isFull ? document.exitFullscreen() : document.documentElement.requestFullscreen())}>${isFull ? "Leave full screen" : "Full screen"}</button>`}</div>`;
}

/** Tones at the beginning of phases, for players who join, and for the last seconds. */
function Sounds() {
  const view = game.view.value, phase = phaseOf(view), key = `${view.questionId} ${view.phase}`;
  const isFresh = useFresh(key);
  const seconds = useCountdown(game);
  const whole = seconds && (phase === "open" || phase === "voting") && view.phase !== "paused" ? Math.ceil(seconds.left) : 99;
  useEffect(() => { if (isFresh) CUES[view.phase]?.(); }, [key]);
  useEffect(() => { if (whole > 0 && whole <= 5) cues.tick(); }, [whole]);
  useEffect(() => { if (phase === "waiting" && game.joined.value.count > config.view.playerCount) cues.join(); }, [game.joined.value.count]);
  return null;
}

function App() {
  const view = game.view.value, phase = phaseOf(view), key = `${view.questionId} ${phase}`;
  const isFresh = useFresh(key);
  return html`
    ${phase !== "waiting" && html`<${Bar}/>`}
    <main class="main-stage" key=${key}><${Stage} isFresh=${isFresh}/></main>
    ${view.phase === "paused" && html`<${Paused}/>`}
    <${Spotlight} game=${game}/><${Reactions} game=${game}/><${Notice}/><${Controls}/><${Sounds}/>
    <p class="sr-only" aria-live="polite">${view.phase === "paused" ? "Paused" : SPOKEN[phase]}</p>`;
}

// The next game has the same screen and the same people.
effect(() => { if (game.view.value.nextGame) location.assign(config.follow); });
root.replaceChildren();
render(html`<${App}/>`, root);

let idle = 0;
function wake() {
  document.body.classList.remove("is-idle");
  clearTimeout(idle);
  idle = setTimeout(() => document.body.classList.add("is-idle"), 3000);
}
for (const kind of ["pointermove", "keydown", "focusin"]) document.addEventListener(kind, wake, { passive: true });
wake();
