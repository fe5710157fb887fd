// Live updates: while the page is visible, an open result reloads itself every few seconds.
const count = () => document.getElementById("count");
const announcement = document.getElementById("outcome");
const interval = Number(count()?.dataset.interval ?? 5000);

const refresh = () => {
  if (document.hidden || !count()?.hasAttribute("data-live")) return;
  count().dispatchEvent(new Event("refresh"));
};

// Jitter, so that a room full of people does not ask at the same time.
const schedule = () => setTimeout(() => { refresh(); schedule(); }, interval * (0.8 + 0.4 * Math.random()));

document.addEventListener("visibilitychange", refresh);
// Screen readers announce a new outcome, not every ballot.
document.addEventListener("htmx:after:swap", () => {
  const outcome = count()?.dataset.outcome;
  if (outcome && announcement.textContent !== outcome) announcement.textContent = outcome;
});
document.body.classList.add("is-live");
schedule();
