// Results on the big screen, by the type of the question.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../../shared/vendor/islands.js";
import { calm, count } from "../live.js";
import { numeral, summarize } from "../results.js";
import { Asked, Dots, Options, Pictured, Rating, sizeOf, usePages } from "./stage.js";

/** Count up to `last`, a step each `wait` milliseconds; at once if nobody saw the phase begin.
 * @param {number} last @param {number} wait @param {boolean} isFresh */
function useSteps(last, wait, isFresh) {
  const [step, go] = useState(isFresh && !calm.matches ? 0 : last);
  useEffect(() => {
    if (step >= last) return undefined;
    const timer = setTimeout(() => go(step + 1), wait);
    return () => clearTimeout(timer);
  }, [step, last]);
  return Math.min(step, last);
}

/** @param {{question: any, reveal: any, isFresh: boolean}} props */
export function Result({ question, reveal, isFresh }) {
  if (reveal.isVoid) return html`<div class="prompt"><p class="prompt-how">This question was skipped.</p></div>`;
  switch (question.type) {
    case "trivia": return html`<${Solved} question=${question} reveal=${reveal} isFresh=${isFresh}/>`;
    case "rating": return html`<${Rating} question=${question} tally=${reveal.tally}/>`;
    case "rank": return html`<${Order} question=${question} reveal=${reveal}/>`;
    case "order": return html`<${Pictured} question=${question}><${Order} question=${question} reveal=${reveal}/></${Pictured}><${Aftermath} reveal=${reveal}/>`;
    case "slider": return html`<${Pictured} question=${question}><${Rating} question=${question} tally=${reveal.tally} correct=${reveal.correct}><p class=${`rating-mean${reveal.target > 9999 ? " is-long" : ""}`}><b>${numeral(reveal.target)}</b><span>${reveal.tolerance ? `±${numeral(reveal.tolerance)} is right` : "is right"}</span></p></${Rating}></${Pictured}><${Aftermath} reveal=${reveal}/>`;
    case "typed": return html`<${Pictured} question=${question}><p class=${`solution ${sizeOf(reveal.accepted.slice(0, 4).join(" · "))}`}>${reveal.accepted.slice(0, 4).join(" · ")}</p><${Cloud} words=${reveal.texts.slice(0, 24).map((each) => [each.text, each.count, each.isCorrect])}/></${Pictured}><${Aftermath} reveal=${reveal}/>`;
    case "call-and-answer": return html`<${Winners} texts=${reveal.texts ?? []} votes=${reveal.votes} isFresh=${isFresh}/>`;
    case "text": return html`<${Texts} texts=${reveal.texts ?? []} words=${reveal.words ?? []} answers=${reveal.answers}/>`;
    default: return html`<${Pictured} question=${question}><${Options} question=${question} tally=${reveal.tally} answers=${reveal.answers}/></${Pictured}>`;
  }
}

/** First the bars, then the solution. */
function Solved({ question, reveal, isFresh }) {
  const step = useSteps(1, 1300, isFresh);
  return html`<${Pictured} question=${question}><${Options} question=${question} tally=${reveal.tally} correct=${step ? reveal.correct : undefined} answers=${reveal.answers}/></${Pictured}><${Aftermath} reveal=${reveal} step=${step}/>`;
}

/** Why it is so, and who got the most points. @param {{reveal: any, step?: number}} props */
function Aftermath({ reveal, step = 1 }) {
  const { fastest = [] } = reveal;
  return html`${reveal.explanation && html`<p class=${`aftermath explanation-whole${step ? "" : " is-waiting"}${reveal.explanation.length > 700 ? " is-longest" : reveal.explanation.length > 240 ? " is-long" : ""}`}>${reveal.explanation}</p>`}
    <p class=${`aftermath${step ? "" : " is-waiting"}`}>${fastest.length > 0 && html`<span class="fastest">Most points: ${fastest.map((each, at) => html`<b key=${at}>${each.name} <small>+${each.points.toLocaleString("en")}</small></b>`)}</span>`}</p>`;
}

/** A common ranking, or the right order with how many had each option in its place. */
function Order({ question, reveal }) {
  const isQuiz = question.type === "order", { rows, total } = summarize(question, reveal.tally, isQuiz ? reveal.answers : 0, reveal.correct);
  return html`<ol class="order">${rows.map((row, place) => html`<li key=${row.id} class=${`answer-${row.id}`} style=${{ "--share": (isQuiz ? row.share : row.size).toFixed(3) }}>
    <span class="order-place">${place + 1}</span><span class="order-words"><span class="order-text"><span class="answer-shape" aria-hidden="true"></span>${row.text}</span><span class="order-bar"></span></span><span class="order-note">${isQuiz ? `${row.votes} of ${total} right` : row.note}</span>
  </li>`)}</ol>${!isQuiz && html`<p class="aftermath"><span class="explanation">${count(total, "order")}</span></p>`}`;
}

/** The best answers, from the third place to the winner, with their authors; then all others. */
function Winners({ texts, votes, isFresh }) {
  const best = texts.slice(0, 3), others = texts.slice(3);
  const step = useSteps(best.length, 1500, isFresh);
  const each = 6, pages = Math.ceil(others.length / each), page = usePages(pages, 7);
  if (!texts.length) return html`<div class="prompt"><p class="prompt-how">Nobody has answered.</p></div>`;
  return html`<ol class=${`winners of-${best.length}`}>${best.map((answer, place) => {
    const isShown = best.length - place <= step;
    return html`<li key=${answer.id} class=${`winner${isShown ? " is-shown" : ""}${answer.isWinner ? " is-first" : ""}`} aria-hidden=${isShown ? undefined : "true"}>
      <span class="winner-place">${1 + texts.filter((other) => other.points > answer.points).length}</span>
      <span class=${`winner-text ${sizeOf(answer.text)}`}>${isShown ? answer.text : "…"}</span>
      <span class="winner-end"><b class="winner-names">${isShown ? answer.names.join(", ") : ""}</b><span class="winner-points">${isShown ? `${answer.points.toLocaleString("en")} ${answer.points === 1 ? "point" : "points"}` : ""}</span></span>
    </li>`;
  })}</ol>
  ${others.length > 0 && step >= best.length && html`<ul class="others" key=${page}>${others.slice(page * each, (page + 1) * each).map((answer) => html`<li key=${answer.id}><span>${answer.text}</span><b>${answer.names.join(", ")}</b><small>${answer.points}</small></li>`)}</ul><${Dots} page=${page} of=${pages}/>`}
  ${votes > 0 && html`<p class="aftermath"><span class="explanation">${count(votes, "vote")}</span></p>`}`;
}

/** Words or short answers, larger the more people have written them, and as large as fits.
 * @param {{words: [string, number, boolean?][]}} props */
function Cloud({ words }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null)), most = Math.max(...words.map((each) => each[1]));
  useLayoutEffect(() => {
    const { current } = list;
    if (!current) return;
    const isCut = () => [.../** @type {NodeListOf<HTMLElement>} */ (current.querySelectorAll("li"))].some((each) => each.offsetTop + each.offsetHeight > current.offsetTop + current.offsetHeight);
    for (let fit = 1; fit === 1 || (fit > .2 && isCut()); fit *= .94) current.style.setProperty("--fit", `${fit}`);
  }, [words.join()]);
  return html`<ul class="cloud" ref=${list}>${words.map(([word, number, isRight], at) => html`<li key=${word} class=${isRight === undefined ? `answer-${"abcdefgh"[at % 8]}` : isRight ? "is-right" : "is-wrong"} style=${{ "--share": (number / most).toFixed(3) }}>${word}${number > 1 && html`<small>${number}</small>`}</li>`)}</ul>`;
}

function Texts({ texts, words, answers }) {
  const longest = Math.max(0, ...texts.map((each) => each.text.length));
  const isCloud = longest <= 24;
  const each = isCloud ? 40 : longest > 160 ? 4 : longest > 70 ? 6 : 9;
  // What many have in common comes before what each has written.
  const first = !isCloud && words.length > 4 ? 1 : 0, pages = first + Math.ceil(texts.length / each), page = usePages(pages, 7), at = (page - first) * each;
  if (!texts.length) return html`<div class="prompt"><p class="prompt-how">${answers ? `${count(answers, "answer")}. The host has not shown them.` : "Nobody has answered."}</p></div>`;
  if (isCloud || at < 0) return html`<${Cloud} key=${page} words=${isCloud ? texts.slice(at, at + each).map((answer) => [answer.text, answer.count]) : words}/><${Dots} page=${page} of=${pages}/>`;
  return html`<ul class=${`cards of-${each}`} key=${page}>${texts.slice(at, at + each).map((answer) => html`<li key=${answer.id} class="card"><span class=${sizeOf(answer.text)}>${answer.text}</span>${answer.count > 1 && html`<b class="card-count">×${answer.count}</b>`}</li>`)}</ul><${Dots} page=${page} of=${pages}/>`;
}

/** @param {{game: import("../live.js").Game, isFresh: boolean}} props */
export function Reveal({ game, isFresh }) {
  const { question, reveal } = game.view.value;
  if (!question || !reveal) return null;
  return html`<section class="stage reveal">
    <${Asked} game=${game} isOver>${!reveal.isVoid && html`<p class="asked-count"><b>${reveal.answers.toLocaleString("en")}</b> ${reveal.answers === 1 ? "answer" : "answers"}</p>`}</${Asked}>
    <${Result} question=${question} reveal=${reveal} isFresh=${isFresh}/>
    ${reveal.summary && html`<p class="summary-line">${reveal.summary}</p>`}
  </section>`;
}

/** The shared results of a survey, one after the other. @param {{game: import("../live.js").Game}} props */
export function SurveyResults({ game }) {
  const { survey, title } = game.view.value;
  const shared = survey.results.filter((each) => each.isShared);
  const page = usePages(shared.length, 12);
  if (!shared.length) return html`<section class="stage reading"><p class="eyebrow-big">${title}</p><h1 class="is-xl">Thank you</h1><p class="detail">Your answers are in.</p></section>`;
  const result = shared[page];
  const question = survey.questions.find((each) => each.questionId === result.questionId);
  return html`<section class="stage reveal">
    <header class="asked"><div class="asked-words"><h1 class=${sizeOf(question.title)}>${question.title}</h1></div><p class="asked-count"><b>${result.answers}</b> ${result.answers === 1 ? "answer" : "answers"}</p></header>
    ${result.isHidden ? html`<div class="prompt"><p class="prompt-how">Too few answers to show without telling who said what.</p></div>` : html`<${Result} question=${question} reveal=${{ ...result, votes: 0 }} isFresh=${false}/>`}
    <${Dots} page=${page} of=${shared.length}/>
  </section>`;
}
