// How one answers: tiles, scales, sliders, orders, texts, and rankings of the answers of others.
import { html, useEffect, useRef, useState } from "../../shared/vendor/islands.js";
import { numeral } from "../results.js";
import { Icon, ordinal } from "./text.js";

/**
 * What every input gets. In a survey each change is saved at once; otherwise some need a button.
 * @typedef {object} Asked
 * @property {any} question
 * @property {{ text?: string, choices?: string[], number?: number | null }} answer   what was answered so far
 * @property {boolean} isOpen            whether answers are accepted
 * @property {boolean} isSaved           whether the answer is confirmed or on its way
 * @property {boolean} [isSurvey]
 * @property {string} draft
 * @property {(text: string) => void} keep      remember a text that was not sent
 * @property {(data: object) => void} submit
 * @property {() => void} tap            a short vibration, if one wants it
 */

/** What is asked. @param {{ question: any, kicker?: string }} props */
export const Ask = ({ question, kicker }) => html`<header class="ask">
  ${kicker && html`<p class="kicker">${kicker}</p>`}
  <h1 tabindex="-1" class=${`ask-title ${question.title.length > 90 ? "is-long" : ""}`}>${question.title}</h1>
  ${question.detail && html`<p class="ask-detail">${question.detail}</p>`}
  ${question.image && html`<img class="ask-image" src=${question.image} alt="" />`}
  ${question.instruction && html`<p class="ask-instruction">${question.instruction}</p>`}
</header>`;

/** The input for a question. @param {Asked} asked */
export function Answer(asked) {
  const kind = { trivia: Tiles, choice: Tiles, "yes-no": Tiles, rating: Scale, slider: Slider, rank: Order, order: Order }[asked.question.type] ?? Text;
  return html`<${kind} ...${asked} />`;
}

/** When time is up, what one has not sent counts, too. @param {boolean} isOpen @param {() => void} send */
function useLastMoment(isOpen, send) {
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current && !isOpen) send();
    wasOpen.current = isOpen;
  }, [isOpen]);
}

/** What is in a tile. @param {{ option: any }} props */
export const OptionLabel = ({ option }) => html`<span class="answer-shape" aria-hidden="true"></span>
  ${option.id.length === 1 && html`<span class="tile-letter">${option.id.toUpperCase()}</span>`}
  ${option.image && html`<img class="tile-image" src=${option.image} alt=${option.text ? "" : `Picture ${option.id.toUpperCase()}`} />`}
  <span class="tile-text">${option.text}</span>`;

/** @param {any[]} options */
export const tilesClass = (options) =>
  `tiles ${options.length > 4 && options.every((each) => each.text.length <= 22 && !/\S{10}/.test(each.text)) ? "is-paired" : ""} ${options.some((each) => each.image) ? "has-images" : ""}`;

/** @param {Asked} asked */
function Tiles({ question, answer, isOpen, isSaved, isSurvey, submit, tap }) {
  const chosen = answer.choices ?? [];
  const most = question.selections ?? 1, several = most > 1;
  const [picked, pick] = useState(chosen);
  useEffect(() => pick(chosen), [chosen.join()]);
  const isFinal = question.isQuiz && isSaved;
  const shown = several ? picked : chosen;
  const changed = [...picked].sort().join() !== [...chosen].sort().join();
  const press = (/** @type {string} */ id) => {
    if (!isOpen || isFinal) return;
    tap();
    if (!several) return submit({ choices: [id] });
    if (!picked.includes(id) && picked.length >= most) return;
    const next = picked.includes(id) ? picked.filter((each) => each !== id) : [...picked, id];
    pick(next);
    if (isSurvey && next.length) submit({ choices: next });
  };
  // On a computer, the letter of an answer chooses it.
  useEffect(() => {
    const keys = (/** @type {KeyboardEvent} */ event) => {
      const option = !event.ctrlKey && !event.metaKey && !event.altKey && question.options.find((/** @type {any} */ each) => each.id === event.key.toLowerCase());
      if (option) press(option.id);
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  });
  const isFull = several && picked.length >= most && most < question.options.length;
  return html`<div class="reply">
    ${several && !isFinal && html`<p class="reply-hint">${question.isQuiz ? "Choose all that are right." : most < question.options.length ? `Choose up to ${most}${isFull ? ". That’s all" : ""}.` : "Choose as many as you like."}</p>`}
    <div class=${`${tilesClass(question.options)} ${shown.length ? "has-chosen" : ""}`} role="group" aria-label="Answers">
      ${question.options.map((/** @type {any} */ option) => html`<button type="button" key=${option.id} class=${`tile answer-${option.id} ${shown.includes(option.id) ? "is-chosen" : ""}`}
        aria-pressed=${String(shown.includes(option.id))} disabled=${!isOpen || (isFinal && !shown.includes(option.id))} onClick=${() => press(option.id)}>
        <${OptionLabel} option=${option} />${shown.includes(option.id) && html`<${Icon} name="check" />`}
      </button>`)}
    </div>
    ${several && !isSurvey && !isFinal && html`<button type="button" class="big-button" disabled=${!isOpen || !picked.length || (isSaved && !changed)} onClick=${() => submit({ choices: picked })}>${isSaved ? "Update" : "Confirm"}</button>`}
  </div>`;
}

/** @param {Asked} asked */
function Scale({ question, answer, isOpen, submit, tap }) {
  const isStars = question.scale === "stars", chosen = answer.number ?? undefined;
  const name = (/** @type {number} */ step) => {
    const end = step === question.steps[0] ? question.lowLabel : step === question.steps.at(-1) ? question.highLabel : "";
    return `${isStars ? `${step} of ${question.steps.length} stars` : step}${end ? `, ${end}` : ""}`;
  };
  return html`<div class="reply">
    <div class=${`scale steps-of-${question.scale}`} role="group" aria-label="Scale">
      ${question.steps.map((/** @type {number} */ step) => html`<button type="button" key=${step} class=${`scale-step ${step === chosen ? "is-chosen" : ""} ${isStars && chosen !== undefined && step <= chosen ? "is-lit" : ""}`}
        aria-pressed=${String(step === chosen)} aria-label=${name(step)} disabled=${!isOpen} onClick=${() => { tap(); submit({ number: step }); }}>
        ${isStars ? html`<svg class="star" viewBox="0 0 24 24" aria-hidden="true"><path d="M12 2.6l2.9 6 6.6.9-4.8 4.6 1.2 6.5-5.9-3.1-5.9 3.1 1.2-6.5L2.5 9.5l6.6-.9z" /></svg>` : step}
      </button>`)}
    </div>
    ${(question.lowLabel || question.highLabel) && html`<p class="scale-labels" aria-hidden="true"><span>${question.lowLabel}</span><span>${question.highLabel}</span></p>`}
  </div>`;
}

/** A number between two ends: by dragging, with the arrow keys, or step by step. @param {Asked} asked */
function Slider({ question, answer, isOpen, isSaved, draft, keep, submit }) {
  const { low, high, step } = question, sent = answer.number ?? undefined;
  const middle = low + step * Math.floor((high - low) / step / 2);
  const [number, set] = useState(sent ?? (draft === "" ? middle : Number(draft)));
  const change = (/** @type {number} */ to) => { set(to); keep(String(to)); };
  const canChange = isOpen && !isSaved;
  useLastMoment(isOpen, () => { if (!isSaved && draft !== "") submit({ number }); });
  return html`<form class="reply" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); submit({ number }); }}>
    <output class="slider-number">${numeral(sent ?? number)}</output>
    <div class="slider">
      <button type="button" class="slider-step" aria-label="Less" disabled=${!canChange || number <= low} onClick=${() => change(number - step)}>−</button>
      <input type="range" aria-label="Your answer" min=${low} max=${high} step=${step} value=${sent ?? number} disabled=${!canChange} onInput=${(/** @type {any} */ event) => change(Number(event.target.value))} />
      <button type="button" class="slider-step" aria-label="More" disabled=${!canChange || number >= high} onClick=${() => change(number + step)}>+</button>
    </div>
    <p class="scale-labels"><span>${numeral(low)} ${question.lowLabel}</span><span>${numeral(high)} ${question.highLabel}</span></p>
    ${!isSaved && html`<p class="reply-hint">The closer, the more points.</p><button type="submit" class="big-button" disabled=${!isOpen}>Send ${numeral(number)}</button>`}
  </form>`;
}

/** Put options into an order: with buttons, by dragging, or with the arrow keys. @param {Asked} asked */
function Order({ question, answer, isOpen, isSaved, isSurvey, submit, tap }) {
  const ids = question.options.map((/** @type {any} */ option) => option.id);
  const known = answer.choices?.length === ids.length ? answer.choices : ids;
  const [order, setOrder] = useState(known);
  useEffect(() => setOrder(known), [known.join()]);
  const list = useRef(/** @type {HTMLElement | null} */ (null)), focus = useRef(/** @type {[string, number] | undefined} */ (undefined));
  const [held, hold] = useState("");
  const dragged = useRef(order);
  useEffect(() => {
    const row = focus.current && list.current?.querySelector(`[data-id="${focus.current[0]}"]`);
    // At the end of the list, the button for the other direction is left.
    const button = row && (row.querySelector(`[data-by="${focus.current[1]}"]:not(:disabled)`) ?? row.querySelector("button:not(:disabled)"));
    /** @type {HTMLElement | undefined} */ (button)?.focus();
    focus.current = undefined;
  });
  const texts = Object.fromEntries(question.options.map((/** @type {any} */ option) => [option.id, option.text]));
  const isFinal = question.isQuiz && isSaved, canMove = isOpen && !isFinal;
  useLastMoment(isOpen, () => { if (question.isQuiz && !isSaved && order.join() !== known.join()) submit({ choices: order }); });
  const save = (/** @type {string[]} */ next) => { if (isSurvey && isSaved) submit({ choices: next }); };
  const move = (/** @type {string} */ id, /** @type {number} */ to) => {
    const next = order.filter((/** @type {string} */ each) => each !== id);
    next.splice(to, 0, id);
    dragged.current = next;
    setOrder(next);
    return next;
  };
  const step = (/** @type {string} */ id, /** @type {number} */ by) => {
    const to = order.indexOf(id) + by;
    if (!canMove || to < 0 || to >= order.length) return;
    tap();
    focus.current = [id, by];
    save(move(id, to));
  };
  const drag = (/** @type {PointerEvent} */ event) => {
    if (!held || !list.current) return;
    const rows = [...list.current.children].map((row) => row.getBoundingClientRect());
    const to = rows.findIndex((box) => event.clientY < box.bottom);
    if (to >= 0 && to !== order.indexOf(held)) move(held, to);
  };
  const drop = () => { if (held) save(dragged.current); hold(""); };
  return html`<div class="reply">
    <ol class="order" ref=${list} onPointerMove=${drag} onPointerUp=${drop} onPointerCancel=${drop}>
      ${order.map((/** @type {string} */ id, /** @type {number} */ at) => html`<li key=${id} data-id=${id} class=${`order-row ${held === id ? "is-held" : ""}`}>
        <span class="order-place" aria-hidden="true">${at + 1}</span>
        <span class="order-grip" aria-hidden="true" onPointerDown=${(/** @type {any} */ event) => { if (canMove) { list.current?.setPointerCapture(event.pointerId); dragged.current = order; hold(id); } }}><${Icon} name="grip" /></span>
        <span class="order-text">${texts[id]}</span>
        <button type="button" class="order-move" data-by="-1" aria-label=${`Move ${texts[id]} up, now ${ordinal(at + 1)}`} disabled=${!canMove || !at} onClick=${() => step(id, -1)}><${Icon} name="up" /></button>
        <button type="button" class="order-move" data-by="1" aria-label=${`Move ${texts[id]} down, now ${ordinal(at + 1)}`} disabled=${!canMove || at === order.length - 1} onClick=${() => step(id, 1)}><${Icon} name="down" /></button>
      </li>`)}
    </ol>
    ${question.isQuiz && !isFinal && html`<p class="reply-hint">Points for each one in its right place.</p>`}
    ${(!isSurvey || !isSaved) && !isFinal && html`<button type="button" class="big-button" disabled=${!isOpen || (isSaved && order.join() === known.join())} onClick=${() => submit({ choices: order })}>${isSaved ? "Update my order" : isSurvey ? "Save this order" : "Send my order"}</button>`}
  </div>`;
}

/** @param {Asked} asked */
function Text({ question, answer, isOpen, isSaved, isSurvey, draft, keep, submit }) {
  const sent = answer.text ?? "";
  const [text, setText] = useState(draft || sent);
  const [isEditing, edit] = useState(!sent);
  const latest = useRef({ text, sent });
  latest.current = { text, sent };
  const send = () => {
    const { text: typed, sent: before } = latest.current;
    if (typed.trim() && typed.trim() !== before.trim()) submit({ text: typed.trim() });
    edit(false);
  };
  // In a survey, what one types is saved after a moment, and when one goes on.
  useEffect(() => {
    if (!isSurvey || !text.trim() || text.trim() === sent.trim()) return;
    const timer = setTimeout(send, 900);
    return () => clearTimeout(timer);
  }, [text]);
  useLastMoment(isOpen, send);
  useEffect(() => () => { if (isSurvey) send(); }, []);
  if (!isEditing && isSaved && !isSurvey) {
    return html`<div class="reply"><blockquote class="own-answer">${sent}</blockquote>
      ${isOpen && !question.isQuiz && html`<button type="button" class="small-button" onClick=${() => edit(true)}>Change my answer</button>`}</div>`;
  }
  const left = question.longest - [...text].length;
  const type = (/** @type {any} */ event) => { setText(event.target.value); keep(event.target.value); };
  return html`<form class="reply" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); send(); }}>
    <label class="sr-only" for="answer-text">Your answer</label>
    ${question.isQuiz ? html`<input class="enter-line" id="answer-text" placeholder="Your answer" maxlength=${question.longest} disabled=${!isOpen} autocomplete="off" enterkeyhint="send" value=${text} onInput=${type} />` : html`<textarea class="reply-text" id="answer-text" rows=${isSurvey ? 5 : 4} placeholder="Your answer" maxlength=${question.longest} disabled=${!isOpen} enterkeyhint="enter" value=${text} onInput=${type}></textarea>`}
    <p class=${`reply-count ${left < 20 ? "is-short" : ""}`}><span>${question.seconds && !isSurvey ? "Sent by itself when time is up" : ""}</span>${(!question.isQuiz || left < 20) && html`<span aria-hidden="true">${left}</span><span class="sr-only">${left} characters left</span>`}</p>
    ${!isSurvey && html`<button type="submit" class="big-button" disabled=${!isOpen || !text.trim() || (isSaved && text.trim() === sent.trim())}>${isSaved ? "Update" : "Send"}</button>`}
  </form>`;
}

/** Rank the answers of others: the first tap is the best one, and so on. A second tap takes it back.
 * @param {{ me: any, ranking: string[], isOpen: boolean, isSaved: boolean, submit: (data: object) => void, tap: () => void }} props */
export function Ballot({ me, ranking, isOpen, isSaved, submit, tap }) {
  const [picked, pick] = useState(ranking);
  useEffect(() => pick(ranking), [ranking.join()]);
  const rows = me.ballot ?? [], needed = me.required ?? 1;
  // What one has ranked so far counts if the host closes the vote now.
  const choose = (/** @type {string[]} */ next) => {
    pick(next);
    if (next.length && next.length < needed) submit({ ranking: next });
  };
  const press = (/** @type {string} */ id) => {
    if (!isOpen) return;
    tap();
    choose(picked.includes(id) ? picked.filter((each) => each !== id) : [...picked, id]);
  };
  useEffect(() => {
    const keys = (/** @type {KeyboardEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const row = rows[Number(event.key) - 1];
      if (row) press(row.id);
      else if (event.key === "Backspace") choose(picked.slice(0, -1));
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  });
  useLastMoment(isOpen, () => { if (picked.length && picked.join() !== ranking.join()) submit({ ranking: picked }); });
  if (!me.ballot) return html`<p class="reply-state">…</p>`;
  if (!rows.length) return html`<p class="reply-state">There is nothing for you to rank. Others are ranking now.</p>`;
  const missing = needed - picked.length, changed = picked.join() !== ranking.join();
  return html`<div class="reply">
    <p class="reply-hint" role="status">${missing > 0 ? (picked.length ? `Now tap your ${ordinal(picked.length + 1)}.` : "Tap the best answer first.") : picked.length < rows.length ? "Ready. You can rank more." : "All ranked."}</p>
    <ul class="ballot">
      ${rows.map((/** @type {any} */ row) => {
        const at = picked.indexOf(row.id);
        return html`<li key=${row.id}><button type="button" class=${`ballot-row ${at >= 0 ? "is-chosen" : ""}`} aria-pressed=${String(at >= 0)} disabled=${!isOpen} onClick=${() => press(row.id)}>
          <span class=${`ballot-place is-${at + 1}`} aria-hidden="true">${at < 0 ? "" : at + 1}</span><span class="ballot-text">${row.text}</span>${at >= 0 && html`<span class="sr-only">, ${ordinal(at + 1)}</span>`}
        </button></li>`;
      })}
    </ul>
    <div class="reply-buttons">
      <button type="button" class="big-button is-quiet" disabled=${!isOpen || !picked.length} onClick=${() => choose(picked.slice(0, -1))}>Undo</button>
      <button type="button" class="big-button" disabled=${!isOpen || missing > 0 || (isSaved && !changed)} onClick=${() => submit({ ranking: picked })}>${missing > 0 ? `Rank ${missing} more` : isSaved ? "Update" : "Send ranking"}</button>
    </div>
  </div>`;
}
