"""Only the owner of the process can read tables, logs and keys, whatever the umask."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.cli import main
from singletable_apps.home.apps import ServeOptions, find_apps, open_apps
from singletable_apps.shared.serve import PublicUrl

# Images are public: a web server may serve their folder.
_PUBLIC = {"media", "images"}


@pytest.fixture(autouse=True)
def permissive() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def _modes(folder: Path) -> dict[str, str]:
    """Return the mode of everything in a folder that others can read, or write if it is public."""
    found: dict[str, str] = {}
    for path in [folder, *folder.rglob("*")]:
        public = _PUBLIC & set(path.relative_to(folder).parts)
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & (0o022 if public else 0o077):
            found[str(path)] = oct(mode)
    return found


# While the apps run there are also the logs of the tables.
def test_every_app_keeps_its_folder_private(tmp_path: Path) -> None:
    folder = tmp_path / "srv" / "data"
    with open_apps(find_apps(), folder, PublicUrl("http://home.example"), ServeOptions()):
        assert list(folder.rglob("*.db-wal"))
        assert list(folder.rglob("*.key")) or list(folder.rglob("*secret*"))
        assert _modes(tmp_path / "srv") == {}


@pytest.mark.parametrize(
    "command",
    [
        ("polls", "sample", "--secret", "keys/secret", "--address", "file:new/polls.db"),
        ("table", "create", "tests.cli.shop", "file:shop.db"),
        ("tour", "--file", "tour.db"),
    ],
    ids=" ".join,
)
def test_commands_create_private_files(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    folder.mkdir(0o700)
    monkeypatch.chdir(folder)
    for arguments in (command, ("copy", command[-1], "file:copy.db", "--yes")):
        if arguments is command or command[-1].startswith("file:"):
            with pytest.raises(SystemExit) as ended:
                main(arguments)
            assert not ended.value.code
    assert list(folder.iterdir())
    assert _modes(folder) == {}
