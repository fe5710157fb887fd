// Turns a textarea with one name per line into one field per name; the textarea is still what is submitted.
const CROSS = '<svg viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="M5.5 5.5l9 9M14.5 5.5l-9 9"/></svg>';

for (const area of document.querySelectorAll("[data-name-list] textarea")) enhance(area);

function enhance(area) {
  const what = area.closest("[data-name-list]").dataset.nameList;
  const list = document.createElement("ol");
  list.className = "rows";
  const add = document.createElement("button");
  add.type = "button";
  add.className = "button button-quiet rows-add";
  add.textContent = `Add a ${what}`;
  add.addEventListener("click", () => insert("", null).focus());
  const hint = document.getElementById(`${area.id}-hint`);
  if (hint) hint.textContent = hint.textContent.replace(", one per line", "");
  area.hidden = true;
  area.required = false;
  area.after(list, add);
  const names = area.value.split("\n").filter((line) => line.trim());
  for (const name of names.length ? names : ["", ""]) insert(name, null);
  // The fields with the same name are marked one by one, not the whole list.
  if (list.querySelector(".is-invalid")) area.closest(".field").classList.remove("is-invalid");

  function keep() {
    const rows = [...list.querySelectorAll("input")];
    area.value = rows.map((field) => field.value.trim()).filter(Boolean).join("\n");
    const folded = rows.map((field) => field.value.trim().toLowerCase());
    rows.forEach((field, at) => {
      const isRepeated = folded[at] && folded.indexOf(folded[at]) !== folded.lastIndexOf(folded[at]);
      field.parentElement.classList.toggle("is-invalid", Boolean(isRepeated));
      field.setAttribute("aria-invalid", String(Boolean(isRepeated)));
      field.setAttribute("aria-label", `${what} ${at + 1}`);
      field.previousElementSibling.textContent = at + 1;
      field.nextElementSibling.setAttribute("aria-label", `Remove ${field.value || `${what} ${at + 1}`}`);
    });
  }

  function insert(name, after) {
    const row = document.createElement("li");
    row.className = "row";
    row.innerHTML = '<span class="row-number" aria-hidden="true"></span><input class="input" maxlength="200" autocomplete="off"><button type="button" class="row-away"></button>';
    const [, field, away] = row.children;
    away.innerHTML = CROSS;
    field.value = name;
    field.addEventListener("input", keep);
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      const next = row.nextElementSibling?.querySelector("input");
      (next && !next.value ? next : insert("", row)).focus();
    });
    field.addEventListener("paste", (event) => {
      const lines = event.clipboardData.getData("text").split(/\r?\n/).filter((line) => line.trim());
      if (lines.length < 2) return;
      event.preventDefault();
      field.value = lines[0].trim();
      let last = row;
      for (const line of lines.slice(1)) last = insert(line.trim(), last).parentElement;
      keep();
    });
    away.addEventListener("click", () => {
      const near = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      keep();
      (near?.querySelector("input") ?? add).focus();
    });
    if (after) after.after(row);
    else list.append(row);
    keep();
    return field;
  }
}
