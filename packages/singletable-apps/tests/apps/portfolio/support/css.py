"""Parts of stylesheets that try to leave the content."""

from __future__ import annotations

CSS_PARTS = (
    *"+~>|&,*.:#[]()",
    *("\u00a0", "\x85", "\u1680", "\u2003", "\u2028", "\u202f", "\u3000", "\ufeff", "\x0b", "\x1c"),
    *(" ", "\n", "\t", "\f", "/**/", "\\", "\\a0 ", "\\2028 ", "\\20 ", "\\a "),
    *("footer", "header", "h2", "p", "body", "html", "#content", ":root", ":is(", ":has("),
    *(" { color: red }", " { color: red; } ", "{margin:0", "}", "@media all {", ";"),
)
