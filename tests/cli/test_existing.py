"""Commands that only read make no file: a mistyped name is told, and nothing is left behind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.run import Run
from tests.house.sources import ROOT

SHOP = "tests.cli.shop"
READING = [
    ("table", "check", SHOP, "ADDRESS"),
    ("look", "ADDRESS"),
    ("look", "ADDRESS", "shop"),
    ("look", "ADDRESS", "shop", "--app", SHOP),
    ("draft", "ADDRESS"),
    ("draft", "ADDRESS", "shop"),
    ("draft", "ADDRESS", "-o", "draft.py"),
    ("explain", SHOP, "O2", "ada", "--at", "ADDRESS"),
]


def _typed(command: tuple[str, ...], address: str) -> list[str]:
    return [address if word == "ADDRESS" else word for word in command]


@pytest.mark.parametrize("command", READING, ids=" ".join)
@pytest.mark.parametrize("name", ["typo.db", "folder/typo.db"])
def test_a_file_that_is_not_there_is_told_and_not_made(
    run: Run, folder: Path, command: tuple[str, ...], name: str
) -> None:
    code, _, err = run(*_typed(command, f"file:{name}"))
    assert code == 2
    assert f"There is no file '{name}'" in " ".join(err.split())
    assert list(folder.iterdir()) == []


# The same file as a URL has it; and a host is no folder.
@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_addresses_are_read_as_connect_reads_them(
    run: Run, folder: Path, command: tuple[str, ...]
) -> None:
    code, _, err = run(*_typed(command, f"file://{folder}/typo.db"))
    assert code == 2
    assert f"There is no file '{folder}/typo.db'" in err.replace("\n", "")
    code, _, err = run(*_typed(command, "file://typo.db"))
    assert code == 2
    assert "has a host" in " ".join(err.split())
    assert list(folder.iterdir()) == []


def test_tables_may_be_made_in_a_new_file(run: Run, folder: Path) -> None:
    assert run("table", "create", SHOP, "file:new.db")[0] == 0
    assert (folder / "new.db").exists()


# A new command that reads goes the same way, or says here that it makes files.
def test_only_commands_that_may_make_a_file_connect_by_themselves() -> None:
    cli = ROOT / "src/singletable/cli"
    connecting = {
        str(path.relative_to(cli))
        for path in cli.rglob("*.py")
        if re.search(r"import .*\bconnect(_async)?\b|Engine\.on_file", path.read_text())
    }
    assert connecting == {"existing.py", "table.py", "tour/guide.py", "endpoint.py"}
