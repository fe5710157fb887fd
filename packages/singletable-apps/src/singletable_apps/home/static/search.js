// Search in the guide from every page: Ctrl-K, / or the link opens a dialog with results as you type.
// Without a connection, the headings are searched, which were loaded after the page.
const url = "/guide/search";
const dialog = document.createElement("dialog");
dialog.className = "search-dialog";
dialog.setAttribute("aria-label", "Search the guide");
const form = Object.assign(document.createElement("form"), { action: url, className: "guide-search" });
form.setAttribute("role", "search");
const field = Object.assign(document.createElement("input"), { type: "search", className: "input", name: "q", maxLength: 200, autocomplete: "off", placeholder: "Search the guide and the reference" });
field.setAttribute("aria-label", field.placeholder);
const results = document.createElement("div");
results.setAttribute("aria-live", "polite");
form.append(field);
dialog.append(form, results);
document.body.append(dialog);

let headings = [];
addEventListener("load", async () => {
  try {
    headings = await (await fetch(`${url}/headings`)).json();
  } catch { /* the search says that there is no connection */ }
});

async function askServer() {
  const answer = await fetch(`${url}?q=${encodeURIComponent(field.value)}`, { headers: { Accept: "text/html" } });
  const found = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("results");
  return found ? [...found.childNodes] : [];
}

function element(name, className, ...children) {
  const made = Object.assign(document.createElement(name), { className });
  made.append(...children);
  return made;
}

function searchHeadings() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const hasAll = text => words.every(word => text.toLowerCase().includes(word));
  const found = words.length ? headings.filter(([, heading, page]) => hasAll(`${heading} ${page}`)) : [];
  const rank = ([, heading, page]) => hasAll(heading) * (heading === page ? 2 : 1);
  found.sort((one, other) => rank(other) - rank(one));
  const hits = found.slice(0, 30).map(([href, heading, page]) => {
    const link = element("a", "", element("strong", "", heading), " ", element("span", "meta", page));
    link.href = href;
    return element("li", "", link);
  });
  const note = words.length && !hits.length ? `No connection, and no heading has all the words of “${field.value}”.` : "No connection: only headings are searched.";
  return [element("p", "guide-none", note), element("ol", "guide-hits", ...hits)];
}

let latest = 0;
async function search() {
  const number = ++latest;
  const found = await askServer().catch(searchHeadings);
  if (number === latest) results.replaceChildren(...found);
}

function open(event) {
  event.preventDefault();
  if (!dialog.open) dialog.showModal();
  field.select();
  search();
}

function move(step) {
  const stops = [field, ...results.querySelectorAll("a")];
  const at = stops.indexOf(document.activeElement);
  stops[(at + step + stops.length) % stops.length].focus();
}

field.addEventListener("input", search);
form.addEventListener("submit", async event => {
  event.preventDefault();
  // The results may still be those of fewer letters.
  await search();
  const first = results.querySelector("a");
  if (first) { location.assign(first.href); dialog.close(); }
});
dialog.addEventListener("click", event => { if (event.target === dialog || event.target.closest("a")) dialog.close(); });
dialog.addEventListener("keydown", event => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) { event.preventDefault(); move(step); }
});
document.addEventListener("keydown", event => {
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
  if ((event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !isTyping)) open(event);
});
if (location.pathname !== url) {
  for (const link of document.querySelectorAll(`a[href="${url}"]`)) link.addEventListener("click", open);
}
