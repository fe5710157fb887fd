"""Commands are typed in this process, on copies of one sample."""

from __future__ import annotations

import shutil
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from singletable.cli import main
from tests.apps.commands.typed import Run, RunOf


@pytest.fixture
def type_of(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> RunOf:
    """How commands of an app are typed; each gives its exit code, output and errors."""
    monkeypatch.setenv("COLUMNS", "100")

    def of(app: str) -> Run:
        def typed(*arguments: str | Path) -> tuple[int, str, str]:
            with pytest.raises(SystemExit) as ended:
                main([app, *map(str, arguments)])
            printed = capsys.readouterr()
            code = ended.value.code
            assert code is None or isinstance(code, int)
            return code or 0, printed.out, printed.err

        return typed

    return of


@pytest.fixture
def run(type_of: RunOf) -> Run:
    """Type a command about elections."""
    return type_of("elections")


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sample as the command creates it; its output is in `sample.txt`."""
    folder = tmp_path_factory.mktemp("sample") / "elections"
    place = ["--address", f"file:{folder}/votes.db", "--keys", f"{folder}/keys"]
    with redirect_stdout(StringIO()) as printed, pytest.raises(SystemExit) as ended:
        main(["elections", "sample", *place])
    assert not ended.value.code
    (folder / "sample.txt").write_text(printed.getvalue())
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """Return a copy of the sample: `votes.db`, and the keys in `keys`."""
    return Path(shutil.copytree(made, tmp_path / "elections"))
