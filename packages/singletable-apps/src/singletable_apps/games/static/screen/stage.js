// The stages of the big screen before a result: lobby, question, answers and voting.
import { html, useEffect, useState } from "../../shared/vendor/islands.js";
import { count, progressOf, spaced, useCountdown } from "../live.js";
import { letterOf, numeral, percent, summarize } from "../results.js";

/** Long texts are set smaller, so that everything fits. @param {string} text */
export function sizeOf(text) {
  const length = text.length;
  return length <= 34 ? "is-xl" : length <= 72 ? "is-l" : length <= 130 ? "is-m" : length <= 210 ? "is-s" : "is-xs";
}

/** A place where one of several pages is shown, each for some seconds.
 * @param {number} pages @param {number} seconds */
export function usePages(pages, seconds) {
  const [page, turn] = useState(0);
  useEffect(() => {
    if (pages < 2) return undefined;
    const timer = setInterval(() => turn((now) => now + 1), seconds * 1000);
    return () => clearInterval(timer);
  }, [pages]);
  return pages ? page % pages : 0;
}

/** @param {{page: number, of: number}} props */
export const Dots = ({ page, of }) => of > 1 && of < 16 && html`<p class="dots" aria-hidden="true">${Array.from({ length: of }, (_, at) => html`<i key=${at} class=${at === page ? "is-on" : ""}></i>`)}</p>`;

/** The seconds as a ring. @param {{game: import("../live.js").Game}} props */
export function Ring({ game }) {
  const time = useCountdown(game);
  if (!time) return null;
  const whole = Math.ceil(time.left);
  return html`<div class=${`ring${whole <= 5 ? " is-short" : whole >= 100 ? " is-long" : ""}`} role="timer" aria-label=${`${whole} seconds left`}>
    <svg viewBox="0 0 100 100" aria-hidden="true"><circle class="ring-track" cx="50" cy="50" r="44"/><circle class="ring-left" cx="50" cy="50" r="44" pathLength="100" stroke-dasharray="100" stroke-dashoffset=${(100 - time.share * 100).toFixed(2)}/></svg>
    <b key=${whole <= 5 ? whole : "calm"}>${whole}</b>
  </div>`;
}

/** A shape and a color for a name, always the same. @param {string} name */
function shapeOf(name) {
  const hash = [...name].reduce((sum, each) => Math.imul(sum ^ (each.codePointAt(0) ?? 0), 16777619), 2166136261);
  return `answer-${"abcdefgh"[(hash ^ (hash >>> 13)) & 7]}`;
}

/** @param {{names: string[], more?: number}} props */
const Names = ({ names, more = 0 }) => html`<ul class=${`names${names.length <= 12 ? " is-few" : ""}`} aria-label="Players who joined last">${names.map((name) => html`<li key=${name} class=${`name ${shapeOf(name)}`}><span class="answer-shape" aria-hidden="true"></span><span>${name}</span></li>`)}${more > 0 && names.length > 0 ? html`<li key=" more" class="name is-more">and ${more.toLocaleString("en")} more</li>` : null}</ul>`;

/** @param {{game: import("../live.js").Game, qr: string, url: string, warning: string}} props */
export function Lobby({ game, qr, url, warning }) {
  const view = game.view.value, { names, teams } = game.joined.value;
  const players = Math.max(game.joined.value.count, view.playerCount);
  return html`<section class="stage lobby">
    <div class="lobby-join">
      <div class="lobby-words">
        <h1 class=${sizeOf(view.title)}>${view.title}</h1>
        <p class="lobby-how">Join on your phone at <b>${url}</b></p>
        <p class="lobby-code" aria-label=${`Game code ${view.joinCode}`}>${spaced(view.joinCode)}</p>
        ${view.isPrivate && html`<p class="lobby-private">Private game: the host tells you one more code.</p>`}
        ${warning && html`<p class="lobby-private">${warning}</p>`}
      </div>
      <figure class="lobby-qr"><div class="qr" dangerouslySetInnerHTML=${{ __html: qr }}></div><figcaption>Scan to join</figcaption></figure>
    </div>
    <div class="lobby-people">
      <p class="lobby-count">${view.isLocked ? html`<b>${players}</b> ${players === 1 ? "player" : "players"}. The room is locked.` : players ? html`<b key=${players}>${players.toLocaleString("en")}</b> ${players === 1 ? "player is" : "players are"} in` : "Waiting for the first player"}</p>
      ${view.teams.length ? html`<div class="lobby-teams">${view.teams.map((team, place) => html`<section key=${team} class=${`answer-${"abcdefgh"[place % 8]}`}><h2>${team}</h2><${Names} names=${names.filter((_, at) => teams[at] === team)}/></section>`)}</div>` : html`<${Names} names=${names} more=${players - names.length}/>`}
    </div>
  </section>`;
}

/** @param {{game: import("../live.js").Game}} props */
export function Reading({ game }) {
  const { question } = game.view.value;
  const time = useCountdown(game);
  return html`<section class="stage reading">
    ${question.category && html`<p class="eyebrow-big">${question.category}</p>`}
    <h1 class=${sizeOf(question.title)}>${question.title}</h1>
    ${question.detail && html`<p class="detail">${question.detail}</p>`}
    ${question.image && html`<img class="picture" src=${question.image} alt=""/>`}
    ${time && html`<span class="fuse" style=${{ "--share": time.share.toFixed(3) }}></span>`}
  </section>`;
}

/** The question above answers or results. After the answers, what was asked is more than the story behind it.
 * @param {{game: import("../live.js").Game, isOver?: boolean, children?: any}} props */
export function Asked({ game, isOver, children }) {
  const { question } = game.view.value, text = (isOver && question.type === "call-and-answer" && question.instruction) || question.detail;
  return html`<header class="asked">
    <div class="asked-words"><h1 class=${sizeOf(question.title)}>${question.title}</h1>${text && html`<p class="detail">${text}</p>`}</div>
    ${children}
  </header>`;
}

/** A picture beside the answers, as large as the screen allows. @param {{question: any, children: any}} props */
export const Pictured = ({ question, children }) => (question.image ? html`<div class="pictured"><img class="picture" src=${question.image} alt=""/><div class="pictured-side">${children}</div></div>` : children);

/** Options as tiles. With a tally they are bars; `correct` marks the solution.
 * @param {{question: any, tally?: Record<string, number>, correct?: string[], answers?: number}} props */
export function Options({ question, tally, correct, answers }) {
  const options = question.options ?? [];
  const { rows } = summarize(question, tally ?? {}, answers);
  const rowOf = Object.fromEntries(rows.map((each) => [each.id, each]));
  const most = Math.max(...rows.map((each) => each.votes)), longest = Math.max(...options.map((each) => each.text.length));
  return html`<ul class=${`options of-${options.length}${longest <= 22 ? " is-short" : longest > 60 ? " is-long" : ""}${options.some((each) => each.image) ? " has-images" : ""}${tally ? " has-tally" : ""}${tally && !question.isQuiz ? " is-poll" : ""}`}>${options.map((option) => {
    const row = rowOf[option.id], isRight = correct?.includes(option.id);
    const tone = correct ? (isRight ? " is-right" : " is-wrong") : tally && most > 0 && row.votes === most ? " is-most" : "";
    return html`<li key=${option.id} class=${`option answer-tile answer-${option.id}${tone}`} style=${tally ? { "--share": row.share.toFixed(3) } : {}}>
      ${tally && html`<span class="option-bar"></span>`}
      <span class="option-mark"><span class="answer-shape" aria-hidden="true"></span>${letterOf(option.id) && html`<span class="option-letter">${letterOf(option.id)}</span>`}</span>
      ${option.image && html`<img src=${option.image} alt=${option.text ? "" : `Picture ${option.id.toUpperCase()}`}/>`}
      <span class="option-text">${option.text}</span>
      ${isRight && html`<span class="option-right"><span class="sr-only">Correct</span></span>`}
      ${tally && html`<span class="option-votes"><b>${row.votes}</b> <small>${percent(row.share)}</small></span>`}
    </li>`;
  })}</ul>`;
}

/** Columns of numbers. @param {{question: any, tally: Record<string, number>, correct?: string[], children?: any}} props */
export function Rating({ question, tally, correct = [], children }) {
  const { rows, mean, total } = summarize(question, tally);
  return html`<div class=${`rating${total ? "" : " is-empty"}${rows.length > 12 ? " is-dense" : ""}`}>
    <ol class="columns-chart">${rows.map((row) => html`<li key=${row.id} class=${correct.includes(row.id) ? "is-right" : ""} style=${{ "--share": row.size.toFixed(3) }}><span class="column-votes">${row.votes || ""}</span><span class="column"></span><span class="column-step">${numeral(Number(row.id))}${question.scale === "stars" ? " ★" : ""}</span></li>`)}</ol>
    <p class="rating-ends"><span>${question.lowLabel}</span><span>${question.highLabel}</span></p>
    ${mean !== null && html`<p class="rating-mean"><b>${mean.toFixed(1)}</b><span>on average</span></p>`}${children}
  </div>`;
}

/** The ends between which the answer to a slider is. @param {{question: any}} props */
const Ruler = ({ question }) => html`<div class="ruler"><p class="ruler-line" aria-hidden="true"></p><p class="ruler-ends"><span><b>${numeral(question.low)}</b>${question.lowLabel}</span><span><b>${numeral(question.high)}</b>${question.highLabel}</span></p></div>`;

/** @param {{game: import("../live.js").Game}} props */
export function Open({ game }) {
  const view = game.view.value, { question } = view;
  const live = game.tally.value?.questionId === view.questionId ? game.tally.value.tally : undefined;
  return html`<section class="stage open">
    <${Asked} game=${game}><${Ring} game=${game}/></${Asked}>
    <${Pictured} question=${question}>${question.type === "slider" ? html`<${Ruler} question=${question}/>` : question.type === "rating" ? html`<${Rating} question=${question} tally=${live ?? {}}/>`
      : question.options?.length ? html`<${Options} question=${question} tally=${question.type === "rank" ? undefined : live}/>`
      : html`<${Slips} game=${game} text=${question.instruction || `${question.isQuiz ? "Type" : "Write"} your answer on your phone`}/>`}</${Pictured}>
    <${Progress} game=${game} verb="answered" hint=${hintOf(question)}/>
  </section>`;
}

/** @param {any} question */
function hintOf(question) {
  if (question.type === "order") return "Put them in order on your phone: points for each one in its right place";
  if (question.type === "slider") return "The closer, the more points";
  if (question.type === "rank") return "Put them in order on your phone";
  if (!(question.selections > 1)) return "Answer on your phone";
  return question.type === "trivia" ? "Choose all that are correct" : `Choose up to ${question.selections}`;
}

/** A slip of paper for each text that has come in; nobody sees what is on it yet. */
function Slips({ game, text }) {
  const done = progressOf(game)?.done ?? 0;
  return html`<div class="prompt"><p class=${`prompt-how ${sizeOf(text)}`}>${text}</p><ul class="slips" aria-hidden="true">${Array.from({ length: Math.min(done, 90) }, (_, at) => html`<li key=${at} class="slip"></li>`)}</ul></div>`;
}

/** @param {{game: import("../live.js").Game, verb: string, hint: string}} props */
export function Progress({ game, verb, hint }) {
  const done = progressOf(game)?.of ? progressOf(game) : null;
  return html`<p class="progress"><span>${hint}</span>${done && html`<span class="progress-count"><b key=${done.done}>${done.done.toLocaleString("en")}</b> of ${done.of.toLocaleString("en")} ${verb}</span>`}${done && html`<span class="progress-bar" style=${{ "--share": done.of ? (done.done / done.of).toFixed(3) : 0 }}></span>`}</p>`;
}

/** The host decides which texts others see. @param {{game: import("../live.js").Game}} props */
export const Checking = ({ game }) => html`<section class="stage">
    <${Asked} game=${game} isOver/>
    <div class="prompt"><p class="prompt-how">Time is up. The host is reading your answers.</p></div>
  </section>`;

/** @param {{game: import("../live.js").Game}} props */
export function Voting({ game }) {
  const view = game.view.value, ballot = view.ballot ?? [];
  const longest = Math.max(0, ...ballot.map((each) => each.text.length));
  const each = longest > 160 ? 4 : longest > 70 ? 6 : 9;
  const pages = Math.ceil(ballot.length / each), page = usePages(pages, 7);
  const shown = ballot.slice(page * each, (page + 1) * each);
  return html`<section class="stage">
    <${Asked} game=${game} isOver><${Ring} game=${game}/></${Asked}>
    <ul class=${`cards of-${each}`} key=${page}>${shown.map((answer) => html`<li key=${answer.id} class="card"><span class=${sizeOf(answer.text)}>${answer.text}</span></li>`)}</ul>
    <${Dots} page=${page} of=${pages}/>
    <${Progress} game=${game} verb="voted" hint="Rank the answers on your phone"/>
  </section>`;
}

/** @param {{game: import("../live.js").Game}} props */
export function Survey({ game }) {
  const { survey, title } = game.view.value;
  const done = progressOf(game);
  return html`<section class="stage reading">
    <p class="eyebrow-big">Survey</p>
    <h1 class=${sizeOf(title)}>${title}</h1>
    <p class="detail">${count(survey.questions.length, "question")} on your phone. Take your time.</p>
    ${done && done.of > 0 && html`<p class="survey-count"><b key=${done.done}>${done.done}</b> of ${count(done.of, "player")} have begun</p>`}
  </section>`;
}
