// A survey at one's own pace: one question at a time, saved at once, with a review at the end.
import { html, useEffect, useState } from "../../shared/vendor/islands.js";
import { Answer, Ask } from "./answers.js";
import { Bars } from "./results.js";
import { Icon, describe, plural } from "./text.js";

/** @param {{ view: any, me: any, ask: (question: any, questionId: string, more: object) => any, answerOf: (questionId: string) => any, state: (questionId: string) => any, waiting: number }} props */
export function Survey({ view, me, ask, answerOf, state, waiting }) {
  const questions = view.survey.questions, isOpen = view.phase === "open";
  const first = questions.findIndex((/** @type {any} */ each) => !me.answers[each.questionId]);
  const [step, go] = useState(first < 0 ? questions.length : first);
  useEffect(() => {
    scrollTo(0, 0);
    /** @type {HTMLElement | null} */ (document.querySelector(".play-main h1"))?.focus({ preventScroll: true });
  }, [step]);
  const question = questions[step];
  if (!question) return html`<${Review} ...${{ questions, answerOf, go, waiting }} />`;
  const isAnswered = Boolean(answerOf(question.questionId));
  return html`<div class="survey" key=${question.questionId}>
    <p class="survey-step"><span>Question ${step + 1} of ${questions.length}</span><progress value=${step} max=${questions.length} aria-hidden="true"></progress></p>
    <${Ask} question=${question} />
    <${Answer} ...${ask(question, question.questionId, { isSurvey: true, isOpen })} />
    <div class="play-foot">
      ${state(question.questionId)}
      <div class="reply-buttons">
        <button type="button" class="big-button is-quiet" disabled=${!step} onClick=${() => go(step - 1)}>Back</button>
        <button type="button" class=${`big-button ${isAnswered ? "" : "is-quiet"}`} onClick=${() => go(step + 1)}>${!isAnswered && question.type !== "text" ? "Skip" : step + 1 < questions.length ? "Next" : "Review"}</button>
      </div>
    </div>
  </div>`;
}

/** @param {{ questions: any[], answerOf: (questionId: string) => any, go: (step: number) => void, waiting: number }} props */
function Review({ questions, answerOf, go, waiting }) {
  const open = questions.filter((each) => !answerOf(each.questionId)).length;
  return html`<section>
    <h1 tabindex="-1">${open ? "Your answers" : "All done"}</h1>
    <p class="stage-text">${waiting ? `${plural(waiting, "answer is", "answers are")} waiting to be sent. Keep this page open.` : open ? `${plural(open, "question is", "questions are")} still open.` : "Everything is saved. You can change your answers until the survey closes."}</p>
    <ol class="review">${questions.map((each, at) => {
      const answer = answerOf(each.questionId);
      return html`<li key=${each.questionId}><button type="button" class="review-row" onClick=${() => go(at)}>
        <span class="review-question">${each.title}</span><span class=${`review-answer ${answer ? "" : "is-open"}`}>${answer ? describe(each, answer) : "No answer yet"}</span><${Icon} name="right" />
      </button></li>`;
    })}</ol>
  </section>`;
}

/** After a survey: the results that the host shares. @param {{ view: any, me: any, join: string }} props */
export function SurveyEnd({ view, me, join }) {
  const shared = view.survey.results.filter((/** @type {any} */ each) => each.isShared);
  const has = me && Object.keys(me.answers).length > 0;
  return html`<section class="standing">
    <p class="kicker">${view.title}</p>
    <h1 tabindex="-1">Thank you</h1>
    <p class="stage-text">${has ? "Your answers are in. The survey is closed." : "The survey is closed."}${!shared.length ? " The host may share results here." : ""}</p>
    ${shared.map((/** @type {any} */ result) => {
      const question = view.survey.questions.find((/** @type {any} */ each) => each.questionId === result.questionId);
      return question && html`<section class="shared" key=${result.questionId}><h2 class="reveal-title">${question.title}</h2>
        ${result.isHidden ? html`<p class="quiet">Too few answers to show.</p>` : Object.keys(result.tally).length ? html`<${Bars} question=${question} tally=${result.tally} answers=${result.answers} own=${own(me?.answers[result.questionId])} />` : html`<p class="quiet">${plural(result.answers, "answer")}</p>`}
      </section>`;
    })}
    <p class="phone-actions"><a class="small-button" href=${join}>Join another game</a></p>
  </section>`;
}

/** @param {any} answer @returns {string[]} */
const own = (answer) => (!answer ? [] : (answer.number ?? null) !== null ? [String(answer.number)] : answer.choices);
