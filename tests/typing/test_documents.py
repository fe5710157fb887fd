"""The code of the pages that readers copy first passes both type checkers in strict mode.

Lines that a page calls `# rejected by mypy and pyright` are rejected by both, and no others.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.markdown import blocks
from tests.house.sources import ROOT

PAGES = (
    "README.md",
    "docs/guide/coming-from.md",
    "docs/guide/first-design.md",
    "docs/guide/http.md",
)
REJECTED = "# rejected by mypy and pyright"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the Python code of each page to a file, on the lines that it has on the page."""
    folder = tmp_path_factory.mktemp("pages")
    for page in PAGES:
        lines: list[str] = []
        for block in blocks(ROOT / page):
            if block.language == "python":
                lines += [""] * (block.line - 1 - len(lines)) + block.text.splitlines()
        (folder / _file_of(page)).write_text("\n".join(lines) + "\n")
    settings = {
        "include": ["."],
        "extraPaths": [str(ROOT / "src")],
        "pythonVersion": "3.11",
        "venvPath": str(ROOT),
        "venv": ".venv",
        "typeCheckingMode": "strict",
        "reportUnusedFunction": False,  # handlers of FastAPI
        "reportMissingTypeStubs": False,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    return folder


def test_mypy_accepts_the_pages(folder: Path) -> None:
    files = [str(folder / _file_of(page)) for page in PAGES]
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "pyproject.toml", *files]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode in (0, 1), process.stdout + process.stderr
    lines = re.findall(r"^(?:.*/)?(\w+\.py):(\d+): error: ", process.stdout, re.MULTILINE)
    assert {(file, int(line)) for file, line in lines} == _rejected(folder), process.stdout


def test_pyright_accepts_the_pages(folder: Path) -> None:
    command = [sys.executable, "-m", "pyright", "--project", str(folder), "--outputjson"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode in (0, 1), process.stdout + process.stderr
    report = json.loads(process.stdout)
    assert report["summary"]["filesAnalyzed"] == len(PAGES)
    errors = {
        (Path(one["file"]).name, one["range"]["start"]["line"] + 1)
        for one in report["generalDiagnostics"]
    }
    assert errors == _rejected(folder), process.stdout


def _file_of(page: str) -> str:
    return re.sub(r"\W", "_", page.removesuffix(".md")) + ".py"


def _rejected(folder: Path) -> set[tuple[str, int]]:
    return {
        (path.name, number)
        for path in folder.glob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if REJECTED in line
    }
