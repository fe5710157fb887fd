// Apply the reader's theme before anything is painted. Without a choice, the default of the site stays.
try {
  const chosen = localStorage.getItem("theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  else if (chosen === "auto") delete document.documentElement.dataset.theme;
} catch {
  // Storage is switched off.
}
