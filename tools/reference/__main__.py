"""Write docs/reference: python -m tools.reference."""

from __future__ import annotations

from tools.reference.render import FOLDER, render


def main() -> None:
    """Write each page, and delete those that no longer exist."""
    pages = render()
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.md"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        (FOLDER / name).write_text(text)


if __name__ == "__main__":
    main()
