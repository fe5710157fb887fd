// What scripts say, in the language of the site: from the template in admin/frame.html.
const texts = document.getElementById("texts").content;
export const { lang } = document.documentElement;
export const phrase = (name, values = {}) =>
  texts.querySelector(`[data-text="${name}"]`).textContent.replace(/\{(\w+)\}/g, (_, key) => values[key]);
