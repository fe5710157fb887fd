"""Commands that only read never create a file, not even for a mistyped name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.testing.commands import Run
from tools.testing.sources import SOURCES, name_of

SHOP = "tools.testing.designs.shop"
READ_ONLY = [
    ("table", "check", SHOP, "ADDRESS"),
    ("show", "ADDRESS"),
    ("show", "ADDRESS", "shop"),
    ("show", "ADDRESS", "shop", "--app", SHOP),
    ("introspect", "ADDRESS"),
    ("introspect", "ADDRESS", "shop"),
    ("introspect", "ADDRESS", "-o", "entities.py"),
    ("explain", SHOP, "O2", "ada", "--address", "ADDRESS"),
]


def _with_address(command: tuple[str, ...], address: str) -> list[str]:
    return [address if word == "ADDRESS" else word for word in command]


@pytest.mark.parametrize("command", READ_ONLY, ids=" ".join)
@pytest.mark.parametrize("name", ["typo.db", "folder/typo.db"])
def test_missing_file_is_reported_and_not_created(
    run: Run, folder: Path, command: tuple[str, ...], name: str
) -> None:
    code, _, err = run(*_with_address(command, f"file:{name}"))
    assert code == 2
    assert f"There is no file '{name}'" in " ".join(err.split())
    assert list(folder.iterdir()) == []


# A file URL, and a URL with a host, which is rejected.
@pytest.mark.parametrize("command", READ_ONLY, ids=" ".join)
def test_addresses_are_parsed_like_connect(
    run: Run, folder: Path, command: tuple[str, ...]
) -> None:
    code, _, err = run(*_with_address(command, f"file://{folder}/typo.db"))
    assert code == 2
    assert f"There is no file '{folder}/typo.db'" in err.replace("\n", "")
    code, _, err = run(*_with_address(command, "file://typo.db"))
    assert code == 2
    assert "has a host" in " ".join(err.split())
    assert list(folder.iterdir()) == []


def test_table_create_may_create_a_file(run: Run, folder: Path) -> None:
    assert run("table", "create", SHOP, "file:new.db")[0] == 0
    assert (folder / "new.db").exists()


# A new command that reads must use connect_existing; one that creates files is listed here.
def test_only_commands_that_create_files_use_connect() -> None:
    connecting = {
        name_of(path)
        for path in SOURCES
        if "cli" in path.parts
        and re.search(r"import .*\bconnect(_async)?\b|Engine\.on_file", path.read_text())
    }
    assert connecting == {
        "singletable/cli/copy.py",
        "singletable/cli/existing_tables.py",
        "singletable/cli/migration.py",
        "singletable/cli/table.py",
    }
