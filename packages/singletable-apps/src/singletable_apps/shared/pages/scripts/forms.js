// A browser refuses to send a form with an invalid field, and names a field only if it can be seen.
document.addEventListener("invalid", (event) => {
  for (let at = event.target.parentElement; at; at = at.parentElement) if (at.matches("details")) at.open = true;
}, true);
