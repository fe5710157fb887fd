// Small things on the pages for authors: select all, drag to reorder, image fields, and the contrast of the accent color.
import { chooseImage } from "./media.js";

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
if (!document.querySelector("form[data-editor]")) {
  for (const button of document.querySelectorAll("button[data-choose-image]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const { form } = button;
      const chosen = await chooseImage(form.dataset.mediaUrl);
      if (!chosen) return;
      const [url, alt] = button.dataset.chooseImage.split(" ");
      form.elements[url].value = chosen.url;
      if (alt && form.elements[alt] && !form.elements[alt].value) form.elements[alt].value = chosen.alt;
    });
  }
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
    const verdict = isReadable ? "Easy to read." : "Too pale for text, which gets a darker shade of it.";
    hint.textContent = `Contrast on white ${ratio.toFixed(1)} : 1. ${verdict}`;
    hint.dataset.contrast = isReadable ? "good" : "warning";
  };
  accent.addEventListener("input", show);
  show();
}
