"""The command line: help, version, exit codes and files that cannot be used."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from singletable.cli.app import app
from tools.testing.commands import Run


def test_help_lists_commands(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    assert "--version" in out
    assert "More commands" not in out


def test_version_is_the_package_version(run: Run) -> None:
    assert run("--version") == (0, f"singletable {version('singletable')}\n", "")


def _commands(group: Any, *words: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command with the words that call it, those of the apps included."""
    context = group.make_context("singletable", [], resilient_parsing=True)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        found = [((*words, name), command)]
        yield from _commands(command, *words, name) if hasattr(command, "commands") else found


@pytest.fixture(scope="module")
def commands() -> dict[tuple[str, ...], Any]:
    return dict(_commands(get_command(app)))


@pytest.mark.rest
def test_commands_have_help(run: Run, commands: dict[tuple[str, ...], Any]) -> None:
    for words in commands:
        code, out, err = run(*words, "--help")
        assert (code, err) == (0, ""), words
        assert "Usage: " in out, words


# One spelling everywhere. The group of migrations has --to, the second address.
def test_options_that_take_an_address_are_spelled_address(
    commands: dict[tuple[str, ...], Any],
) -> None:
    spellings = {
        tuple(one.opts)
        for command in commands.values()
        for one in command.params
        if one.param_type_name == "option" and one.metavar == "ADDRESS"
    }
    assert spellings == {("--address",)}


def test_address_may_be_an_option_wherever_it_is_an_argument(
    commands: dict[tuple[str, ...], Any],
) -> None:
    for words, command in commands.items():
        names = [one.name for one in command.params if one.param_type_name == "argument"]
        if "address" not in names:
            continue
        others = [f"a {name}" for name in names if name != "address"]
        parsed = [
            command.make_context("x", [*arguments], resilient_parsing=True).params
            for option in (["--address", "a address"], ["--address=a address"])
            for arguments in (
                [f"a {name}" for name in names],
                [*option, *others],
                [*others, *option],
            )
        ]
        assert parsed[0]["address"] == "a address", words
        assert all(one == parsed[0] for one in parsed), words


def test_unknown_command_is_a_usage_error(run: Run) -> None:
    assert "tabel" in run.rejected("tabel")


def test_database_of_another_program_is_left_alone(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE notes (text)")
    other.close()
    before = file.read_bytes()
    code, _, err = run("table", "create", "tools.testing.designs.shop", f"file:{file}")
    _assert_one_paragraph(code, err)
    assert "another program" in err
    assert file.read_bytes() == before


def test_file_that_is_not_a_database_is_left_alone(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear Ada, " * 1000)
    code, _, err = run("table", "create", "tools.testing.designs.shop", f"file:{file}")
    _assert_one_paragraph(code, err)
    assert file.read_text() == "Dear Ada, " * 1000


@pytest.mark.parametrize("path", [".", "nowhere/votes.db", "/proc/votes.db"])
def test_unwritable_path_is_reported(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = run("table", "create", "tools.testing.designs.shop", f"file:{path}")
    _assert_one_paragraph(code, err)


def _assert_one_paragraph(code: int, err: str) -> None:
    assert code == 2
    assert err.startswith("singletable: ")
    assert "\n\n" not in err.strip()
    assert "Traceback" not in err


def test_python_runs_the_package() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "singletable", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == f"singletable {version('singletable')}\n"
