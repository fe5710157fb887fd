// Live updates: an open result follows a stream of events, and fetches itself whenever its version changes.
// While the stream is not open, it polls instead.
const count = () => document.getElementById("count");
const announcement = document.getElementById("outcome");
const interval = Number(count()?.dataset.interval ?? 5000);
let stream;

const isOpen = () => stream?.readyState === EventSource.OPEN;
const refresh = () => {
  if (document.hidden) return;
  if (count()?.hasAttribute("data-live")) count().dispatchEvent(new Event("refresh"));
  else stream?.close();
};
const listen = () => {
  const { events, version } = count()?.dataset ?? {};
  if (!events || document.hidden) return;
  stream = new EventSource(`${events}?version=${encodeURIComponent(version)}`);
  stream.addEventListener("change", (event) => {
    if (event.data !== count()?.dataset.version) refresh();
  });
};

// Jitter, so that a room full of people does not ask at the same time.
const poll = () => setTimeout(() => { if (!isOpen()) refresh(); poll(); }, interval * (0.8 + 0.4 * Math.random()));

// A hidden page holds no connection; browsers allow few of them per site.
document.addEventListener("visibilitychange", () => {
  stream?.close();
  refresh();
  listen();
});
// Screen readers announce a new outcome, not every ballot.
document.addEventListener("htmx:after:swap", () => {
  const outcome = count()?.dataset.outcome;
  if (outcome && announcement.textContent !== outcome) announcement.textContent = outcome;
});
document.body.classList.add("is-live");
listen();
poll();
