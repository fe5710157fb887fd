// Everything here improves a page that works without it.
const root = document.documentElement;

// The theme: automatic, light or dark.
const picker = document.querySelector("[data-theme-picker]");
if (picker) {
  const show = (theme) => {
    for (const button of picker.children) button.setAttribute("aria-pressed", String(button.value === theme));
  };
  picker.hidden = false;
  show(root.dataset.theme ?? "auto");
  picker.addEventListener("click", ({ target }) => {
    if (!(target instanceof HTMLButtonElement)) return;
    if (target.value === "auto") delete root.dataset.theme;
    else root.dataset.theme = target.value;
    show(target.value);
    try {
      localStorage.setItem("theme", target.value);
    } catch {
      // Storage is switched off: the choice is good for this page.
    }
  });
}

// Likes: show the click at once, then what the server counted.
const form = document.querySelector("[data-like]");
if (form) {
  // `form.action` would be the button of that name.
  const button = form.querySelector("button");
  const count = form.querySelector("[data-count]");
  const message = form.querySelector("[role=status]");
  let liked = button.getAttribute("aria-pressed") === "true";
  let busy = false;
  let isTouched = false;
  const show = (state) => {
    liked = state.liked;
    button.setAttribute("aria-pressed", String(liked));
    button.value = liked ? "unlike" : "like";
    count.textContent = state.count ? state.count.toLocaleString(form.dataset.language) : form.dataset.none;
    count.dataset.count = state.count;
  };
  const ask = async (url, options) => {
    const answer = await fetch(url, { headers: { Accept: "application/json" }, ...options });
    if (!answer.ok) throw new Error(answer.status);
    return answer.json();
  };
  // The answer may come after a click, which knows better.
  ask(form.dataset.like).then((state) => isTouched || show(state), () => {});
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (busy) return;
    busy = isTouched = true;
    const before = { liked, count: Number(count.dataset.count) };
    const body = new URLSearchParams({ action: liked ? "unlike" : "like" });
    show({ liked: !liked, count: Math.max(0, before.count + (liked ? -1 : 1)) });
    button.classList.toggle("is-new", liked);
    message.textContent = "";
    try {
      // A reader who leaves the page at once has still clicked.
      show(await ask(form.getAttribute("action"), { method: "POST", body, keepalive: true }));
    } catch (error) {
      show(before);
      button.classList.remove("is-new");
      message.textContent = error.message === "429" ? form.dataset.wait : form.dataset.failed;
    }
    busy = false;
  });
}

// Copy the link of the page, or share it where the system can.
const share = document.querySelector("[data-share]");
if (share) {
  const label = share.querySelector("span");
  const text = label.textContent;
  share.hidden = false;
  share.addEventListener("click", async () => {
    const url = share.dataset.share;
    const touch = matchMedia("(pointer: coarse)").matches;
    if (touch && navigator.share) {
      navigator.share({ title: document.title, url }).catch(() => {});
      return;
    }
    try {
      await navigator.clipboard.writeText(url);
      label.textContent = share.dataset.copied;
    } catch {
      label.textContent = share.dataset.blocked;
    }
    setTimeout(() => { label.textContent = text; }, 2500);
  });
}

// Count the view once the page is really shown, unless the reader asked not to be counted.
const view = document.querySelector("[data-view]");
if (view && !navigator.globalPrivacyControl && navigator.doNotTrack !== "1") {
  const send = () => fetch(view.dataset.view, { method: "POST", keepalive: true }).catch(() => {});
  if (document.visibilityState === "visible" && !document.prerendering) send();
  else document.addEventListener("visibilitychange", send, { once: true });
}
