// Results: what others answered, what one got for it, and where one stands.
import { html } from "../../shared/vendor/islands.js";
import { numeral, summarize } from "../results.js";
import { Icon, describe, format, ordinal, plural } from "./text.js";

/** Counts as bars. @param {{ question: any, tally: Record<string, number>, answers: number, own?: string[], correct?: string[] }} props */
export function Bars({ question, tally, answers, own = [], correct = [] }) {
  const { rows, mean } = summarize(question, tally, answers, correct);
  const isRank = question.type === "rank", isOrder = question.type === "order", isSlider = question.type === "slider", isNumber = Boolean(question.bars);
  const hasShapes = !isNumber && !isRank && !isOrder;
  // Most numbers of a slider are chosen by nobody.
  const shown = isSlider ? rows.filter((row) => row.votes || correct.includes(row.id)) : rows;
  return html`${mean !== null && html`<p class="mean"><strong>${mean.toFixed(1)}</strong><span>on average, ${plural(answers, "answer")}</span></p>`}
  ${(isRank || isOrder) && html`<p class="quiet">${isRank ? "Average place of each" : "The right order, and how many had each in its place"}</p>`}
  <ol class=${`bars ${isNumber ? "is-dense" : ""}`}>
    ${shown.map((row, at) => html`<li key=${row.id} class=${`bar ${hasShapes ? `answer-${row.id}` : ""} ${own.includes(row.id) && !isRank ? "is-own" : ""} ${correct.length && !isOrder ? (correct.includes(row.id) ? "is-correct" : isSlider ? "" : "is-wrong") : ""}`}>
      <span class="bar-words"><span class="bar-text">${hasShapes && html`<span class="answer-shape" aria-hidden="true"></span>`}${isOrder && `${at + 1}. `}${row.text || row.id.toUpperCase()}</span>
        ${correct.includes(row.id) && !isOrder && html`<span class="bar-mark">${!isSlider && html`<${Icon} name="check" />`}${isSlider ? "True value" : "Correct"}</span>`}${own.includes(row.id) && !isRank && html`<span class="bar-mark">${isOrder && html`<${Icon} name="check" />`}${isOrder ? "You, too" : "Yours"}</span>`}</span>
      <span class="bar-count">${isRank ? row.place.toFixed(1) : row.votes}${!isRank && answers > 0 && html`<small> ${Math.round(100 * row.share)}%</small>`}</span>
      ${!isRank && html`<span class="bar-track" aria-hidden="true"><span class="bar-fill" style=${{ width: `${100 * row.share}%` }}></span></span>`}
    </li>`)}
  </ol>`;
}

/** Texts that people wrote: with authors and points after a vote, or with what is right. @param {{ texts: any[], name?: string }} props */
export const Texts = ({ texts, name }) => html`<ol class="texts">
  ${texts.map((text) => html`<li key=${text.id} class=${`text ${text.isWinner || text.isCorrect ? "is-winner" : ""} ${name && text.names?.includes(name) ? "is-own" : ""}`}>
    <p>${text.text}</p>
    <p class="text-meta">${text.names ? html`<strong>${text.names.join(", ")}</strong> · ${plural(text.points, "point")}${text.isWinner ? " · best" : ""}` : [text.isCorrect && "Correct", text.count > 1 && `${text.count} times`].filter(Boolean).join(" · ")}</p>
  </li>`)}
  ${!texts.length && html`<li class="quiet">Nobody answered.</li>`}
</ol>`;

/** Whether a place says something: not if nobody has points yet. @param {any} me */
const isPlaced = (me) => me?.place !== undefined && (me.total > 0 || me.place > 1);

/** The result of a question. @param {{ view: any, me: any, isAudience: boolean, late: any }} props */
export function Reveal({ view, me, isAudience, late }) {
  const { question, reveal } = view;
  const answer = me?.answers?.[view.questionId];
  const isRanked = question.type === "call-and-answer";
  return html`<section class="reveal">
    <${Verdict} ...${{ question, reveal, me, answer, isAudience, late, version: view.version }} />
    ${(question.isQuiz || isRanked) && isPlaced(me) && !reveal.isVoid && html`<p class="stand"><span>${ordinal(me.place)} of ${me.of}</span><span>${plural(me.total, "point")}</span></p>`}
    <h2 class="reveal-title">${question.title}</h2>${isRanked && question.instruction && html`<p class="quiet">${question.instruction}</p>`}
    ${reveal.target !== undefined && html`<p class="solution">${numeral(reveal.target)}${reveal.tolerance > 0 && html`<small>±${numeral(reveal.tolerance)} is right</small>`}</p>`}${reveal.accepted && html`<p class="solution">${reveal.accepted.join(", ")}</p>`}
    ${(isRanked || question.isQuiz) && answer?.text && !reveal.texts?.some((/** @type {any} */ text) => text.names?.includes(me.name)) && html`<blockquote class="own-answer">${answer.text}</blockquote>`}
    ${!reveal.isVoid && (reveal.texts ? html`<${Texts} texts=${reveal.texts} name=${me?.name} />` : html`<${Bars} question=${question} tally=${reveal.tally} answers=${reveal.answers} own=${me?.own} correct=${reveal.correct} />`)}
    ${["rank", "order", "slider"].includes(question.type) && answer && html`<p class="quiet">Yours: ${describe(question, answer)}</p>`}
    ${reveal.explanation && html`<p class="explanation">${reveal.explanation}</p>`}
    ${reveal.summary && html`<p class="explanation">${reveal.summary}</p>`}
  </section>`;
}

/** @param {{ question: any, reveal: any, me: any, answer: any, version: number, isAudience: boolean, late: any }} props */
function Verdict({ question, reveal, me, answer, version, isAudience, late }) {
  if (reveal.isVoid) return html`<div class="verdict"><h1 tabindex="-1">Skipped</h1><p class="verdict-text">This question does not count.</p></div>`;
  const { isQuiz } = question;
  // What concerns only this player comes a moment after what everybody sees.
  if (me && me.version < version) return html`<div class="verdict"><h1 tabindex="-1">…</h1></div>`;
  if (isAudience || !me || (!isQuiz && question.type !== "call-and-answer")) return html`<div class="verdict is-plain"><h1 tabindex="-1">Results</h1><p class="verdict-text">${plural(reveal.answers, "answer")}</p></div>`;
  const tone = me.isCorrect || me.gained ? "is-good" : isQuiz ? "is-bad" : "is-plain";
  const words = late && !me.isCounted ? "Too late" : !answer ? "No answer" : !isQuiz ? (me.gained ? "Your answer scored" : "Results") : me.isCorrect ? "Correct" : me.gained ? "Partly right" : "Not this time";
  return html`<div class=${`verdict ${tone}`}>
    <h1 tabindex="-1">${words}</h1>
    ${words === "Too late" && html`<p class="verdict-text">The question closed before you sent this, so it does not count: ${describe(question, late)}</p>`}
    ${me.gained !== undefined && html`<p class="verdict-points">+${format(me.gained)}</p>`}
    ${(me.streak ?? 0) > 1 && html`<p class="verdict-text">${me.streak} in a row</p>`}
  </div>`;
}

/** Places won or lost since the last round. @param {{ by: number | null | undefined }} props */
const Movement = ({ by }) => (by ? html`<span class=${`move ${by > 0 ? "is-up" : "is-down"}`}><span aria-hidden="true">${by > 0 ? "▲" : "▼"}${Math.abs(by)}</span><span class="sr-only">${by > 0 ? "up" : "down"} ${plural(Math.abs(by), "place")}</span></span>` : null);

/** The first places, and the teams. @param {{ board: any, me: any }} props */
export function Board({ board, me }) {
  if (!board?.top.length) return null;
  const isListed = !me || me.place === undefined || board.top.some((/** @type {any} */ row) => row.playerId === me.playerId);
  const row = (/** @type {any} */ each, /** @type {boolean} */ isOwn) => html`<li key=${each.playerId ?? each.name} class=${`board-row ${isOwn ? "is-own" : ""}`}>
    <span class="board-place">${each.place}</span><span class="board-name">${each.name}${each.team && html` <small>${each.team}</small>`}</span><${Movement} by=${each.movement} /><span class="board-points">${format(each.points)}</span>
  </li>`;
  return html`<ol class="board">${board.top.map((/** @type {any} */ each) => row(each, each.playerId === me?.playerId))}
    ${!isListed && row({ playerId: me.playerId, place: me.place, name: me.name, team: me.team, points: me.total, movement: me.movement }, true)}</ol>
    ${board.teams?.length > 0 && html`<h2 class="stage-heading">Teams</h2><ol class="board">${board.teams.map((/** @type {any} */ team) => row(team, team.name === me?.team))}</ol>`}`;
}

/** Where one stands. @param {{ me: any }} props */
const Standing = ({ me }) => html`<p class="place" aria-hidden="true"><strong>${me.place}</strong><span>${ordinal(me.place).slice(String(me.place).length)} of ${me.of}</span><${Movement} by=${me.movement} /></p>`;

/** @param {{ view: any, me: any }} props */
export function Leaderboard({ view, me }) {
  const has = isPlaced(me);
  return html`<section class="standing">
    <p class="kicker">Leaderboard</p>
    <h1 class=${has ? "sr-only" : ""} tabindex="-1">${has ? `${ordinal(me.place)} of ${me.of}` : "Leaderboard"}</h1>
    ${has && html`<${Standing} me=${me} /><p class="stand"><span>${plural(me.total, "point")}</span>${me.gained ? html`<span>+${format(me.gained)}</span>` : ""}</p>
    <p class="stage-text">${me.above ? `${format(me.above.points)} behind ${me.above.name}` : me.total > 0 && me.of > 1 ? "In the lead" : ""}</p>`}
    ${me && !has && html`<p class="stage-text">No points yet.</p>`}
    <${Board} board=${view.leaderboard} me=${me} />
  </section>`;
}

const PODIUM = ["You won", "Second place", "Third place"];

/** @param {{ view: any, me: any, join: string }} props */
export function Ended({ view, me, join }) {
  const has = isPlaced(me);
  return html`<section class="standing">
    <p class="kicker">${view.title}</p>
    <h1 tabindex="-1">${has ? PODIUM[me.place - 1] ?? "Well played" : "Thank you for playing"}</h1>
    ${has && html`<${Standing} me=${me} /><p class="sr-only">${ordinal(me.place)} of ${me.of}</p><p class="stand"><span>${plural(me.total, "point")}</span></p>`}
    <${Board} board=${view.leaderboard} me=${me} />
    <p class="stage-note">If the host plays again, you come along: keep this page open.</p>
    <p class="phone-actions"><a class="small-button" href=${join}>Join another game</a></p>
  </section>`;
}
