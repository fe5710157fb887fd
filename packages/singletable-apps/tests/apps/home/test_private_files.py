"""Only the owner of the process can read tables, logs, images and keys, whatever the umask."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.cli import main
from singletable_apps.home.apps import find_apps, open_apps
from singletable_apps.shared.apps import ServeOptions
from singletable_apps.shared.serve import PublicUrl


@pytest.fixture(autouse=True)
def permissive() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def _modes(folder: Path) -> dict[str, str]:
    """Return the mode of everything in a folder that others can read, write or enter."""
    modes = {str(path): path.stat().st_mode for path in [folder, *folder.rglob("*")]}
    return {path: oct(stat.S_IMODE(mode)) for path, mode in modes.items() if mode & 0o077}


# While the apps run there are also the logs of the tables.
@pytest.mark.rest
def test_every_app_keeps_its_folder_private(tmp_path: Path) -> None:
    folder = tmp_path / "srv" / "data"
    options = ServeOptions(sample=True)
    with open_apps(find_apps(), folder, PublicUrl("http://home.example"), options):
        for kind in ("*.db-wal", "*.key", "*secret*", "*.webp", "checkpoint.json"):
            assert list(folder.rglob(kind)), kind
        assert _modes(tmp_path / "srv") == {}


@pytest.mark.parametrize(
    "command",
    [
        ("games", "admin-link", "--folder", "data"),
        ("table", "create", "tools.testing.designs.shop", "file:shop.db"),
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
