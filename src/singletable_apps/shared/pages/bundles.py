"""One stylesheet and one script for all pages, made of small files: one request each."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
# In the order in which they build on each other.
STYLES = (
    *("tokens", "base", "shell", "buttons", "forms", "tables", "parts", "figures"),
    *("contrast", "print"),
)
SCRIPTS = ("preferences", "copy", "passwords", "confirm", "toasts")


def whole_site() -> dict[str, str]:
    """`site.css` and `site.js`, by their names."""
    sheets = [(HERE / "styles" / f"{name}.css").read_text() for name in STYLES]
    # Names of one file mean nothing in the others.
    scripts = [f"{{\n{(HERE / 'scripts' / f'{name}.js').read_text()}}}\n" for name in SCRIPTS]
    return {"site.css": "\n".join(sheets), "site.js": "\n".join(scripts)}
