// Drag a row with a pointer: it follows, shows where it would land, and scrolls the page at the edges.
import { unranked } from "./moves.js";

/** @typedef {import("./moves.js").Levels} Levels */
/**
 * @typedef {object} Drag
 * @property {() => Levels} levels
 * @property {boolean} allowTies                                          whether rows can share a place
 * @property {(who: number) => void} started
 * @property {(who: number, slot: number) => void} over
 * @property {(who: number, slot: number | undefined) => void} ended    no slot if the drag was canceled
 */

const FAR = 6; // pixels until a press becomes a drag
const EDGE = 0.3; // share of a row at its edge that counts as the gap
const NEAR = 72; // pixels from the edge of the window where the page scrolls

/** @param {HTMLElement} root @param {Drag} drag */
export function startDragging(root, drag) {
  /** @type {{ who: number, row: HTMLElement, id: number, x: number, y: number, top: number, on: boolean, last: PointerEvent } | undefined} */
  let held;
  let frame = 0;

  root.addEventListener("pointerdown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const row = /** @type {HTMLElement | null} */ (target.closest("[data-who]"));
    if (held || !row || event.button || target.closest("[data-tool]")) return;
    // Touch scrolls the page, except on the grip; a mouse drags anywhere.
    if (event.pointerType !== "mouse" && !target.closest("[data-grip]")) return;
    const { clientX: x, clientY: y } = event;
    held = { who: Number(row.dataset.who), row, id: event.pointerId, x, y, top: place(row), on: false, last: event };
  });
  addEventListener("pointermove", (event) => {
    if (!held || event.pointerId !== held.id) return;
    held.last = event;
    if (!held.on && Math.hypot(event.clientX - held.x, event.clientY - held.y) > FAR) start();
    if (held.on) follow();
  });
  addEventListener("pointerup", (event) => {
    if (held && event.pointerId === held.id) end(true);
  });
  addEventListener("pointercancel", (event) => {
    if (held && event.pointerId === held.id) end(false);
  });
  addEventListener("keydown", (event) => {
    if (held?.on && event.key === "Escape") end(false);
  });
  root.addEventListener("dragstart", (event) => event.preventDefault());

  function start() {
    if (!held) return;
    held.on = true;
    root.setPointerCapture(held.id);
    drag.started(held.who);
    frame = requestAnimationFrame(scroll);
  }

  function follow() {
    if (!held) return;
    const { row, x, y, top, last, who } = held;
    row.style.transform = `translate(${last.clientX - x}px, ${last.clientY - y + top - place(row)}px)`;
    drag.over(who, slotAt(last.clientX, last.clientY, who));
  }

  function scroll() {
    if (!held?.on) return;
    const { clientY: y } = held.last;
    const above = Math.max(0, NEAR - y), below = Math.max(0, y - (innerHeight - NEAR * 1.5));
    if (above || below) {
      scrollBy(0, (below - above) / 5);
      follow();
    }
    frame = requestAnimationFrame(scroll);
  }

  /** @param {boolean} dropped */
  function end(dropped) {
    if (!held) return;
    const { row, on, last, who } = held;
    cancelAnimationFrame(frame);
    held = undefined;
    if (!on) return;
    // The end of a drag is not a click.
    addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", swallow, { capture: true }));
    drag.ended(who, dropped ? slotAt(last.clientX, last.clientY, who) : undefined);
    row.style.transform = "";
  }

  /** @param {number} x @param {number} y @param {number} who */
  function slotAt(x, y, who) {
    const levels = drag.levels();
    const rest = box("[data-rest]"), ranked = box("[data-ranked]");
    const beside = rest.left >= ranked.right;
    if (beside ? x > (rest.left + ranked.right) / 2 : y > (rest.top + ranked.bottom) / 2) return unranked(levels, who);
    let slot = 0;
    for (const element of root.querySelectorAll("[data-level]")) {
      const level = levels[Number(/** @type {HTMLElement} */ (element).dataset.level)];
      if (!level || (level.length === 1 && level[0] === who)) continue;
      const { top, bottom } = element.getBoundingClientRect();
      const edge = drag.allowTies ? Math.min(20, (bottom - top) * EDGE) : (bottom - top) / 2;
      if (y < top + edge) return slot;
      if (y < bottom - edge) return slot + 1;
      slot += 2;
    }
    return slot;
  }

  /** @param {string} what */
  const box = (what) => /** @type {HTMLElement} */ (root.querySelector(what)).getBoundingClientRect();
}

/** Return the top of the row's list in the window. @param {HTMLElement} row */
function place(row) {
  return /** @type {HTMLElement} */ (row.parentElement).getBoundingClientRect().top;
}

/** @param {Event} event */
function swallow(event) {
  event.preventDefault();
  event.stopPropagation();
}
