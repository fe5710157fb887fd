// What the room says: the question that the host has chosen, and reactions that float by.
import { html, useEffect, useRef } from "../../shared/vendor/islands.js";
import { calm, count } from "../live.js";
import { cues } from "./sound.js";
import { sizeOf } from "./stage.js";

// So many of each at once; a thousand players would cover the screen.
const MOST = 8;

/** @param {{game: import("../live.js").Game}} props */
export function Spotlight({ game }) {
  const asked = game.view.value.audience.questions.find((each) => each.status === "shown");
  return asked && html`<div class="overlay spotlight" role="status"><p class="overlay-title">${asked.name ? `A question from ${asked.name}` : "A question to the host"}</p><h1 class=${sizeOf(asked.text)}>${asked.text}</h1>${asked.votes > 0 && html`<p class="detail">${count(asked.votes, "vote")}</p>`}</div>`;
}

/** @param {{game: import("../live.js").Game}} props */
export function Reactions({ game }) {
  const counts = game.reactions.value, layer = useRef(/** @type {HTMLElement | null} */ (null)), before = useRef(counts);
  useEffect(() => {
    const known = before.current;
    before.current = counts;
    // The first counts are from before this screen was here.
    if (!known || !counts) return;
    for (const [emoji, total] of Object.entries(counts)) {
      const added = total - (known[emoji] ?? 0);
      if (added > 0) cues.react();
      for (let at = 0; at < Math.min(added, MOST) && !calm.matches; at += 1) {
        const piece = document.createElement("span");
        piece.textContent = emoji;
        piece.style.cssText = `left: ${5 + Math.random() * 90}%; animation-delay: ${Math.random() * 600}ms`;
        layer.current?.append(piece);
        setTimeout(() => piece.remove(), 4000);
      }
    }
  }, [counts]);
  return html`<div class="floating" ref=${layer} aria-hidden="true"></div>${calm.matches && counts && html`<p class="reaction-counts">${Object.entries(counts).map(([emoji, total]) => html`<span key=${emoji}>${emoji} ${total.toLocaleString("en")}</span>`)}</p>`}`;
}
