"""Run commands in this process."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from dynamodb_engine.cli import main


@dataclass(frozen=True)
class Run:
    """Runs a command, and returns its exit code, stdout and stderr."""

    capsys: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as exit_:
            main(arguments)
        printed = self.capsys.readouterr()
        code = exit_.value.code
        assert code is None or isinstance(code, int)
        return code or 0, printed.out, printed.err

    def rejected(self, *arguments: str) -> str:
        """Run a command that must only print an error, and return the error on one line."""
        code, out, err = self(*arguments)
        assert (code, out, "Traceback" in err) == (2, "", False), err
        return " ".join(err.replace("│", " ").split())
