// The post editor: slug from the title, toolbar, live preview, saving in place, and a copy in this
// browser of what the server has not kept. Without this script the form works with its buttons.
import { chooseImage, uploadImage } from "./media.js";
import { lang, phrase } from "./texts.js";

const form = document.querySelector("form[data-editor]");
const fields = form.elements;
const text = fields.markdown;
const status = document.querySelector("[data-editor-status]");
const later = (milliseconds, action) => {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
};

// What the form contains, without the fields that saving changes.
const LEFT_OUT = new Set(["revision", "action", "draft", "offer-revision"]);
const entries = () => [...new FormData(form)].filter(([name]) => !LEFT_OUT.has(name));
const snapshot = () => JSON.stringify(entries());
let saved = snapshot();
const isChanged = () => snapshot() !== saved;
const say = (words) => { if (status) status.textContent = words; };

// --- The slug follows the title until someone edits it. -----------------------------------------
// The same as `derive_slug` on the server, which has the last word.
const LETTERS = { æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i", ß: "ss" };
const slugify = (words) => {
  const plain = words.toLowerCase().replace(/[æœøłđðþıß]/g, (letter) => LETTERS[letter]).normalize("NFKD").replace(/\p{M}/gu, "");
  const slug = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return slug.length <= 100 ? slug : slug.slice(0, 101).replace(/-[^-]*$/, "").slice(0, 100);
};
if (fields.slug) {
  let follows = form.dataset.editor === "new" && [slugify(fields.title.value), ""].includes(fields.slug.value);
  fields.slug.addEventListener("input", () => { follows = fields.slug.value === ""; });
  fields.title?.addEventListener("input", () => {
    if (!follows) return;
    fields.slug.value = slugify(fields.title.value);
    fields.slug.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

// --- Counters and the search result. ------------------------------------------------------------
const counter = document.querySelector("[data-count]");
const result = document.querySelector("[data-search-result]");
const show = () => {
  if (counter) {
    const length = [...fields.seo_description.value].length;
    const advice = length === 0 ? "none" : length < 70 ? "short" : length <= 160 ? "good" : "long";
    counter.textContent = `${phrase("length", { length })} ${phrase(`length-${advice}`)}`;
  }
  if (result) {
    result.querySelector("[data-result-title]").textContent = fields.title.value || phrase("title");
    result.querySelector("[data-result-slug]").textContent = fields.slug.value || slugify(fields.title.value) || "…";
    const about = fields.seo_description.value || result.dataset.excerpt || phrase("description");
    result.querySelector("[data-result-text]").textContent = about;
  }
};

// --- The preview is the public page of the form, in the type of the site. -----------------------
const panes = form.querySelector("[data-panes]");
// A frame of its own: the page has the fonts, widths and theme of the site, and runs no scripts.
const preview = document.createElement("iframe");
preview.title = phrase("preview");
preview.setAttribute("sandbox", "allow-same-origin allow-popups allow-popups-to-escape-sandbox");
form.querySelector("[data-preview]").append(preview);
const looks = [...form.querySelectorAll("button[data-look]")];
let look;
const paint = () => {
  const root = preview.contentDocument.documentElement;
  look ??= root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.dataset.theme = look;
  const isOn = (name) => (name === "phone" ? preview.classList.contains("is-phone") : name === look);
  for (const each of looks) each.setAttribute("aria-pressed", String(isOn(each.dataset.look)));
};
preview.addEventListener("load", () => { if (preview.srcdoc) paint(); });
let running = null;
const render = async () => {
  running?.abort();
  const mine = running = new AbortController();
  try {
    const answer = await fetch(form.dataset.previewUrl, {
      method: "POST", body: new URLSearchParams(new FormData(form)), signal: mine.signal, redirect: "error",
    });
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const shown = preview.contentDocument.getElementById("content");
    // Later versions replace the content only, so that the preview stays where it was scrolled to.
    if (shown) shown.innerHTML = page.getElementById("content").innerHTML;
    else {
      for (const script of page.querySelectorAll("script")) script.remove();
      page.head.insertAdjacentHTML("afterbegin", '<base target="_blank">');
      preview.srcdoc = `<!doctype html>${page.documentElement.outerHTML}`;
    }
    preview.classList.remove("is-stale");
    if (result) result.dataset.excerpt = page.querySelector("meta[name=description]")?.content ?? "";
    show();
  } catch (error) {
    if (error.name !== "AbortError") preview.classList.add("is-stale");
  }
};
const renderSoon = later(250, render);
const choose = (pane) => {
  panes.dataset.panes = pane;
  for (const each of form.querySelectorAll("button[data-pane]")) each.setAttribute("aria-pressed", String(each.dataset.pane === pane));
  for (const each of looks) each.hidden = pane === "write";
  render();
};
// Light or dark, and as wide as a phone or as there is room.
for (const button of looks) {
  button.addEventListener("click", () => {
    if (button.dataset.look === "phone") preview.classList.toggle("is-phone");
    else look = button.dataset.look;
    paint();
  });
}

// --- Write, or look at it: beside each other where there is room. -------------------------------
for (const button of form.querySelectorAll("button[data-pane]")) {
  button.hidden = false;
  button.addEventListener("click", () => choose(button.dataset.pane));
}
choose(matchMedia("(max-width: 59.99rem)").matches ? "write" : "both");

// --- The toolbar inserts Markdown. ---------------------------------------------------------------
// insertText keeps the undo history of the browser.
const insert = (words) => {
  text.focus();
  if (!document.execCommand("insertText", false, words)) {
    text.setRangeText(words, text.selectionStart, text.selectionEnd, "end");
    text.dispatchEvent(new Event("input", { bubbles: true }));
  }
};
const wrap = (before, after, placeholder) => {
  const { selectionStart: start, value } = text;
  const chosen = value.slice(start, text.selectionEnd) || placeholder;
  insert(before + chosen + after);
  text.setSelectionRange(start + before.length, start + before.length + chosen.length);
};
const prefix = (mark) => {
  const start = text.value.lastIndexOf("\n", text.selectionStart - 1) + 1;
  const end = text.selectionEnd;
  const lines = text.value.slice(start, end).split("\n").map((line, at) => (typeof mark === "function" ? mark(at) : mark) + line);
  text.setSelectionRange(start, end);
  insert(lines.join("\n"));
};
const image = ({ url, alt }) => insert(`![${(alt || "").replace(/[[\]]/g, "")}](${url})`);
const tools = {
  bold: () => wrap("**", "**", phrase("bold")),
  italic: () => wrap("*", "*", phrase("italic")),
  heading: () => prefix("## "),
  link: () => {
    const chosen = text.value.slice(text.selectionStart, text.selectionEnd);
    const isUrl = /^https?:\/\/\S+$/.test(chosen);
    wrap(isUrl ? `[${phrase("text")}](` : "[", isUrl ? ")" : "](https://)", isUrl ? chosen : phrase("text"));
  },
  list: () => prefix("- "),
  quote: () => prefix("> "),
  code: () => (/\n/.test(text.value.slice(text.selectionStart, text.selectionEnd))
    ? wrap("```\n", "\n```", phrase("code")) : wrap("`", "`", phrase("code"))),
  image: async () => {
    const chosen = await chooseImage(form.dataset.mediaUrl);
    if (chosen) image(chosen);
  },
};
const toolbar = form.querySelector("[data-toolbar]");
if (toolbar) {
  toolbar.hidden = false;
  toolbar.addEventListener("click", (event) => tools[event.target.closest("button")?.dataset.tool]?.());
  // One tab stop; arrows move within.
  const buttons = [...toolbar.querySelectorAll("button[data-tool]")];
  buttons.forEach((button, at) => { button.tabIndex = at ? -1 : 0; });
  toolbar.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(document.activeElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    const target = buttons.at(next % buttons.length);
    for (const button of buttons) button.tabIndex = button === target ? 0 : -1;
    target.focus();
  });
}

// Images that are pasted or dropped are uploaded and inserted.
const take = async (event, files) => {
  const images = [...(files ?? [])].filter((file) => file.type.startsWith("image/"));
  if (!images.length) return;
  event.preventDefault();
  for (const file of images) {
    say(phrase("uploading", { name: file.name }));
    try {
      image(await uploadImage(form.dataset.mediaUrl, file));
      say(phrase("uploaded"));
    } catch (error) {
      say(`${file.name}: ${error.message}`);
    }
  }
};
text.addEventListener("paste", (event) => take(event, event.clipboardData?.files));
text.addEventListener("drop", (event) => take(event, event.dataTransfer?.files));

// --- Saving: Ctrl+S saves in place; conflicts and errors come as a page. -------------------------
const save = async () => {
  const button = form.querySelector("button[data-save]");
  if (form.dataset.editor !== "saved") {
    form.requestSubmit(button);
    return;
  }
  if (!form.reportValidity()) return;
  const sent = snapshot();
  const body = new URLSearchParams(new FormData(form));
  body.set("action", "save");
  say(phrase("saving"));
  try {
    const answer = await fetch(form.getAttribute("action"), { method: "POST", body, headers: { Accept: "application/json" }, redirect: "error" });
    if (!answer.ok) throw new Error("rejected");
    const { revision, slug, text: words } = await answer.json();
    fields.revision.value = revision;
    if (fields.slug) fields.slug.value = slug;
    // Whatever was typed while saving is not saved yet.
    saved = JSON.stringify(JSON.parse(sent).map(([name, value]) => [name, name === "slug" ? slug : value]));
    if (isChanged()) keep(false);
    else forget();
    form.dispatchEvent(new Event("saved"));
    say(isChanged() ? phrase("unsaved") : words);
  } catch {
    // The page that comes says what is wrong, and keeps the text.
    leaving = true;
    form.requestSubmit(button);
  }
};
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key === "s") {
    event.preventDefault();
    save();
  } else if (document.activeElement === text && { b: 1, i: 1, k: 1 }[key] && !event.shiftKey) {
    event.preventDefault();
    tools[{ b: "bold", i: "italic", k: "link" }[key]]();
  }
});

// --- Unsaved text is kept in this browser, and offered again. -----------------------------------
const KEY = `draft:${location.pathname}`;
const read = () => {
  try {
    return JSON.parse(localStorage.getItem(KEY));
  } catch {
    return null;
  }
};
const keep = (submitted) => {
  try {
    localStorage.setItem(KEY, JSON.stringify({ at: Date.now(), revision: fields.revision.value, submitted, entries: entries() }));
  } catch { /* private windows and full disks: the warning before leaving remains */ }
};
const forget = () => { try { localStorage.removeItem(KEY); } catch { /* as above */ } };
let leaving = false;
// While the form is being sent, what is kept is marked as submitted.
const keepSoon = later(400, () => { if (leaving) return; if (isChanged()) keep(false); else forget(); });

form.addEventListener("submit", () => {
  leaving = true;
  if (isChanged()) keep(true);
});
let hasFailed = false;
form.addEventListener("kept", () => { hasFailed = false; forget(); });
form.addEventListener("unkept", () => { hasFailed = true; });
// What the server has kept, or keeps when the page is left, needs no warning.
addEventListener("beforeunload", (event) => {
  if (!leaving && isChanged() && hasFailed) event.preventDefault();
});
addEventListener("pageshow", () => { leaving = false; });

const draft = read();
const notice = document.querySelector("[data-restore]");
const offer = document.querySelector("[data-offer]");
// The server has what was typed here, or something newer; its clock has whole seconds.
const isKept = offer && draft && draft.at < 1000 * (Number(offer.dataset.offer) + 2);
const isSaved = isKept || (draft?.submitted && draft.revision !== fields.revision.value);
if (form.dataset.editor === "shown-again") {
  saved = ""; // the form came back with errors, a conflict or a preview: nothing is saved yet
  keep(false);
} else if (!draft || isSaved || JSON.stringify(draft.entries) === saved) {
  forget();
} else if (notice) {
  notice.hidden = false;
  if (offer) offer.hidden = true;
  const at = new Date(draft.at).toLocaleString(lang, { dateStyle: "medium", timeStyle: "short" });
  notice.querySelector("[data-restore-time]").textContent = at;
  notice.addEventListener("click", (event) => {
    const choice = event.target.closest("button")?.value;
    if (!choice) return;
    if (choice === "restore") {
      const inputs = new Map(draft.entries);
      for (const [name, value] of inputs) if (fields[name]) fields[name].value = value;
      show();
      render();
      say(phrase("restored"));
    } else forget();
    notice.hidden = true;
    text.focus();
  });
}
// A new post that was saved has another page now.
if (form.dataset.editor === "saved") {
  try {
    const key = `draft:${location.pathname.replace(/[^/]+$/, "new")}`;
    const kept = JSON.parse(localStorage.getItem(key));
    if (kept?.submitted && new Map(kept.entries).get("title")?.trim() === fields.title?.value) localStorage.removeItem(key);
  } catch { /* nothing is kept */ }
}

// --- The featured image. -------------------------------------------------------------------------
const picture = document.querySelector("[data-featured]");
const showPicture = () => {
  const url = fields.featured_image_url?.value ?? "";
  if (!picture) return;
  picture.hidden = !/^(\/|https:)/.test(url);
  if (!picture.hidden && picture.getAttribute("src") !== url) picture.src = url;
};

for (const button of form.querySelectorAll("[data-without-scripts]")) button.hidden = true;
form.addEventListener("input", (event) => {
  show();
  showPicture();
  keepSoon();
  say(isChanged() ? phrase("unsaved") : "");
  renderSoon();
});
form.addEventListener("change", show);
show();
showPicture();
