// Scroll the table of contents to the current page, without moving the document.
const contents = document.querySelector(".guide-contents");
const current = contents.querySelector("[aria-current]");
if (current) contents.scrollTop = current.offsetTop - contents.clientHeight / 3;
