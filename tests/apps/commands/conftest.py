"""Commands are typed in this process, on copies of one sample."""

from __future__ import annotations

import shutil
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from singletable.cli import main
from tests.apps.commands.typed import Run


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Type a command about elections; its exit code, output and errors."""
    monkeypatch.setenv("COLUMNS", "100")

    def typed(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["elections", *map(str, arguments)])
        printed = capsys.readouterr()
        code = ended.value.code
        assert code is None or isinstance(code, int)
        return code or 0, printed.out, printed.err

    return typed


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample, as the command makes it, and what it printed in `sample.txt`."""
    folder = tmp_path_factory.mktemp("sample") / "elections"
    place = ["--at", f"file:{folder}/votes.db", "--keys", f"{folder}/keys"]
    with redirect_stdout(StringIO()) as printed, pytest.raises(SystemExit) as ended:
        main(["elections", "sample", *place])
    assert not ended.value.code
    (folder / "sample.txt").write_text(printed.getvalue())
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of it: `votes.db`, and the keys in `keys`."""
    return Path(shutil.copytree(made, tmp_path / "elections"))
