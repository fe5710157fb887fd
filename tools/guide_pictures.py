"""Write the pictures that the guide's snippets draw: python -m tools.guide_pictures."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from tempfile import TemporaryDirectory

PAGE = Path(__file__).resolve().parents[1] / "docs/guide/counting.md"
FOLDER = PAGE.with_suffix("")

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# (\w+\.(?:py|abif))\n")


def draw() -> dict[str, str]:
    """Run the snippets of the page and return the SVG files that they write."""
    session: dict[str, object] = {}
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        for language, text in _BLOCK.findall(PAGE.read_text()):
            if header := _FILE.match(text):
                Path(header[1]).write_text(text)
            if language == "python":
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(text, session)
        return {path.name: path.read_text() for path in sorted(Path().glob("*.svg"))}


def main() -> None:
    """Write each picture."""
    FOLDER.mkdir(exist_ok=True)
    for name, svg in draw().items():
        (FOLDER / name).write_text(svg)


if __name__ == "__main__":
    main()
