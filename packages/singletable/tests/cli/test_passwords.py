"""No command prints the password of an address, whatever is wrong with the address."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from dynamodb_engine import hide_password
from singletable import AddressError, connect
from singletable.cli.app import app
from singletable.sql.query import open_database
from tools.testing.commands import Run

MARK = "hunter2"
UNREADABLE = [
    f"postgresql://votes:{MARK}%zz@127.0.0.1:1/db",
    f"postgresql://votes:x/{MARK}@127.0.0.1:1/db",
    f"mysql://votes:{MARK}%@127.0.0.1:1/db",
    f"mysql://votes:x/{MARK}@127.0.0.1:1/db",
    f"oracle://votes:{MARK}@127.0.0.1:1/db",
]
# Arguments that are addresses or files. A file is sometimes given as an address, by mistake.
PLACES = {"ADDRESS", "A", "B", "FILE", "NEW_FILE", "SOURCE", "TARGET"}
# The folders of keys and images, which are opened first.
FOLDERS = {"--keys", "--secret", "--folder"}


def commands(group: Any, *words: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command with the words that call it, those of other packages included."""
    context = group.make_context("singletable", [], resilient_parsing=True)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        found = [((*words, name), command)]
        yield from commands(command, *words, name) if hasattr(command, "commands") else found


def arguments_of(command: Any, address: str, folder: Path) -> list[str] | None:
    """Return arguments with the address wherever there can be one; None if there cannot."""
    given, has_place = list[str](), False
    for parameter in command.params:
        metavar = (parameter.metavar or "FILE").strip("[].")
        if parameter.param_type_name == "argument":
            has_place = has_place or metavar in PLACES
            app_name = "singletable_apps.polls.patterns"
            given.append(address if metavar in PLACES else app_name if metavar == "APP" else "1")
        elif metavar == "ADDRESS":
            has_place = True
            given += [parameter.opts[0], address]
        elif parameter.opts[0] in FOLDERS:
            given += [parameter.opts[0], str(folder / parameter.opts[0])]
    return given if has_place else None


# `count` is a command of ranked-ballots, which knows no addresses.
@pytest.mark.rest
def test_no_command_prints_a_password(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"SELECT * FROM things")))
    leaks: list[tuple[str, ...]] = []
    for words, command in commands(get_command(app)):
        for address in UNREADABLE if words != ("count",) else ():
            given = arguments_of(command, address, tmp_path)
            if given is not None and words[0] == "migration":
                given += ["--to", address]
            if given is None:
                continue
            code, out, err = run(*words, *given)
            assert code, (words, address)
            if MARK in "".join((out + err).split()):
                leaks.append((*words, address))
    assert leaks == []


@pytest.mark.parametrize("open_address", [connect, open_database])
@pytest.mark.parametrize("address", UNREADABLE[:4])
def test_address_that_cannot_be_read_is_rejected_without_its_password(
    open_address: Any, address: str
) -> None:
    with pytest.raises(AddressError, match=r"cannot be read.*write % as %25") as raised:
        open_address(address)
    assert MARK not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("postgresql://votes:a@db/x", "postgresql://votes@db/x"),
        ("postgresql://votes:a/b:c@d@db/x", "postgresql://votes@db/x"),
        ("no file 'postgresql:/votes:a@db/x' here", "no file 'postgresql:/votes@db/x' here"),
        (
            "postgresql://db/x?password=a&sslmode=require",
            "postgresql://db/x?password=&sslmode=require",
        ),
        ("postgresql://db:5432/x", "postgresql://db:5432/x"),
        ("file:votes.db", "file:votes.db"),
    ],
)
def test_hide_password_leaves_the_rest_of_the_text(text: str, hidden: str) -> None:
    assert hide_password(text) == hidden
