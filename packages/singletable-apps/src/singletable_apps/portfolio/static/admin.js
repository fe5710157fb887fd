// Small things on the pages for authors: select all, drag to reorder, image fields, and the contrast of the accent color.
import "./drafts.js";
import { chooseImage } from "./media.js";
import { lang, phrase } from "./texts.js";

// Select every comment at once.
for (const all of document.querySelectorAll("input[data-select-all]")) {
  all.closest("label").hidden = false;
  const boxes = () => [...document.querySelectorAll(`input[name="${all.dataset.selectAll}"]`)];
  all.addEventListener("change", () => { for (const box of boxes()) box.checked = all.checked; });
  document.addEventListener("change", () => { all.checked = boxes().every((box) => box.checked); });
}

// Drag entries by their handle; the server stores the position.
for (const list of document.querySelectorAll("[data-arrange]")) {
  let dragged = null;
  for (const row of list.children) {
    const handle = row.querySelector("[data-handle]");
    handle.hidden = false;
    handle.addEventListener("pointerdown", () => { row.draggable = true; });
    handle.addEventListener("pointerup", () => { row.draggable = false; });
    row.addEventListener("dragstart", (event) => {
      dragged = row;
      event.dataTransfer.effectAllowed = "move";
      row.classList.add("is-dragged");
    });
    row.addEventListener("dragend", () => {
      row.draggable = false;
      row.classList.remove("is-dragged");
      const form = row.querySelector("form[data-move]");
      form.elements.to.value = [...list.children].indexOf(row);
      form.requestSubmit(form.querySelector("button[data-drop]"));
    });
    row.addEventListener("dragover", (event) => {
      if (!dragged || dragged === row) return;
      event.preventDefault();
      const { top, height } = row.getBoundingClientRect();
      list.insertBefore(dragged, event.clientY < top + height / 2 ? row : row.nextSibling);
    });
  }
}

// Fields with the URL of an image: choose it from the library.
for (const button of document.querySelectorAll("button[data-choose-image]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const { elements, dataset } = button.form;
    const chosen = await chooseImage(dataset.mediaUrl);
    if (!chosen) return;
    const [url, alt] = button.dataset.chooseImage.split(" ");
    elements[url].value = chosen.url;
    if (elements[alt] && !elements[alt].value) elements[alt].value = chosen.alt;
    elements[url].dispatchEvent(new Event("input", { bubbles: true }));
  });
}

// Say whether text in the accent color can be read on a white page (WCAG contrast).
const accent = document.querySelector("input[type=color]");
const hint = document.querySelector("[data-contrast]");
if (accent && hint) {
  const luminance = (color) => {
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const show = () => {
    const ratio = 1.05 / (luminance(accent.value) + 0.05);
    const isReadable = ratio >= 4.5;
    const shown = ratio.toLocaleString(lang, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
    hint.textContent = phrase(isReadable ? "contrast-good" : "contrast-pale", { ratio: shown });
    hint.dataset.contrast = isReadable ? "good" : "warning";
  };
  accent.addEventListener("input", show);
  show();
}
