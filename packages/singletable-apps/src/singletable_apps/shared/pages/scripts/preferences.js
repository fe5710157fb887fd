// The zone and the theme of who reads, kept in cookies so that pages come as they shall look.
const YEAR = 60 * 60 * 24 * 365;
const cookie = (name) => document.cookie.split("; ").find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
const keep = (name, value) => {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${name}=${value}; Path=/; Max-Age=${value ? YEAR : 0}; SameSite=Lax${secure}`;
};

const keepZone = () => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && cookie("zone") !== zone) keep("zone", zone);
};
// A browser takes long to say its zone. It has seldom changed, so the page is shown first.
if (cookie("zone")) (window.requestIdleCallback ?? setTimeout)(keepZone);
else {
  keepZone();
  // The server did not know the zone of this first page. Times in a message would be lost.
  const isZoned = document.querySelector("time, [data-zoned], [type=datetime-local]") && !document.querySelector("[data-flash]");
  if (isZoned && (cookie("zone") ?? "UTC") !== "UTC") location.reload();
}

const root = document.documentElement;
const picker = document.querySelector("[data-theme-picker]");
if (picker) {
  picker.hidden = false;
  const show = (theme) => {
    for (const button of picker.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.value === theme));
    }
  };
  show(root.dataset.theme ?? "");
  picker.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.value) root.dataset.theme = button.value;
    else delete root.dataset.theme;
    keep("theme", button.value);
    show(button.value);
  });
}

// Menus close when one looks elsewhere, or presses Escape.
const menus = () => document.querySelectorAll("details[data-menu][open]");
document.addEventListener("click", (event) => {
  for (const menu of menus()) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of menus()) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// On a phone the navigation scrolls: show the current page.
for (const current of document.querySelectorAll(".nav [aria-current], .tabs [aria-current]")) {
  const list = current.closest(".nav, .tabs");
  const [inner, outer] = [current.getBoundingClientRect(), list.getBoundingClientRect()];
  list.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
}
