// The option rows of the poll form: add and remove rows, and paste a list into several.
const CROSS = '<svg viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="M5.5 5.5l9 9M14.5 5.5l-9 9"/></svg>';
const MIN_ROWS = 2;

for (const group of document.querySelectorAll("[data-options]")) enhance(group);

function enhance(group) {
  const list = group.querySelector("ol");
  const more = group.querySelector("[data-more]");
  const max = Number(group.dataset.max);
  const rows = () => [...list.children];
  const field = (row) => row.querySelector("input");

  for (const row of rows().slice(MIN_ROWS).reverse()) {
    if (field(row).value) break;
    row.remove();
  }
  for (const row of rows()) addControls(row);
  more.querySelector("span").textContent = "Add an option";
  more.addEventListener("click", (event) => {
    event.preventDefault();
    field(insert(rows().at(-1)))?.focus();
  });
  group.querySelector("[data-hint]").hidden = false;
  const adding = group.querySelector("[data-date-add]");
  adding.hidden = false;
  adding.querySelector("button").addEventListener("click", () => {
    const [day, time] = adding.querySelectorAll("input");
    if (!day.value) return day.focus();
    const row = rows().find((one) => !field(one).value) ?? insert(rows().at(-1));
    field(row).value = `${day.value} ${time.value}`.trim();
    number();
    day.focus();
  });
  group.classList.add("is-live");
  number();

  function addControls(row) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "option-remove";
    button.innerHTML = CROSS;
    button.addEventListener("click", () => remove(row));
    field(row).after(button);
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
      let last = row;
      lines.forEach((line, place) => {
        if (place) last = last.nextElementSibling && !field(last.nextElementSibling).value ? last.nextElementSibling : insert(last);
        field(last).value = line;
      });
      field(last).focus();
      number();
    });
    field(row).addEventListener("input", number);
  }

  // Pasting may exceed the maximum: nothing is lost, and the server reports the error.
  function insert(after) {
    const row = after.cloneNode(true);
    row.classList.remove("is-invalid");
    for (const old of row.querySelectorAll(".field-error, .option-remove")) old.remove();
    for (const name of ["aria-invalid", "aria-describedby"]) field(row).removeAttribute(name);
    field(row).value = "";
    field(row).placeholder = "Another option";
    after.after(row);
    addControls(row);
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
    all.forEach((row, index) => {
      const label = row.querySelector("label");
      field(row).id = label.htmlFor = `f-candidates-${index}`;
      label.lastChild.textContent = String(index + 1);
      const button = row.querySelector(".option-remove");
      button.hidden = all.length <= MIN_ROWS;
      button.setAttribute("aria-label", `Remove ${field(row).value || `option ${index + 1}`}`);
    });
    more.disabled = all.length >= max;
  }
}
