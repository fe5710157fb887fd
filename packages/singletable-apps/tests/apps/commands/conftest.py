"""Commands are typed in this process, on copies of one sample."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from singletable.cli import main
from singletable_apps.elections.app import APP
from singletable_apps.shared.serve import PublicUrl
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
    """Return the folder of a site with the sample of elections."""
    site = tmp_path_factory.mktemp("sample")
    APP.create_sample(site / "elections", PublicUrl("http://127.0.0.1:8000"))
    return site


@pytest.fixture
def site(made: Path, tmp_path: Path) -> Path:
    """Return a copy of the sample: `elections/elections.db`, and the keys in `elections/keys`."""
    return Path(shutil.copytree(made, tmp_path / "site"))
