// The server's clock. Countdowns follow it, whatever the clock of the phone says.
import { html, signal, useEffect, useState } from "../../shared/vendor/islands.js";

const RADIUS = 19, AROUND = 2 * Math.PI * RADIUS;
export const spoken = signal("");
/** Returns the server's time in milliseconds; the page sets it. */
export const clock = { now: () => Date.now() };

/** Return the seconds from now to a time of the server; undefined without one. @param {string | null} deadline */
export const secondsTo = (deadline) => (deadline ? (Date.parse(deadline) - clock.now()) / 1000 : undefined);

/** Return the seconds left, and render again while they run. @param {string | null} deadline */
export function useSecondsLeft(deadline) {
  const [, tick] = useState(0);
  useEffect(() => {
    if (!deadline) return;
    const timer = setInterval(() => tick((count) => count + 1), 200);
    return () => clearInterval(timer);
  }, [deadline]);
  return secondsTo(deadline);
}

/** The time left, as a ring and in seconds. Screen readers hear of 10 and 5 seconds.
 * @param {{ left: number | undefined, total: number, paused: boolean }} props */
export function Ring({ left, total, paused }) {
  const shown = left === undefined ? undefined : Math.max(0, Math.ceil(left));
  useEffect(() => {
    if (!paused && (shown === 10 || shown === 5)) spoken.value = `${shown} seconds left`;
  }, [shown, paused]);
  if (left === undefined || shown === undefined) return html`<span class="ring is-empty"></span>`;
  const share = Math.min(1, Math.max(0, left / (total || 1)));
  const text = shown < 100 ? shown : `${Math.floor(shown / 60)}:${String(shown % 60).padStart(2, "0")}`;
  return html`<span class=${`ring ${shown <= 5 ? "is-short" : ""}`} role="timer" aria-label=${`${shown} seconds left`}>
    <svg viewBox="0 0 44 44" aria-hidden="true"><circle class="ring-track" cx="22" cy="22" r=${RADIUS} /><circle class="ring-left" cx="22" cy="22" r=${RADIUS} stroke-dasharray=${AROUND} stroke-dashoffset=${AROUND * (1 - share)} /></svg>
    <span class=${`ring-text ${String(text).length > 3 ? "is-small" : ""}`} aria-hidden="true">${text}</span>
  </span>`;
}
