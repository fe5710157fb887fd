"""Run commands in this process, as in a terminal of eighty columns."""

from __future__ import annotations

import pytest

from dynamodb_engine.cli import main
from tools.testing.commands import Run
from tools.testing.commands import folder as folder
from tools.testing.commands import wide_terminal as wide_terminal


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs commands in a terminal of eighty columns."""
    monkeypatch.setenv("COLUMNS", "80")
    return Run(main, capsys)
