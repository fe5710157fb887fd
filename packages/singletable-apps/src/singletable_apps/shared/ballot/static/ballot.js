// Turn the ballot form into a sortable list: by dragging, tapping, buttons and keys.
// The number boxes stay in the form and are what is submitted.
import { html, render, signal, useEffect, useLayoutEffect, useRef } from "../../shared/vendor/islands.js";
import { readDraft, deleteDraft, saveDraft } from "./drafts.js";
import { startDragging } from "./drag.js";
import { BUTTONS, KEYS, KEYS_ALONE, levelOf, levelsOf, put, same, slotOf, unranked } from "./moves.js";
import { BallotText, Help, Ranked, Rest } from "./rows.js";
import { describeCount, describePlace, formatTime } from "./text.js";

/** @typedef {import("./moves.js").Levels} Levels */

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** @param {HTMLFormElement} form */
function mount(form) {
  const settings = JSON.parse(form.dataset.ballot ?? "{}");
  const boxes = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll("[data-ballot-name]")]);
  const names = boxes.map((box) => box.dataset.ballotName ?? "");
  const filled = levelsOf(boxes.map((box) => box.defaultValue));
  const first = settings.allowTies ? filled : filled.flat().map((who) => [who]);
  const keys = settings.allowTies ? KEYS : KEYS_ALONE;
  const root = /** @type {HTMLElement} */ (form.querySelector("[data-ballot-list]"));

  const levels = signal(first);
  const held = signal(/** @type {import("./rows.js").Held | undefined} */ (undefined));
  const open = signal(/** @type {number | undefined} */ (undefined));
  const status = signal("");
  const offered = signal(offer());
  /** @type {Levels | undefined} */
  let before; // the ranking before the current move
  /** @type {string | undefined} */
  let focus; // the selector to focus after rendering
  /** @type {Map<string, DOMRect> | undefined} */
  let seen; // row positions before rendering, for the animation
  /** @type {number | undefined} */
  let anchor; // top of the unranked list, to keep it in place
  let pointed = false; // whether the last action was by pointer: then focus does not scroll

  function offer() {
    const draft = settings.draftKey ? readDraft(settings.draftKey, settings.draftVersion) : undefined;
    if (!draft) return undefined;
    const known = draft.levels.map((level) => level.map((name) => names.indexOf(name)).filter((who) => who >= 0).sort((a, b) => a - b));
    const found = known.filter((level) => level.length);
    return same(found, first) ? undefined : { at: draft.at, levels: found };
  }

  /** @param {Levels} next */
  function change(next) {
    look();
    levels.value = next;
    fill(next);
    if (!settings.draftKey) return;
    if (same(next, first)) deleteDraft(settings.draftKey);
    else saveDraft(settings.draftKey, { at: Date.now(), version: settings.draftVersion, levels: next.map((level) => level.map((who) => names[who])) });
  }

  /** @param {Levels} next */
  function fill(next) {
    boxes.forEach((box, who) => {
      const at = levelOf(next, who);
      box.value = at < 0 ? "" : String(at + 1);
    });
  }

  const look = () => { seen = new Map(rows().map((row) => [row.dataset.who ?? "", row.getBoundingClientRect()])); };
  const rows = () => /** @type {HTMLElement[]} */ ([...root.querySelectorAll("[data-who]")]);
  const say = (/** @type {number} */ who, what = "") => { status.value = `${names[who]}${what}, ${describePlace(levels.value, who, names)}.`; };

  const list = {
    names,
    pictures: boxes.map(({ dataset: { ballotPicture: src, ballotAlt: alt } }) => (src ? { src, alt: alt ?? "" } : undefined)),
    allowTies: settings.allowTies,
    /** @param {number} who @param {string} button */
    press(who, button) {
      const slot = BUTTONS[button](levels.value, who);
      if (slot === undefined) return;
      change(put(levels.value, who, slot));
      open.value = button === "remove" ? undefined : open.value;
      focus = button === "remove" ? `[data-name="${who}"]` : `[data-who="${who}"] [data-tool="${button}"]`;
      say(who);
    },
    /** @param {number} who */
    next(who) {
      const after = names.findIndex((_, each) => each > who && levelOf(levels.value, each) < 0);
      anchor = root.querySelector("[data-rest]")?.getBoundingClientRect().top;
      change(put(levels.value, who, unranked(levels.value, who) - 1));
      focus = `[data-name="${after < 0 ? who : after}"]`;
      say(who);
    },
    /** @param {number} who */
    lift(who) {
      if (held.value?.how === "key") return drop();
      before = levels.value;
      held.value = { who, slot: slotOf(levels.value, who), how: "key" };
      focus = `[data-name="${who}"]`;
      say(who, " lifted");
    },
    /** @param {number} who */
    toggle(who) { open.value = open.value === who ? undefined : who; },
  };

  function drop() {
    const lifted = held.value;
    if (lifted?.how !== "key") return;
    held.value = undefined;
    focus = `[data-name="${lifted.who}"]`;
    say(lifted.who, " dropped");
  }

  /** Handle keys while a row is lifted. @param {KeyboardEvent} event */
  function key(event) {
    const lifted = held.value;
    if (lifted?.how !== "key") return;
    if (event.key === "Tab") return drop();
    if (event.key === "Escape") {
      held.value = undefined;
      change(before ?? levels.value);
      say(lifted.who, " put back");
    } else if (event.key in keys) {
      const slot = keys[event.key](slotOf(levels.value, lifted.who), unranked(levels.value, lifted.who));
      change(put(levels.value, lifted.who, slot));
      held.value = { ...lifted, slot };
      say(lifted.who);
    } else return;
    focus = `[data-name="${lifted.who}"]`;
    event.preventDefault();
  }

  function List() {
    const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
    useEffect(() => {
      root.addEventListener("keydown", (event) => { pointed = false; key(event); });
      addEventListener("pointerdown", () => { pointed = true; drop(); });
      startDragging(root, {
        levels: () => levels.value,
        allowTies: settings.allowTies,
        started(who) { held.value = { who, slot: slotOf(levels.value, who), how: "pointer" }; },
        over(who, slot) {
          if (held.value?.slot === slot) return;
          held.value = { who, slot, how: "pointer" };
          status.value = `${names[who]}: ${describePlace(put(levels.value, who, slot), who, names)}.`;
        },
        ended(who, slot) {
          held.value = undefined;
          change(slot === undefined ? levels.value : put(levels.value, who, slot));
          say(who);
        },
      });
    }, []);
    useLayoutEffect(settle);
    const now = { ...list, levels: levels.value, held: held.value, open: open.value };
    const rest = names.map((_, who) => who).filter((who) => levelOf(levels.value, who) < 0);
    const { labels } = settings, blank = !levels.value.length, castable = !blank || settings.allowBlank;
    const over = held.value?.how === "pointer" && held.value.slot === unranked(levels.value, held.value.who);
    return html`<${Help} />
      ${offered.value && html`<${Offer} at=${offered.value.at} take=${() => { change(offered.value?.levels ?? []); offered.value = undefined; status.value = "Your draft is back."; }} leave=${() => { if (same(levels.value, first)) deleteDraft(settings.draftKey); offered.value = undefined; }} />`}
      <div class=${`ballot-areas ${held.value?.how === "pointer" ? "is-dragging" : ""}`}>
        <section class="ballot-area" data-ranked aria-labelledby="ballot-ranked">
          <h2 id="ballot-ranked">${labels.ranked_title}</h2>
          <${Ranked} list=${now} empty=${labels.empty_hint} />
        </section>
        <section class=${`ballot-area ${over ? "is-over" : ""}`} data-rest aria-labelledby="ballot-rest">
          <h2 id="ballot-rest">${labels.unranked_title}</h2>
          <p class="ballot-rest-hint">${rest.length ? labels.unranked_hint : "All are ranked."}</p>
          <${Rest} list=${now} rest=${rest} />
        </section>
      </div>
      ${settings.notice && html`<p class="ballot-notice ballot-notice-here">${settings.notice}</p>`}
      <div class="ballot-bar"><div class="ballot-bar-inner">
        <p class="ballot-status"><span class="ballot-count">${describeCount(levels.value, names)}</span> <span class="ballot-announcement" role="status" aria-live="polite">${status.value}</span></p>
        <button type="button" class="button button-primary" onClick=${() => dialog.current?.showModal()}>${labels.review_button}</button>
      </div></div>
      <dialog class="dialog ballot-dialog" aria-labelledby="ballot-confirm" ref=${dialog}>
        <div class="ballot-dialog-words">
          <h2 id="ballot-confirm">${blank ? labels.confirm_blank_title : labels.confirm_title}</h2>
          <${BallotText} names=${names} levels=${levels.value} rest=${rest} labels=${labels} />
        </div>
        <div class="ballot-dialog-end">
          ${castable && settings.notice && html`<p class="ballot-notice">${settings.notice}</p>`}
          <div class="actions">
            ${castable && html`<button type="submit" class="button button-primary" name="sure" value="yes">${labels.submit_button}</button>`}
            <button type="button" class=${`button button-${castable ? "plain" : "primary"}`} onClick=${() => dialog.current?.close()}>${labels.back_button}</button>
          </div>
        </div>
      </dialog>`;
  }

  /** After rendering: restore focus, and animate rows from their old positions. */
  function settle() {
    if (anchor !== undefined) {
      const now = root.querySelector("[data-rest]")?.getBoundingClientRect().top ?? anchor;
      const beside = matchMedia("(min-width: 60rem)").matches;
      if (!beside) scrollBy({ top: now - anchor, behavior: "instant" });
      anchor = undefined;
    }
    if (focus) /** @type {HTMLElement | null} */ (root.querySelector(focus))?.focus({ preventScroll: pointed });
    focus = undefined;
    if (seen && !calm.matches) for (const row of rows()) glide(row, seen.get(row.dataset.who ?? ""));
    seen = undefined;
  }

  /** @type {HTMLElement} */ (form.querySelector("[data-ballot-plain]")).hidden = true;
  form.classList.add("is-live");
  if (!settings.allowTies) fill(first);
  render(html`<${List} />`, root);
}

/** @param {HTMLElement} row @param {DOMRect | undefined} from */
function glide(row, from) {
  const to = row.getBoundingClientRect();
  if (!from || (from.top === to.top && from.left === to.left)) return;
  const moved = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
  row.animate([{ transform: moved }, { transform: "none" }], { duration: 190, easing: "cubic-bezier(.2, .7, .3, 1)" });
}

/** @param {{ at: number, take: () => void, leave: () => void }} props */
const Offer = ({ at, take, leave }) => html`<div class="ballot-offer">
  <p><b>Your draft from ${formatTime(at)}</b> is saved in this browser. You haven’t cast it yet.</p>
  <div class="actions">
    <button type="button" class="button button-quiet button-small" onClick=${take}>Continue</button>
    <button type="button" class="button button-plain button-small" onClick=${leave}>Discard</button>
  </div>
</div>`;

for (const form of document.querySelectorAll("form[data-ballot]")) mount(/** @type {HTMLFormElement} */ (form));
// After "back", show the current state instead of a cached page.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
