// Images: upload with progress, choose one from the library, drop files on the page, copy Markdown.
import { phrase } from "./texts.js";

// As `MAX_BYTES` of shared.images: the server closes the connection on larger files without a word.
const MAX_BYTES = 15_000_000;

// Upload one file; return {url, alt}, or throw an error with the reason.
export function uploadImage(url, file, onProgress = () => {}) {
  return new Promise((resolve, reject) => {
    if (file.size > MAX_BYTES) {
      reject(new Error(phrase("too-large", { size: MAX_BYTES / 1_000_000 })));
      return;
    }
    const body = new FormData();
    body.append("files", file);
    const request = new XMLHttpRequest();
    request.open("POST", url);
    request.setRequestHeader("Accept", "application/json");
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    });
    request.addEventListener("load", () => {
      const result = request.response?.files?.[0];
      if (request.status === 200 && result && !result.error) resolve(result);
      else if (request.status === 401) reject(new Error(phrase("signed-out")));
      else reject(new Error(result?.error ?? request.response?.detail ?? phrase("upload-failed")));
    });
    request.addEventListener("error", () => reject(new Error(phrase("offline"))));
    request.send(body);
  });
}

// Show the library in a dialog; return {url, alt} or null.
export async function chooseImage(url) {
  const answer = await fetch(url, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const dialog = document.createElement("dialog");
  dialog.className = "dialog picker";
  dialog.setAttribute("aria-labelledby", "picker-title");
  const heading = document.createElement("h2");
  heading.id = "picker-title";
  heading.textContent = phrase("choose-image");
  const grid = document.createElement("div");
  grid.className = "picker-grid";
  for (const item of page.querySelectorAll("[data-media]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "picker-item";
    button.append(document.importNode(item.querySelector("img"), true));
    button.addEventListener("click", () => close({ url: item.dataset.media, alt: item.dataset.alt }));
    grid.append(button);
  }
  const note = document.createElement("p");
  note.className = "quiet";
  note.setAttribute("role", "status");
  note.textContent = grid.children.length ? "" : phrase("no-images");
  const actions = document.createElement("div");
  actions.className = "actions";
  const input = document.createElement("input");
  input.type = "file";
  input.accept = "image/*";
  input.className = "sr-only";
  input.id = "picker-file";
  const label = document.createElement("label");
  label.className = "button button-quiet";
  label.htmlFor = input.id;
  label.textContent = phrase("upload-image");
  const cancel = document.createElement("button");
  cancel.type = "button";
  cancel.className = "button button-plain";
  cancel.textContent = phrase("cancel");
  actions.append(input, label, cancel);
  dialog.append(heading, grid, note, actions);
  document.body.append(dialog);
  let close;
  const chosen = new Promise((resolve) => {
    close = (value) => {
      resolve(value);
      dialog.close();
      dialog.remove();
    };
  });
  cancel.addEventListener("click", () => close(null));
  dialog.addEventListener("cancel", () => close(null));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) close(null); });
  input.addEventListener("change", async () => {
    note.textContent = phrase("uploading", { name: input.files[0].name });
    try {
      close(await uploadImage(url, input.files[0]));
    } catch (error) {
      note.textContent = error.message;
    }
  });
  dialog.showModal();
  return chosen;
}

// The library page: drop files anywhere, see the progress of each.
const drop = document.querySelector("form[data-upload]");
if (drop) {
  const input = drop.elements.files;
  const list = drop.querySelector("[data-uploads]");
  drop.querySelector("[data-drop-hint]").hidden = false;
  drop.querySelector("[data-without-scripts]").hidden = true; // choosing files uploads them
  const send = async (files) => {
    let done = 0;
    await Promise.all([...files].map(async (file) => {
      const row = document.createElement("li");
      const name = document.createElement("span");
      name.textContent = file.name;
      const bar = document.createElement("progress");
      bar.max = 1;
      bar.value = 0;
      bar.setAttribute("aria-label", phrase("uploading", { name: file.name }));
      row.append(name, bar);
      list.append(row);
      try {
        await uploadImage(drop.getAttribute("action"), file, (part) => { bar.value = part; });
        done += 1;
        row.remove();
      } catch (error) {
        const reason = document.createElement("span");
        reason.className = "upload-error";
        reason.textContent = error.message;
        bar.replaceWith(reason);
      }
    }));
    if (done && !list.children.length) location.reload();
    else if (done) {
      drop.querySelector("[data-uploads-done]").hidden = false;
      document.querySelector("main .empty")?.remove();
    }
    input.value = "";
  };
  input.addEventListener("change", () => { if (input.files.length) send(input.files); });
  for (const name of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
      event.preventDefault();
      drop.classList.toggle("is-over", name === "dragover");
      if (name === "drop") send(event.dataTransfer.files);
    });
  }
}
