"""One run of pyright for all tests of types: it reads the library and its dependencies each time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.typing.files import FILES, HERE, PAGES, file_of_page
from tools.testing.markdown import blocks
from tools.testing.sources import PACKAGES, ROOT


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the Python code of each page to a file, on the lines that it has on the page."""
    folder = tmp_path_factory.mktemp("pages")
    for page in PAGES:
        lines: list[str] = []
        for block in blocks(ROOT / page):
            if block.language == "python":
                lines += [""] * (block.line - 1 - len(lines)) + block.text.splitlines()
        (folder / file_of_page(page)).write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture(scope="session")
def pyright_diagnostics(pages: Path) -> dict[Path, list[dict[str, Any]]]:
    """Return what pyright reports, by file, with an empty list for a file without errors."""
    own: dict[str, Any] = json.loads((HERE / "pyrightconfig.json").read_text())
    rules = {name: value for name, value in own.items() if name.startswith("report")}
    sources = [str(path.parent) for path in PACKAGES]
    settings = {
        "include": [".", *(os.path.relpath(HERE / name, pages) for name in own["include"])],
        "pythonVersion": own["pythonVersion"],
        "venvPath": str(ROOT),
        "venv": ".venv",
        "typeCheckingMode": "strict",
        "reportMissingTypeStubs": False,
        "executionEnvironments": [
            # Handlers of FastAPI are functions that no line of a page uses.
            {"root": str(pages), "extraPaths": sources, "reportUnusedFunction": False},
            {"root": str(HERE), "extraPaths": [str(HERE.parents[1]), *sources], **rules},
        ],
    }
    (pages / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--project", str(pages), "--outputjson"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode in (0, 1), process.stdout + process.stderr
    report = json.loads(process.stdout)
    found: dict[Path, list[dict[str, Any]]] = {path: [] for path in [*pages.glob("*.py"), *FILES]}
    assert report["summary"]["filesAnalyzed"] == len(found)
    for one in report["generalDiagnostics"]:
        found[Path(one["file"])].append(one)
    return found
