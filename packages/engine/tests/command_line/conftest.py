"""Run commands in this process, as in a terminal of eighty columns."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line.run import Run


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs commands in a terminal of eighty columns."""
    monkeypatch.setenv("COLUMNS", "80")
    return Run(capsys)


@pytest.fixture
def wide_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands print lines of up to two hundred columns."""
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Change to an empty directory; modules imported from it are unloaded afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    # A module that is written again within a second, with the same size, would be read from there.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]
