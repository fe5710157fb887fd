"""Run commands in this process, as in a terminal of eighty columns.

The conftest of a folder imports the fixtures that its tests use.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Run:
    """Runs a command, and returns its exit code, stdout and stderr."""

    main: Callable[[Sequence[str]], None]
    capsys: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as exit_:
            self.main(arguments)
        printed = self.capsys.readouterr()
        code = exit_.value.code
        assert code is None or isinstance(code, int)
        return code or 0, printed.out, printed.err

    def rejected(self, *arguments: str) -> str:
        """Run a command that must only print an error, and return the error on one line."""
        code, out, err = self(*arguments)
        assert (code, out, "Traceback" in err) == (2, "", False), err
        return " ".join(err.replace("│", " ").split())


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs `singletable` in a terminal of eighty columns."""
    from singletable.cli import main

    monkeypatch.setenv("COLUMNS", "80")
    return Run(main, capsys)


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
