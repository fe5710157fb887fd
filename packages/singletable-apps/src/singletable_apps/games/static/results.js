// What the answers to a question amount to, for the host and the big screen.

/** The parts of a choice, a number, a ranking or an order that are drawn, from the tally of its answers. Who may choose
 * several options is counted once in `answers`; `correct` is the right order of an order.
 * @param {any} question @param {Record<string, number>} tally @param {number} answers @param {string[]} correct */
export function summarize(question, tally, answers = 0, correct = []) {
  const total = answers || Object.values(tally).reduce((sum, each) => sum + each, 0);
  if (question.type === "rank") return { rows: rank(question.options, tally), total, mean: null };
  const steps = question.bars ?? [...question.options ?? []];
  if (question.type === "order") steps.sort((one, other) => correct.indexOf(one.id) - correct.indexOf(other.id));
  const most = Math.max(1, ...steps.map((each) => tally[each.id] ?? 0));
  const rows = steps.map((each) => {
    const votes = tally[each.id] ?? 0;
    return { ...each, votes, place: 0, share: total ? votes / total : 0, size: votes / most, note: "" };
  });
  const sum = question.type === "rating" ? rows.reduce((so, each) => so + Number(each.id) * each.votes, 0) : 0;
  return { rows, total, mean: question.type === "rating" && total ? sum / total : null };
}

/** Options by their mean position, best first. Keys of the tally are orders like "b>a>c". */
function rank(options, tally) {
  const sums = Object.fromEntries(options.map((each) => [each.id, 0]));
  let total = 0;
  for (const [order, votes] of Object.entries(tally)) {
    total += votes;
    order.split(">").forEach((id, place) => { if (id in sums) sums[id] += (place + 1) * votes; });
  }
  return options.map((each) => {
    const mean = total ? sums[each.id] / total : 0;
    const size = total ? (options.length + 1 - mean) / options.length : 0;
    return { ...each, votes: total, place: mean, share: size, size, note: total ? `average place ${mean.toFixed(1)}` : "" };
  }).sort((one, other) => other.size - one.size);
}

/** A number of a slider, which may be a year: only large ones have commas. @param {number} number */
export const numeral = (number) => (Math.abs(number) < 10000 ? `${number}` : number.toLocaleString("en"));

/** @param {number} share */
export const percent = (share) => `${Math.round(share * 100)} %`;

/** The letter on a tile: A to H, or nothing for yes and no. @param {string} id */
export const letterOf = (id) => (/^[a-h]$/.test(id) ? id.toUpperCase() : "");
