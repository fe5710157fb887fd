// Rows of options: two to begin with, and one more whenever it is wanted; a list that is pasted fills several.
const CROSS = '<svg viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="M5.5 5.5l9 9M14.5 5.5l-9 9"/></svg>';
const FEWEST = 2;

for (const group of document.querySelectorAll("[data-options]")) enhance(group);

function enhance(group) {
  const list = group.querySelector("ol");
  const more = group.querySelector("[data-more]");
  const most = Number(group.dataset.most);
  const rows = () => [...list.children];
  const field = (row) => row.querySelector("input");

  for (const row of rows().slice(FEWEST).reverse()) {
    if (field(row).value) break;
    row.remove();
  }
  for (const row of rows()) equip(row);
  more.querySelector("span").textContent = "Add an option";
  more.addEventListener("click", (event) => {
    event.preventDefault();
    field(insert(rows().at(-1)))?.focus();
  });
  group.querySelector("[data-hint]").hidden = false;
  group.classList.add("is-live");
  number();

  function equip(row) {
    const away = document.createElement("button");
    away.type = "button";
    away.className = "option-away";
    away.innerHTML = CROSS;
    away.addEventListener("click", () => remove(row));
    field(row).after(away);
    field(row).addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      const next = row.nextElementSibling;
      field(next && !field(next).value ? next : insert(row)).focus();
    });
    field(row).addEventListener("paste", (event) => {
      const lines = event.clipboardData.getData("text").split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
      if (lines.length < 2) return;
      event.preventDefault();
      let at = row;
      lines.forEach((line, place) => {
        if (place) at = at.nextElementSibling && !field(at.nextElementSibling).value ? at.nextElementSibling : insert(at);
        field(at).value = line;
      });
      field(at).focus();
      number();
    });
    field(row).addEventListener("input", number);
  }

  // However many are pasted, none is lost: the server says when there are too many.
  function insert(after) {
    const row = after.cloneNode(true);
    row.classList.remove("is-invalid");
    for (const old of row.querySelectorAll(".fault, .option-away")) old.remove();
    for (const name of ["aria-invalid", "aria-describedby"]) field(row).removeAttribute(name);
    field(row).value = "";
    field(row).placeholder = "Another option";
    after.after(row);
    equip(row);
    number();
    return row;
  }

  function remove(row) {
    const near = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    number();
    field(near).focus();
  }

  function number() {
    const all = rows();
    all.forEach((row, at) => {
      const label = row.querySelector("label");
      field(row).id = label.htmlFor = `f-candidates-${at}`;
      label.lastChild.textContent = String(at + 1);
      const away = row.querySelector(".option-away");
      away.hidden = all.length <= FEWEST;
      away.setAttribute("aria-label", `Remove ${field(row).value || `option ${at + 1}`}`);
    });
    more.disabled = all.length >= most;
  }
}
