"""The page about the command line, from the words that its own help is made of.

Typer's rendering of that help differs from version to version, so it is not copied: what a command
says of itself and of its parameters is.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import Enum
from typing import Literal, get_args, get_origin, get_type_hints

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from singletable.cli.app import app

NAME = "commands"
TITLE = "The command line"


def lines() -> Iterator[str]:
    """The page, line by line."""
    yield from (f"# {TITLE}", "", _plain(app.info.help), "")
    yield from _commands(get_command(app), "singletable")


def _commands(command: object, path: str) -> Iterator[str]:
    """A command, or all commands of a group, each below its own heading."""
    if isinstance(command, TyperGroup):
        for name in sorted(command.commands):
            yield from _commands(command.commands[name], f"{path} {name}")
    elif isinstance(command, TyperCommand) and not command.hidden:
        yield from _command(command, path)


def _command(command: TyperCommand, path: str) -> Iterator[str]:
    types = {} if command.callback is None else get_type_hints(inspect.unwrap(command.callback))
    rows: list[str] = []
    usage = path
    for one in command.params:
        if not isinstance(one, TyperArgument | TyperOption):
            continue
        takes = one.metavar or _choices(types.get(one.name or "")) or (one.name or "").upper()
        if isinstance(one, TyperArgument):
            usage += f" {takes}"
            names = f"`{takes}`"
        else:
            names = ", ".join(f"`{name}`" for name in [*one.opts, *one.secondary_opts])
            names += "" if one.is_flag else f" {takes}"
        rows.append(f"| {_cell(names)} | {_cell(one.help)} | {_value(one.default)} |")
    if any(isinstance(one, TyperOption) for one in command.params):
        usage = f"{path} [OPTIONS]{usage.removeprefix(path)}"
    yield from (f"## {path}", "", _plain(command.help), "", "```console", usage, "```", "")
    if rows:
        yield from ("| argument or option | | default |", "|---|---|---|", *rows, "")


def _choices(kind: object) -> str:
    """The values that a type allows, if they can be listed."""
    for one in (kind, *get_args(kind)):
        if get_origin(one) is Literal:
            return "|".join(map(str, get_args(one)))
        if isinstance(one, type) and issubclass(one, Enum):
            return "|".join(str(member.value) for member in one)
    return ""


def _value(default: object) -> str:
    if default in (None, False, "", ()) or callable(default) or default is ...:
        return ""
    return f"`{default.value if isinstance(default, Enum) else default}`"


def _cell(text: str | None) -> str:
    return _plain(text).replace("\n", " ").replace("|", "\\|")


def _plain(text: str | None) -> str:
    return (text or "").strip()
