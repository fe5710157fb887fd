"""Commands are typed in this process, as at a terminal of eighty columns."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.cli import main
from tests.cli.run import Run


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Type a command; its exit code, output and errors."""
    monkeypatch.setenv("COLUMNS", "80")

    def typed(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        printed = capsys.readouterr()
        code = ended.value.code
        assert code is None or isinstance(code, int)
        return code or 0, printed.out, printed.err

    return typed


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current directory; what is imported from it is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]
