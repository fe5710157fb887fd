"""Files that type checkers check: those in this folder, and the code of pages."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
FILES = sorted([HERE / "declared.py", *HERE.glob("right/*.py"), *HERE.glob("wrong/*.py")])
# The pages that readers copy first.
PAGES = (
    "README.md",
    "docs/guide/coming-from.md",
    "docs/guide/first-design.md",
    "docs/guide/http.md",
)


def file_of_page(page: str) -> str:
    """Return the name of the file with the code of a page."""
    return re.sub(r"\W", "_", page.removesuffix(".md")) + ".py"
