// The look in the settings: the home page of the site in a frame, with styles that are not saved.
import { phrase } from "./texts.js";

const form = document.querySelector("form[data-look]");
const frame = document.createElement("iframe");
frame.title = phrase("preview");
frame.setAttribute("sandbox", "allow-same-origin allow-popups allow-popups-to-escape-sandbox");
form.querySelector("[data-look-preview]").append(frame);

let latest = 0;
async function paint() {
  const mine = ++latest;
  const answer = await fetch(form.dataset.look, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "error" });
  const styles = await answer.text();
  if (mine !== latest) return;
  // While styles are incomplete, the frame keeps those before.
  const isValid = answer.status === 200;
  frame.classList.toggle("is-stale", !isValid);
  if (!isValid) return;
  const page = frame.contentDocument;
  const sheet = new frame.contentWindow.CSSStyleSheet();
  sheet.replaceSync(styles);
  page.adoptedStyleSheets = [sheet];
  const { theme } = Object.fromEntries(new FormData(form));
  if (theme === "auto") delete page.documentElement.dataset.theme;
  else page.documentElement.dataset.theme = theme;
}
const paintOrDim = () => paint().catch(() => frame.classList.add("is-stale"));

let timer;
form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(paintOrDim, 150);
});
frame.addEventListener("load", () => { if (frame.srcdoc) paintOrDim(); });
const home = new DOMParser().parseFromString(await (await fetch(form.dataset.home)).text(), "text/html");
for (const each of home.querySelectorAll('script, link[href*="custom.css"]')) each.remove();
home.head.insertAdjacentHTML("afterbegin", '<base target="_blank">');
frame.srcdoc = `<!doctype html>${home.documentElement.outerHTML}`;
