"""The tutorial about a new app: its changes fit the generated project, which stays correct."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.testing.markdown import Block, blocks
from tools.testing.sources import ROOT

STORY = """

def test_label_is_saved_and_counted(client: TestClient) -> None:
    post(client, "/sign-in", who=USERNAME, password=PASSWORD)
    post(client, "/new", title="Milk", label="Shopping")
    page = client.get("/notebook/labels").text
    assert "Shopping" in page and "No label" in page
    assert "/notebook/labels" in client.get("/notebook").text
"""


@pytest.mark.rest
def test_changes_of_the_tutorial_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _run("singletable", "new", "notebook", "--pages", "--folder", ".")
    for block in blocks(ROOT / "docs/guide/new.md"):
        if block.language == "diff":
            _apply(block, tmp_path)
    _run("singletable", "diff", "notebook.entities", "--write")
    with (tmp_path / "tests/test_notebook.py").open("a") as tests:
        tests.write(STORY)
    _run("ruff", "check", ".")
    _run("ruff", "format", "--check", ".")
    _run("pytest")


def _run(*command: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def _apply(block: Block, folder: Path) -> None:
    """Change the file that a diff names in its first line; a new file has only added lines."""
    heading, *lines = block.text.splitlines(keepends=True)
    path = folder / heading.removeprefix("--- ").strip()
    before = "".join(line[1:] for line in lines if line[0] in " -")
    after = "".join(line[1:] for line in lines if line[0] in " +")
    text = path.read_text() if path.exists() else ""
    assert text.count(before) == 1 or not text, f"{path.name}: {before}"
    path.write_text(text.replace(before, after) if text else after)
