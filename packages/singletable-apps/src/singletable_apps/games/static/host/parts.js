// The parts of the host's screen: what is shown now, decisions, players, room and leaderboard.
import { html, useEffect, useRef, useState } from "../../shared/vendor/islands.js";
import { count, phaseOf, progressOf, useCountdown } from "../live.js";
import { letterOf, numeral, percent, summarize } from "../results.js";

/** @typedef {{game: import("../live.js").Game, actions: import("./actions.js").Actions}} Props */

export const PHASES = { waiting: "Lobby", reading: "Reading", open: "Answers are open", checking: "Checking answers", voting: "Voting", reveal: "Results", leaderboard: "Leaderboard", paused: "Paused", ended: "The game is over" };

/** Options with their counts, if they are known. @param {{question: any, tally?: Record<string, number>, correct?: string[], answers?: number}} props */
export function Bars({ question, tally, correct = [], answers = 0 }) {
  const { rows, mean } = summarize(question, tally ?? {}, answers, correct), isNumber = Boolean(question.bars), isOrder = question.type === "order";
  if (!rows.length || (question.type === "slider" && !tally)) return null;
  return html`<ul class="bars">${rows.filter((row) => question.type !== "slider" || row.votes || correct.includes(row.id)).map((row) => html`<li key=${row.id} class=${`bar-row answer-${isNumber ? "a" : row.id}${!isOrder && correct.includes(row.id) ? " is-right" : ""}`} style=${{ "--share": tally ? row.share.toFixed(3) : 0 }}>
    <span class="bar-fill"></span>${!isNumber && html`<span class="answer-shape" aria-hidden="true"></span>`}${letterOf(row.id) && html`<b>${letterOf(row.id)}</b>`}<span class="bar-text">${row.text}${!isOrder && correct.includes(row.id) && html` <span class="bar-right">${question.type === "slider" ? "true value" : "correct"}</span>`}</span>${tally && html`<span class="bar-votes">${row.note || html`${row.votes} · ${percent(row.share)}`}</span>`}
  </li>`)}</ul>${isOrder && correct.length > 0 && html`<p class="quiet">The right order, and how many had each in its place.</p>`}${mean !== null && html`<p class="quiet">${mean.toFixed(1)} on average</p>`}`;
}

/** @param {{game: import("../live.js").Game}} props */
export function Clock({ game }) {
  const time = useCountdown(game);
  if (!time) return null;
  const whole = Math.ceil(time.left), text = whole >= 60 ? `${Math.floor(whole / 60)}:${`${whole % 60}`.padStart(2, "0")}` : `${whole} s`;
  return html`<p class=${`clock${whole <= 5 && phaseOf(game.view.value) !== "reading" ? " is-short" : ""}`} role="timer" style=${{ "--share": time.share.toFixed(3) }}>${text}</p>`;
}

/** What everyone sees now, and what comes next. @param {Props & {screen: string}} props */
export function Now({ game, actions, screen }) {
  const view = game.view.value, phase = phaseOf(view), { question, reveal, survey } = view;
  const progress = view.phase === "open" || view.phase === "voting" ? progressOf(game) : null;
  const live = game.tally.value?.questionId === view.questionId ? game.tally.value.tally : view.host.liveTally;
  const tally = phase === "reveal" ? reveal?.tally : phase === "open" && Object.keys(live ?? {}).length ? live : undefined;
  const isAsked = question && !["waiting", "leaderboard", "ended"].includes(phase);
  const title = isAsked ? question.title : view.title;
  const upcoming = view.host.next.question;
  return html`<section class=${`now is-${view.phase}`}>
    <header class="console-head"><div><p class="eyebrow">${PHASES[view.phase]}${view.phase === "paused" ? ` (${PHASES[phase].toLowerCase()})` : ""}${isAsked ? ` · Question ${view.questionNumber} of ${view.questionCount}${question.category ? ` · ${question.category}` : ""}` : ""}</p>
    <h1 class="is-long">${title}</h1>${isAsked && question.detail && html`<p class="quiet now-detail">${question.detail}</p>`}${isAsked && question.instruction && html`<p class="now-detail">${question.instruction}</p>`}</div><${Clock} game=${game}/></header>
    ${phase === "waiting" && html`<p class="now-wait">${view.playerCount ? html`<b>${view.playerCount}</b> ${view.playerCount === 1 ? "player is" : "players are"} in the lobby.` : "Nobody has joined yet. Show the big screen, or read out the code."} ${view.host.setName && html`<span class="quiet">${view.host.setName}, ${count(view.questionCount, "question")}.</span>`}</p><p><a class="button button-quiet" href=${screen} target="_blank" rel="noopener">Open the big screen</a></p>`}
    ${progress && html`<p class="console-progress" style=${{ "--share": progress.of ? (progress.done / progress.of).toFixed(3) : 0 }}><b>${progress.done}</b> of ${progress.of} ${survey ? "have begun to answer" : phase === "voting" ? "voted" : "answered"}${!survey && progress.of > 0 && progress.done >= progress.of && html` <span class="badge badge-good">${phase === "voting" ? "All voted" : "All answered"}</span>`}</p>`}
    ${phase === "checking" && html`<p class="now-wait">${view.host.pendingCount ? "Nobody else can answer now. Decide below which answers others see; the game waits for you." : "All answers are checked."}</p>`}
    ${reveal?.isVoid && html`<p class="quiet">This question was skipped.</p>`}
    ${question && !survey && (phase === "open" || phase === "reveal") && html`<${Bars} question=${question} tally=${tally} correct=${phase === "reveal" ? reveal?.correct : []} answers=${phase === "reveal" ? reveal?.answers : 0}/>`}
    ${phase === "voting" && html`<${Answers} texts=${view.ballot ?? []} host=${view.host} actions=${actions}/>`}
    ${phase === "reveal" && reveal?.texts && html`<${Answers} texts=${reveal.texts} host=${view.host} actions=${actions}/>`}
    ${reveal?.target !== undefined && html`<p>The true value: <b>${numeral(reveal.target)}</b>${reveal.tolerance > 0 && html` <span class="quiet">±${numeral(reveal.tolerance)} is right</span>`}</p>`}
    ${reveal?.accepted && html`<p>Accepted: <b>${reveal.accepted.join(", ")}</b></p>`}
    ${reveal?.explanation && html`<p class="quiet">${reveal.explanation}</p>`}
    ${reveal?.summary && html`<div class="callout"><div><p class="callout-title">Summary</p><p>${reveal.summary}</p></div></div>`}
    ${survey && phase !== "waiting" && html`<${SurveyResults} view=${view} actions=${actions}/>`}
    ${(phase === "leaderboard" || phase === "ended") && html`<${Board} board=${view.leaderboard}/>`}
    ${upcoming && phase !== "ended" && html`<p class="now-next"><span class="quiet">Next question:</span> ${upcoming.title}</p>`}
  </section>`;
}

/** Answers of questions with texts; each can be hidden and shown again, and a typed one accepted.
 * @param {{texts: any[], host: any, actions: import("./actions.js").Actions}} props */
function Answers({ texts, host, actions }) {
  /** @param {any} answer @param {string} decision @param {string} label */
  const button = (answer, decision, label) => html`<button type="button" class="button button-plain button-small" aria-label=${`${label}: ${answer.text}`} onClick=${() => actions.post("answers", { answer: answer.id, decision })}>${label}</button>`;
  return html`${!texts.length && html`<p class="quiet">There are no answers to show.</p>`}${host.leftOut > 0 && html`<p class="quiet">${count(host.leftOut, "answer")} not shown, because you have hidden or not approved ${host.leftOut === 1 ? "it" : "them"}.</p>`}<ol class="texts">${texts.map((answer) => html`<li key=${answer.id} class=${answer.isWinner || answer.isCorrect ? "is-first" : ""}><div><p>${answer.text}</p>${answer.names && html`<p class="meta">${answer.names.join(", ")} · ${count(answer.points, "point")}</p>`}${answer.isCorrect !== undefined && html`<p class="meta">${count(answer.count, "player")}${answer.isCorrect ? " · correct" : ""}</p>`}</div>${answer.isAccepted ? button(answer, "reject", "Do not accept") : answer.isCorrect === false && button(answer, "accept", "Accept")}${button(answer, "hide", "Hide")}</li>`)}${host.hidden.map((answer) => html`<li key=${answer.id} class="is-hidden"><p class="quiet">${answer.text}</p>${button(answer, "show", "Show again")}</li>`)}</ol>`;
}

/** @param {{view: any, actions: import("./actions.js").Actions}} props */
function SurveyResults({ view, actions }) {
  const { survey } = view;
  const shared = survey.results.filter((each) => each.isShared).map((each) => each.questionId);
  /** @param {string} id */
  const toggle = (id) => actions.post("share", (shared.includes(id) ? shared.filter((each) => each !== id) : [...shared, id]).map((each) => ["question", each]));
  if (!survey.results.length) return html`<p class="quiet">${count(survey.questions.length, "question")}, answered at everyone’s own pace. Results are counted when you close the survey.</p>`;
  return html`${survey.results.some((each) => each.isHidden) && html`<p class="quiet">Results are shown from ${survey.minCell} answers on. You can choose this number when you create a game.</p>`}<ol class="survey-list">${survey.questions.map((question) => {
    const result = survey.results.find((each) => each.questionId === question.questionId);
    if (!result) return null;
    return html`<li key=${question.questionId}><div class="survey-head"><h2>${question.title}</h2>${!result.isHidden && question.type !== "text" && html`<label class="check"><input type="checkbox" checked=${result.isShared} onChange=${() => toggle(question.questionId)}/><span>Share</span></label>`}</div><p class="meta">${count(result.answers, "answer")}</p>${result.isHidden ? html`<p class="quiet">Too few answers to show.</p>` : question.type === "text" ? html`<p class="quiet">Only the report has the texts.</p>` : html`<${Bars} question=${question} tally=${result.tally} answers=${result.answers}/>`}</li>`;
  })}</ol>`;
}

/** @param {{board: any}} props */
function Board({ board }) {
  if (!board?.top.length) return html`<p class="quiet">Nobody has points yet.</p>`;
  return html`<ol class="board-list">${board.top.map((each) => html`<li key=${each.playerId}><span class="board-place">${each.place}</span><span class="board-name">${each.name}${each.team && html` <span class="quiet">${each.team}</span>`}</span>${each.gained > 0 && html`<span class="board-gained">+${each.gained.toLocaleString("en")}</span>`}<b>${each.points.toLocaleString("en")}</b></li>`)}</ol>${board.teams?.length > 0 && html`<h2>Teams</h2><ol class="board-list">${board.teams.map((team) => html`<li key=${team.name}><span class="board-place">${team.place}</span><span class="board-name">${team.name}</span><b>${team.points.toLocaleString("en")}</b></li>`)}</ol>`}`;
}

/** The one button that matters, and the few beside it. @param {Props & {config: any}} props */
export function ActionBar({ game, actions, config }) {
  const view = game.view.value, { label } = view.host.next, busy = actions.busy.value;
  const small = (text, key, act) => html`<button type="button" class="button button-quiet" aria-keyshortcuts=${key} aria-busy=${busy} onClick=${act}>${text}<kbd aria-hidden="true">${key}</kbd></button>`;
  return html`<div class="console-bar">
    ${label ? html`<button type="button" class="button button-primary next" id="next" aria-busy=${busy} onClick=${actions.next}>${label}<kbd aria-hidden="true">Space</kbd></button>` : html`<a class="button button-primary next" href=${config.report}>Open the report</a>
    ${view.nextGame ? html`<a class="button button-quiet" href=${`${config.page}/next`}>Go to the next game</a>` : html`<form method="post" action=${`${config.page}/again`}><button class="button button-quiet">Play again</button></form>${config.new && html`<a class="button button-quiet" href=${config.new}>Next set, same players</a>`}`}<a class="button button-plain" href=${config.games}>Your games</a>`}
    ${actions.can("pause") && small("Pause", "p", actions.pause)}
    ${actions.canExtend() && small("30 s more", "+", actions.extend)}
    ${actions.canReopen() && small(view.phase === "voting" ? "More answers for 10 s" : "Open again for 10 s", "o", actions.reopen)}
    ${actions.canSkip() && small("Skip", "s", actions.skip)}
    ${actions.can("end") && html`<button type="button" class="button button-plain" aria-busy=${busy} onClick=${actions.end}>End game</button>`}
  </div>`;
}

/** Texts that wait for a decision: the first has the keys a and h. @param {Props} props */
export function Queue({ game, actions }) {
  const { pending } = game.view.value.host, canAccept = game.view.value.phase === "checking" && game.view.value.question?.isQuiz;
  if (!pending.length) return null;
  /** @param {any} each @param {string} decision */
  const decide = (each, decision) => actions.post("answers", { answer: each.answerId, question: each.questionId, text: each.text, decision });
  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const decision = { a: "approve", h: "hide" }[event.key];
    const at = [.../** @type {HTMLElement} */ (event.currentTarget).children].findIndex((each) => each.contains(/** @type {Node} */ (event.target)));
    if (decision && at >= 0) { event.stopPropagation(); void decide(pending[at], decision); }
  }
  return html`<section class="console-part"><h2>Answers to decide on <span class="badge badge-warning">${game.view.value.host.pendingCount}</span></h2><p><button type="button" class="button button-quiet button-small" onClick=${() => actions.post("answers", { decision: "approve-all" })}>Approve all</button></p><ul class="queue" onKeyDown=${onKey}>${pending.map((each) => html`<li key=${each.answerId}><p>${each.text}</p><div class="actions">${canAccept && html`<button type="button" class="button button-quiet button-small" onClick=${() => decide(each, "accept")}>Accept as correct</button>`}<button type="button" class="button button-quiet button-small" aria-keyshortcuts="a" onClick=${() => decide(each, "approve")}>Approve</button><button type="button" class="button button-plain button-small" aria-keyshortcuts="h" onClick=${() => decide(each, "hide")}>Hide</button></div></li>`)}</ul></section>`;
}

/** @param {Props} props */
export function Players({ game, actions }) {
  const view = game.view.value, { players, done } = view.host;
  const [edited, edit] = useState("");
  const [text, search] = useState("");
  const phase = phaseOf(view), isAsking = phase === "open" || phase === "voting";
  const found = players.filter((each) => each.name.toLowerCase().includes(text.toLowerCase()));
  return html`<section class="console-part"><h2>Players <span class="quiet">${view.playerCount.toLocaleString("en")}</span></h2>
    ${players.length > 12 && html`<input class="input" type="search" aria-label="Find a player" placeholder="Find a player" value=${text} onInput=${(event) => search(event.target.value)}/>`}
    ${view.teams.length > 1 && players.length > 1 && phase !== "ended" && html`<p><button type="button" class="button button-quiet button-small" onClick=${() => actions.post("teams", {})}>Balance the teams</button></p>`}
    ${!players.length && html`<p class="quiet">Nobody has joined yet.</p>`}
    ${isAsking && done > 0 && !players.some((each) => each.isDone) && html`<p class="quiet">Authors are secret until the results, so you see how many have ${phase === "voting" ? "voted" : "answered"}, but not who.</p>`}
    <ul class="people">${found.slice(0, 200).map((each) => html`<li key=${each.playerId} class=${each.isDone && isAsking ? "is-done" : ""}>
      <button type="button" class="person" aria-expanded=${edited === each.playerId} onClick=${() => edit(edited === each.playerId ? "" : each.playerId)}><span class="person-mark" aria-hidden="true"></span><span class="person-name">${each.name}</span>${each.team && html`<span class="quiet">${each.team}</span>`}${each.isDone && isAsking && html`<span class="sr-only">${phase === "voting" ? "has voted" : "has answered"}</span>`}</button>
      ${edited === each.playerId && html`<form class="person-form" onSubmit=${(event) => { event.preventDefault(); edit(""); void actions.post(`players/${each.playerId}`, Object.fromEntries(/** @type {any} */ (new FormData(event.target)))); }}>
        <label class="label" for="p-name">Name</label><input class="input" id="p-name" name="name" value=${each.name} maxlength="24" required/>
        ${view.teams.length > 0 && html`<label class="label" for="p-team">Team</label><select class="input" id="p-team" name="team">${view.teams.map((team) => html`<option key=${team} selected=${team === each.team}>${team}</option>`)}</select>`}
        <div class="actions"><button class="button button-quiet button-small">Save</button><button type="button" class="button button-plain button-small is-danger" onClick=${() => actions.remove(each)}>Remove</button></div>
      </form>`}
    </li>`)}</ul>
  </section>`;
}

/** @param {Props} props */
export function RoomSettings({ game, actions }) {
  const view = game.view.value, { categories } = view.host;
  if (view.phase === "ended") return null;
  const active = categories.filter((each) => each.isActive).map((each) => each.name);
  /** @param {string} name */
  const toggle = (name) => actions.post("categories", (active.includes(name) ? active.filter((each) => each !== name) : [...active, name]).map((each) => ["category", each]));
  return html`<section class="console-part"><h2>Room</h2>
    <label class="check"><input type="checkbox" checked=${view.isLocked} onChange=${(/** @type {{target: HTMLInputElement}} */ event) => actions.post("room", { is_locked: event.target.checked ? "on" : "" })}/><span>Lock the room <span class="quiet">nobody else can join</span></span></label>
    ${categories.length > 1 && !view.survey && html`<fieldset><legend class="label">Next questions from</legend>${categories.map((each) => html`<label key=${each.name} class="check"><input type="checkbox" checked=${each.isActive} disabled=${each.isActive && active.length === 1} onChange=${() => toggle(each.name)}/><span>${each.name || "No category"} <span class="quiet">${each.left} left</span></span></label>`)}</fieldset>`}
  </section>`;
}

/** The question before something that cannot be undone. @param {{actions: import("./actions.js").Actions}} props */
export function AskDialog({ actions }) {
  const question = actions.asked.value;
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => { if (question) dialog.current?.showModal(); }, [question]);
  if (!question) return null;
  const close = () => { actions.asked.value = null; };
  return html`<dialog class="dialog" ref=${dialog} aria-labelledby="ask-title" onClose=${close}><section class="confirm"><h2 id="ask-title">${question.title}</h2>${question.text && html`<p>${question.text}</p>`}<div class="actions"><button type="button" class=${`button button-${question.isDanger ? "danger" : "primary"}`} onClick=${() => { close(); question.act(); }}>${question.button}</button><button type="button" class="button button-plain" onClick=${close}>Cancel</button></div></section></dialog>`;
}
