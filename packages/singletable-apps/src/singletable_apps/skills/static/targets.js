// The form of a job: add empty rows, up to as many targets as a job can have.
const button = document.querySelector("#add-target");
const rows = () => [...document.querySelectorAll(".target-row")];
const most = Number(button.dataset.most);

button.hidden = false;
button.addEventListener("click", () => {
  const row = rows().at(-1).cloneNode(true);
  const number = rows().length + 1;
  const [skill, level] = row.querySelectorAll("input, select");
  skill.value = "";
  skill.setAttribute("aria-label", `Skill ${number}`);
  level.setAttribute("aria-label", `Level of skill ${number}`);
  button.before(row);
  button.hidden = number >= most;
  skill.focus();
});
