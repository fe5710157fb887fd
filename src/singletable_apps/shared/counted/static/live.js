// A count that is open asks for itself again now and then: not while nobody looks, and not for ever.
const count = () => document.getElementById("count");
const outcome = document.getElementById("outcome");
const every = Number(count()?.dataset.every ?? 5000);

const look = () => {
  if (document.hidden || !count()?.hasAttribute("data-live")) return;
  count().dispatchEvent(new Event("look"));
};

// Not all at the same moment, where a room full of people looks.
const again = () => setTimeout(() => { look(); again(); }, every * (0.8 + 0.4 * Math.random()));

document.addEventListener("visibilitychange", look);
// Who listens hears of another outcome, and not of every ballot.
document.addEventListener("htmx:after:swap", () => {
  const said = count()?.dataset.outcome;
  if (said && outcome.textContent !== said) outcome.textContent = said;
});
document.body.classList.add("is-live");
again();
