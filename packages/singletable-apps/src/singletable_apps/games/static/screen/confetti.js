// Confetti on a canvas for a few seconds; none where people prefer reduced motion.
import { calm } from "../live.js";

const COLORS = ["#8accaf", "#f0c56b", "#83b5fe", "#f89c7b", "#d79ee9", "#fbf5e9"];
const LASTS = 9000;

/** @param {HTMLCanvasElement} canvas */
export function throwConfetti(canvas) {
  const pen = canvas.getContext("2d");
  if (calm.matches || !pen) return () => {};
  const width = (canvas.width = innerWidth), height = (canvas.height = innerHeight);
  const pieces = Array.from({ length: 220 }, () => ({
    x: Math.random() * width, y: -Math.random() * height * 1.2, size: height * (0.006 + Math.random() * 0.01),
    fall: height * (0.12 + Math.random() * 0.2), sway: Math.random() * 6.3, turn: 1 + Math.random() * 4,
    color: COLORS[Math.floor(Math.random() * COLORS.length)],
  }));
  const start = performance.now();
  let before = start, frame = requestAnimationFrame(draw);

  /** @param {number} now */
  function draw(now) {
    const seconds = Math.min(0.05, (now - before) / 1000), age = now - start;
    before = now;
    pen.clearRect(0, 0, width, height);
    pen.globalAlpha = Math.min(1, Math.max(0, (LASTS - age) / 2000));
    for (const piece of pieces) {
      piece.y += piece.fall * seconds;
      piece.sway += seconds * piece.turn;
      if (piece.y > height) piece.y = -piece.size * 4;
      pen.save();
      pen.translate(piece.x + Math.sin(piece.sway) * height * 0.02, piece.y);
      pen.rotate(piece.sway);
      pen.scale(1, Math.cos(piece.sway * 1.7));
      pen.fillStyle = piece.color;
      pen.fillRect(-piece.size, -piece.size / 2, piece.size * 2, piece.size);
      pen.restore();
    }
    if (age < LASTS) frame = requestAnimationFrame(draw);
    else pen.clearRect(0, 0, width, height);
  }
  return () => cancelAnimationFrame(frame);
}
