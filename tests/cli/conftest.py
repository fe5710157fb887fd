"""Run commands in this process, as in a terminal of eighty columns."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.cli import main
from tests.cli.run import Run


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a command and returns exit code, stdout and stderr."""
    monkeypatch.setenv("COLUMNS", "80")

    def run_command(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as exit_:
            main(arguments)
        printed = capsys.readouterr()
        code = exit_.value.code
        assert code is None or isinstance(code, int)
        return code or 0, printed.out, printed.err

    return run_command


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
