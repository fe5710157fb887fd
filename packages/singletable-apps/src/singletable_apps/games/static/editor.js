// The editor of a question: a preview of the phone and the big screen, dragging, and pasting options.
import { html, render, signal } from "../shared/vendor/islands.js";
import { Answer, Ask } from "./play/answers.js";
import { Open } from "./screen/stage.js";

const editor = /** @type {HTMLElement} */ (document.getElementById("editor"));
const form = /** @type {HTMLFormElement} */ (editor.querySelector("form"));
const list = /** @type {HTMLElement} */ (editor.querySelector(".ed-list"));
const preview = /** @type {HTMLElement} */ (editor.querySelector(".ed-preview"));
const LETTERS = "abcdefgh", STEPS = { "1-10": [1, 10], "0-10": [0, 10] };

/** @param {string} name */
const field = (name) => /** @type {any} */ (form.elements.namedItem(name));
/** @param {string} name */
const text = (name) => (field(name)?.value ?? "").trim();

// Pictures that were chosen, and are not uploaded yet.
const chosen = /** @type {Record<string, string>} */ ({});
/** @param {string} saved @param {string} file @param {string} drop */
const pictureOf = (saved, file, drop) => chosen[file] ?? (field(drop)?.checked ? "" : text(saved));

/** What the form says, as a game shows it. */
function readQuestion() {
  const type = text("type"), [first, last] = STEPS[text("scale")] ?? [1, 5];
  const slots = [...LETTERS].map((id, slot) => ({ id, text: text(`option-${slot}`), image: pictureOf(`option_image-${slot}`, `option_file-${slot}`, `option_drop-${slot}`), isRight: field(`correct-${slot}`)?.checked }));
  const filled = slots.filter((each) => each.text || each.image);
  const options = (filled.length ? filled : slots.slice(0, 4)).map((each, place) => ({ ...each, id: LETTERS[place] }));
  // People see an order mixed.
  const choices = { "yes-no": [{ id: "yes", text: "Yes" }, { id: "no", text: "No" }], trivia: options, choice: options, rank: options, order: [...options].reverse().map((each, place) => ({ ...each, id: LETTERS[place] })) }[type] ?? [];
  const isQuiz = ["trivia", "slider", "order", "typed"].includes(type), steps = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  return {
    type, isQuiz, title: text("title") || "Your question", detail: text("detail"), instruction: text("instruction"), category: text("category"), image: pictureOf("image", "image_file", "image_drop"),
    seconds: Number(text("seconds")) || 0, longest: Number(text("longest")) || 280, points: isQuiz ? Number(text("points")) || 0 : 0,
    options: choices, selections: type === "trivia" ? (options.filter((each) => each.isRight).length > 1 ? options.length : 1) : Number(text("selections")) || 1,
    low: Number(text("low")), high: Number(text("high")), step: Number(text("step")) || 1,
    scale: text("scale"), steps, bars: type === "rating" ? steps.map((step) => ({ id: `${step}`, text: `${step}` })) : undefined, lowLabel: text("low_label"), highLabel: text("high_label"),
  };
}

const question = signal(readQuestion());
const none = () => {};

const Phone = () => html`<div class="phone" inert><main class="play"><div class="play-main"><${Ask} question=${question.value}/><${Answer} key=${JSON.stringify({ ...question.value, image: "" })} question=${question.value} answer=${{}} isOpen=${true} isSaved=${false} draft="" keep=${none} submit=${none} tap=${none}/></div></main></div>`;

function Screen() {
  const view = { phase: "open", question: question.value, questionId: "", remaining: question.value.seconds || (/text|call/.test(question.value.type) ? 75 : 30), deadline: null, version: 0 };
  const game = { view: { value: view }, counts: signal(null), tally: signal(null), now: Date.now };
  return html`<div class="screen" inert><div class="screen-root"><main class="main-stage" key=${question.value.title}><${Open} game=${game}/></main></div></div>`;
}

/** Draw into a shadow root, so that the styles of the game do not meet those of this page.
 * @param {string} name @param {string} label @param {string | undefined} styles @param {any} part */
function draw(name, label, styles, part) {
  const figure = document.createElement("figure"), stage = document.createElement("div"), caption = document.createElement("figcaption");
  figure.className = `ed-frame is-${name}`;
  stage.className = "ed-stage";
  caption.textContent = label;
  figure.append(stage, caption);
  preview.append(figure);
  const root = stage.attachShadow({ mode: "open" });
  for (const href of `${preview.dataset.css} ${styles}`.split(" ")) root.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href }));
  const body = document.createElement("div");
  root.append(body);
  render(html`<${part}/>`, body);
}

draw("screen", "Big screen", preview.dataset.screenCss, Screen);
draw("phone", "Phone", preview.dataset.phoneCss, Phone);
preview.hidden = false;
form.addEventListener("input", ({ target }) => {
  const { name, files } = /** @type {HTMLInputElement} */ (target), reader = new FileReader();
  question.value = readQuestion();
  if (!files) return;
  delete chosen[name];
  reader.onload = () => { chosen[name] = `${reader.result}`; question.value = readQuestion(); };
  if (files[0]) reader.readAsDataURL(files[0]);
});

// Several lines that are pasted into an option are several options; a star marks a correct one.
form.addEventListener("paste", (event) => {
  const target = /** @type {HTMLInputElement} */ (event.target), lines = (event.clipboardData?.getData("text") ?? "").split(/\n/).map((line) => line.trim()).filter(Boolean);
  const start = Number(/^option-(\d)$/.exec(target.name)?.[1] ?? NaN);
  if (Number.isNaN(start) || lines.length < 2) return;
  event.preventDefault();
  lines.forEach((line, at) => {
    const input = field(`option-${start + at}`), box = field(`correct-${start + at}`);
    if (!input) return;
    input.value = line.replace(/^(\*|[-•]|[A-Ha-h1-8][.)])\s*/, "").slice(0, 150);
    if (box?.type === "checkbox") box.checked = line.startsWith("*");
    input.closest("details")?.setAttribute("open", "");
  });
  question.value = readQuestion();
});

const snapshot = () => JSON.stringify([...new FormData(form)].map(([name, value]) => [name, value instanceof File ? value.name : value]));
const saved = snapshot();
const isUnsaved = () => "unsaved" in editor.dataset || snapshot() !== saved;

/** Save the question, and then do something. @param {Record<string, string>} more */
function saveAnd(more) {
  for (const [name, value] of Object.entries(more)) form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  form.requestSubmit();
}

// Another question is opened after this one is saved; other links ask first.
editor.addEventListener("click", (event) => {
  const link = /** @type {HTMLElement} */ (event.target).closest("a"), then = link?.dataset.then ?? link?.closest("li")?.dataset.number;
  if (!then || event.ctrlKey || event.metaKey || !isUnsaved()) return;
  event.preventDefault();
  saveAnd({ then });
});
let isSent = false;
addEventListener("submit", (event) => { isSent = !event.defaultPrevented; });
addEventListener("beforeunload", (event) => { if (!isSent && isUnsaved()) event.preventDefault(); });

// Drag a question to another place; the field “Place in the set” does the same without a mouse.
let dragged = "";
if (editor.dataset.number !== "0") for (const row of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll("li[data-number]"))) {
  row.draggable = true;
  row.addEventListener("dragstart", () => { dragged = row.dataset.number ?? ""; row.classList.add("is-held"); });
  row.addEventListener("dragend", () => { dragged = ""; row.classList.remove("is-held"); });
  row.addEventListener("dragover", (event) => { if (dragged) event.preventDefault(); row.classList.toggle("is-over", dragged !== row.dataset.number); });
  row.addEventListener("dragleave", () => row.classList.remove("is-over"));
  row.addEventListener("drop", (event) => {
    event.preventDefault();
    row.classList.remove("is-over");
    if (dragged && dragged !== row.dataset.number) saveAnd({ then: "move", source: dragged, to: row.dataset.number ?? "" });
  });
}
list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
