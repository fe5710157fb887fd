// The matrix: move with the arrow keys, rate with a click or with 1 to 4, undo with Ctrl+Z.
const table = document.querySelector(".matrix");
const editor = document.querySelector("#cell-editor");
const status = document.querySelector("#cell-status");
const undoButton = document.querySelector("#cell-undo");
const yearsField = editor.querySelector("input");
const { base } = table.dataset;
const done = [];
let current = null;
let isOpen = false;
let queue = Promise.resolve();

const skillOf = (cell) => table.tHead.rows[1].cells[cell.cellIndex];
const personOf = (cell) => cell.parentElement.cells[0].textContent;
const levelOf = (cell) => Number(/level-(\d)/.exec(cell.className)?.[1] ?? 0);
const yearsOf = (cell) => Number(cell.dataset.years ?? 0);
const isEditable = (cell) => Boolean(cell.parentElement.dataset.user);
const detailsOf = (cell) => `${cell.parentElement.cells[0].querySelector("a").href}/skills/${skillOf(cell).dataset.skill}`;

function say(text, isError = false) {
  status.textContent = text;
  status.classList.toggle("is-error", isError);
}

function focus(cell) {
  if (!cell || cell.tagName !== "TD") return;
  current?.removeAttribute("tabindex");
  current = cell;
  cell.tabIndex = 0;
  cell.focus({ preventScroll: true });
  cell.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function show(cell, answer) {
  cell.className = answer.class;
  cell.title = answer.title;
  cell.dataset.name = skillOf(cell).textContent;
  cell.dataset.years = answer.years;
  cell.textContent = answer.level || "";
}

// Ratings and undos are sent one after another: each starts from what the one before has saved.
function inTurn(act) {
  queue = queue.then(act);
}

const rate = (...rating) => inTurn(() => save(...rating));

// An undo takes a rating back, removes a skill that was added, or adds one that was removed.
async function save(cell, level, years, isUndo = false, used = "") {
  if (!isEditable(cell)) return say("You can rate yourself and the people whom you manage.", true);
  const before = [levelOf(cell), yearsOf(cell)];
  if (!isUndo && before[0] === level && before[1] === years) return;
  const path = [cell.parentElement.dataset.user, skillOf(cell).dataset.skill].map(encodeURIComponent).join("/");
  cell.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(`${base}/${path}`, { method: "POST", headers: { Accept: "application/json" }, body: new URLSearchParams(isUndo && level && levelOf(cell) ? { undo: "true" } : { level, years, last_used: used }) });
    const answer = response.headers.get("content-type")?.includes("json") ? await response.json() : {};
    if (!response.ok || response.redirected) throw new Error(answer.error || answer.detail || "This was not saved. Reload the page, and try again.");
    show(cell, answer);
    if (!isUndo) done.push([cell, ...before, true, answer.used ?? ""]);
    undoButton.hidden = !done.length;
    say(`${isUndo ? "Undone" : "Saved"}: ${personOf(cell)}, ${skillOf(cell).textContent}: ${answer.title || "none"}.`);
  } catch (error) {
    const isUnreachable = error instanceof TypeError;
    if (isUndo && isUnreachable) done.push([cell, level, years, isUndo, used]);
    undoButton.hidden = !done.length;
    say(isUnreachable ? "The server can’t be reached. Nothing was saved." : error.message.trim(), true);
  } finally {
    cell.removeAttribute("aria-busy");
  }
}

async function undo() {
  const last = done.pop();
  undoButton.hidden = !done.length;
  if (!last) return;
  focus(last[0]);
  await save(...last);
}

function open(cell) {
  if (!isEditable(cell)) {
    if (levelOf(cell)) location.href = detailsOf(cell);
    return;
  }
  focus(cell);
  editor.querySelector("strong").textContent = `${personOf(cell)}: ${skillOf(cell).textContent}`;
  editor.querySelectorAll(".cell-levels [data-level]").forEach((button) => {
    button.setAttribute("aria-pressed", String(Number(button.dataset.level) === levelOf(cell)));
  });
  editor.querySelector("[data-level='0']").hidden = !levelOf(cell);
  yearsField.value = yearsOf(cell);
  const details = editor.querySelector("a");
  details.href = detailsOf(cell);
  details.hidden = !levelOf(cell);
  editor.showPopover();
  isOpen = true;
  const box = cell.getBoundingClientRect();
  editor.style.left = `${Math.max(8, Math.min(box.left, innerWidth - editor.offsetWidth - 8))}px`;
  const isBelow = box.bottom + editor.offsetHeight + 12 < innerHeight;
  editor.style.top = `${isBelow ? box.bottom + 4 : Math.max(8, box.top - editor.offsetHeight - 4)}px`;
  (editor.querySelector("[aria-pressed=true]") ?? editor.querySelector("[data-level]")).focus();
}

function close() {
  isOpen = false;
  editor.hidePopover();
  focus(current);
}

const step = (cell, rows, columns) => table.rows[cell.parentElement.rowIndex + rows]?.cells[cell.cellIndex + columns];
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

table.addEventListener("click", (event) => {
  const cell = event.target.closest("td");
  if (cell) open(cell);
});
table.addEventListener("keydown", (event) => {
  const cell = event.target.closest("td");
  if (!cell || event.altKey || event.metaKey || event.ctrlKey) return;
  if (STEPS[event.key]) focus(step(cell, ...STEPS[event.key]));
  else if (event.key === "Home") focus(cell.parentElement.cells[1]);
  else if (event.key === "End") focus(cell.parentElement.lastElementChild);
  else if (/^[0-4]$/.test(event.key)) rate(cell, Number(event.key), event.key === "0" ? 0 : yearsOf(cell));
  else if (event.key === "Delete" || event.key === "Backspace") rate(cell, 0, 0);
  else if (event.key === "Enter" || event.key === " ") open(cell);
  else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || event.target.matches("input")) return;
  event.preventDefault();
  inTurn(undo);
});
undoButton.addEventListener("click", () => inTurn(undo));
editor.addEventListener("click", (event) => {
  const button = event.target.closest("[data-level]");
  const level = Number(button?.dataset.level);
  if (!button || (level && !yearsField.reportValidity())) return;
  rate(current, level, level && Number(yearsField.value));
  close();
});
// A click elsewhere closes the editor, and saves the years as Enter does.
editor.addEventListener("beforetoggle", ({ newState }) => {
  if (newState === "closed" && isOpen && levelOf(current) && yearsField.checkValidity()) rate(current, levelOf(current), Number(yearsField.value));
});
editor.addEventListener("keydown", (event) => {
  const isYears = event.target.matches("input");
  if (event.key === "Escape") close();
  else if (event.key === "Enter" && isYears) {
    if (yearsField.reportValidity()) {
      rate(current, levelOf(current) || 1, Number(yearsField.value));
      close();
    }
  } else if (/^[1-4]$/.test(event.key) && !isYears) editor.querySelector(`[data-level="${event.key}"]`).click();
  else return;
  event.preventDefault();
});

// Rows are not laid out as those of a table, so that categories need a width.
for (const head of table.tHead.rows[0].querySelectorAll("[colspan]")) head.style.width = `${2.25 * head.colSpan}rem`;
table.tHead.rows[0].classList.add("is-wide");

const first = table.querySelector("tbody tr[data-user] td") ?? table.tBodies[0].rows[0]?.cells[1];
if (first) {
  first.tabIndex = 0;
  current = first;
}
