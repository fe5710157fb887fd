"""The code of the pages that readers copy first passes both type checkers in strict mode.

Lines that a page calls `# rejected by mypy and pyright` are rejected by both, and no others.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.typing.files import PAGES, file_of_page
from tools.testing.sources import ROOT

REJECTED = "# rejected by mypy and pyright"


def test_mypy_accepts_the_pages(pages: Path) -> None:
    files = [str(pages / file_of_page(page)) for page in PAGES]
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "pyproject.toml", *files]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode in (0, 1), process.stdout + process.stderr
    lines = re.findall(r"^(?:.*/)?(\w+\.py):(\d+): error: ", process.stdout, re.MULTILINE)
    assert {(file, int(line)) for file, line in lines} == _rejected(pages), process.stdout


def test_pyright_accepts_the_pages(
    pages: Path, pyright_diagnostics: dict[Path, list[dict[str, Any]]]
) -> None:
    errors = {
        (path.name, one["range"]["start"]["line"] + 1)
        for path in pages.glob("*.py")
        for one in pyright_diagnostics[path]
    }
    assert errors == _rejected(pages)


def _rejected(folder: Path) -> set[tuple[str, int]]:
    return {
        (path.name, number)
        for path in folder.glob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if REJECTED in line
    }
