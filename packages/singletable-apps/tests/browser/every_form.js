// How a browser sends the forms of a page: as they are, emptied, or filled in. Called by test_every_form.py.
({
  /** Fill in a form and send it. Returns “sent”, “invalid”, or “unavailable” if people cannot send it. */
  send: ([place, mode]) => {
    const form = document.forms[place];
    if (!form) return "unavailable";
    for (let at = form.parentElement; at; at = at.parentElement) if (at.matches("details")) at.open = true;
    const button = form.querySelector("button:not([type=button]), input[type=submit]");
    if (!form.checkVisibility() || (button && (button.disabled || !button.checkVisibility()))) return "unavailable";
    const texts = {
      email: "reader@example.org", url: "https://example.org/", number: "2", password: "lantern copper river",
      date: "2030-01-02", "datetime-local": "2030-01-02T10:00", color: "#336699", time: "10:00", month: "2030-01",
    };
    const file = () => {
      const list = new DataTransfer();
      list.items.add(new File(["Name,Email,Skill,Level,Manager\nGrace,grace@example.org,Python,3,Ada\n"], "people.csv", { type: "text/csv" }));
      return list.files;
    };
    const isFilled = mode === "filled";
    for (const field of mode === "unchanged" ? [] : form.elements) {
      if (field.disabled || field.readOnly || field.type === "hidden") continue;
      if (field.matches("select")) field.selectedIndex = isFilled ? field.options.length - 1 : 0;
      else if (field.type === "checkbox") field.checked = isFilled;
      else if (field.type === "radio") field.checked = isFilled && !field.form.querySelector(`[name="${CSS.escape(field.name)}"]:checked`);
      else if (field.type === "file") { if (isFilled) field.files = file(); }
      else if (field.matches("input, textarea")) {
        const text = texts[field.type] ?? "Example";
        field.value = isFilled ? (field.type === "number" ? field.min || text : text.slice(0, field.maxLength > 0 ? field.maxLength : undefined)) : "";
      } else continue;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.dispatchEvent(new Event("change", { bubbles: true }));
    }
    const isValid = form.noValidate || button?.formNoValidate || [...form.elements].every((each) => each.validity?.valid ?? true);
    form.requestSubmit(button?.form === form ? button : null);
    return isValid ? "sent" : "invalid";
  },

  /** Whether the page says why nothing was sent: the browser beside a field that can be seen, or the page itself. */
  isExplained: (place) => {
    const field = document.activeElement;
    if (field?.form === document.forms[place] && field.matches(":invalid") && field.checkVisibility()) return true;
    return [...document.querySelectorAll("dialog[open], [role=alert], .field-error")].some((each) => each.checkVisibility() && each.textContent.trim());
  },
})
