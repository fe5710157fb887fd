// The leaderboard, in which rows move to their new places, and the podium at the end.
import { html, useEffect, useRef, useState } from "../../shared/vendor/islands.js";
import { calm, count } from "../live.js";
import { throwConfetti } from "./confetti.js";
import { sizeOf } from "./stage.js";

const points = (value) => value.toLocaleString("en", { maximumFractionDigits: 1 });

/** @param {{movement: number | null}} props */
function Movement({ movement }) {
  if (movement === null) return html`<span class="move is-new">new</span>`;
  if (!movement) return html`<span class="move"></span>`;
  return html`<span class=${`move ${movement > 0 ? "is-up" : "is-down"}`}><span class="sr-only">${movement > 0 ? "up" : "down"} </span>${Math.abs(movement)}</span>`;
}

/** @param {{game: import("../live.js").Game, isFresh: boolean}} props */
export function Leaderboard({ game, isFresh }) {
  const { leaderboard, questionNumber, questionCount } = game.view.value;
  const { top, of, teams } = leaderboard;
  const [isNow, setNow] = useState(!isFresh || calm.matches);
  useEffect(() => {
    if (isNow) return undefined;
    const timer = setTimeout(() => setNow(true), 1200);
    return () => clearTimeout(timer);
  }, []);
  const before = [...top].sort((one, other) => other.points - other.gained - (one.points - one.gained));
  const rows = isNow ? top : before;
  const most = Math.max(1, ...top.map((each) => each.points));
  return html`<section class="stage board">
    <header class="board-head"><h1 class="is-l">Leaderboard</h1><p class="detail">${questionNumber < questionCount ? `After question ${questionNumber} of ${questionCount}` : "After the last question"}</p></header>
    <div class="board-body">
      <ol class=${`rows${top.length <= 5 ? " is-few" : ""}`} style=${{ "--rows": top.length }}>${top.map((each) => html`<li key=${each.playerId} class=${`row${isNow && each.place <= 3 ? ` is-place-${each.place}` : ""}`} style=${{ "--row": rows.indexOf(each), "--share": ((isNow ? each.points : each.points - each.gained) / most).toFixed(3) }}>
        <span class="row-place">${isNow ? each.place : ""}</span><span class="row-bar"></span><span class=${`row-name${each.name.length > 16 ? " is-long" : ""}`}>${each.name}${each.team && html`<small>${each.team}</small>`}</span>
        ${isNow && html`<${Movement} movement=${each.movement}/>`}
        ${isNow && each.gained > 0 && html`<span class="row-gained">+${points(each.gained)}</span>`}<b class="row-points">${points(isNow ? each.points : each.points - each.gained)}</b>
      </li>`)}</ol>
      ${teams?.length > 0 && html`<div class="teams"><h2>Teams</h2><ol>${teams.map((team) => html`<li key=${team.name}><span class="row-place">${team.place}</span><span class="row-name">${team.name}</span><b class="row-points">${points(team.points)}</b></li>`)}</ol><p>Mean points of the members</p></div>`}
    </div>
    ${of > top.length && html`<p class="aftermath"><span class="explanation">The first ${top.length} of ${count(of, "player")}. Your own place is on your phone.</span></p>`}
  </section>`;
}

/** @param {{game: import("../live.js").Game, isFresh: boolean}} props */
export function Podium({ game, isFresh }) {
  const { leaderboard, title, teams: names, playerCount, questionNumber } = game.view.value;
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  const isTeams = names.length > 0 && leaderboard.teams?.length > 0;
  const all = isTeams ? leaderboard.teams : leaderboard.top;
  const scored = all.filter((each) => each.points > 0);
  useEffect(() => (canvas.current && scored.length ? throwConfetti(canvas.current) : undefined), []);
  if (!scored.length) return html`<section class="stage reading"><p class="eyebrow-big">${title}</p><h1 class="is-xl">Thank you for playing</h1><p class="detail">${count(playerCount, "player")}, ${count(questionNumber, "question")}</p></section>`;
  const best = scored.slice(0, 3), others = scored.slice(3);
  const winners = scored.filter((each) => each.place === 1);
  return html`<section class=${`stage podium${isFresh && !calm.matches ? " is-fresh" : ""}`}>
    <canvas class="confetti" ref=${canvas} aria-hidden="true"></canvas>
    <header class="board-head"><h1 class="is-l">${winners.length > 1 ? `${winners.length} share the first place` : `Winner: ${winners[0].name}`}</h1></header>
    <div class="podium-body">
      <ol class="steps-up">${best.map((each, at) => html`<li key=${each.playerId ?? each.name} class=${`step-up at-${at + 1} is-place-${each.place}`}><span class=${`step-name ${sizeOf(each.name)}`}>${each.name}</span><span class="step-points">${points(each.points)}</span><span class="step-block"><b>${each.place}</b></span></li>`)}</ol>
      ${others.length > 0 && html`<ol class="runners">${others.map((each) => html`<li key=${each.playerId ?? each.name}><span class="row-place">${each.place}</span><span class="row-name">${each.name}</span><b class="row-points">${points(each.points)}</b></li>`)}</ol>`}
    </div>
  </section>`;
}
