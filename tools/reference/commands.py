"""The reference page of the command line, from the commands' help texts.

Typer's own rendering of the help differs between versions, so the page is rendered here.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import Enum
from typing import Literal, get_args, get_origin, get_type_hints

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from dynamodb_engine.cli.app import app as engine
from singletable.cli.app import app

NAME = "commands"
TITLE = "The command line"


def lines() -> Iterator[str]:
    """Iterate over the lines of the page."""
    yield from (f"# {TITLE}", "", _strip(app.info.help), "")
    yield from _commands(get_command(app), "singletable")
    yield from _commands(get_command(engine), "dynamodb-engine")


def _commands(command: object, path: str) -> Iterator[str]:
    """Describe a command, or all commands of a group, each under its own heading.

    A group has a heading if it has options, which its commands accept, too.
    """
    if isinstance(command, TyperGroup):
        if any(isinstance(param, TyperOption) for param in command.params):
            yield from _command(command, path)
        context = command.make_context(path, [], resilient_parsing=True)
        for name in sorted(command.list_commands(context)):
            yield from _commands(command.get_command(context, name), f"{path} {name}")
    elif isinstance(command, TyperCommand) and not command.hidden:
        yield from _command(command, path)


def _command(command: TyperCommand | TyperGroup, path: str) -> Iterator[str]:
    types = {} if command.callback is None else get_type_hints(inspect.unwrap(command.callback))
    rows: list[str] = []
    usage = path
    for param in command.params:
        if not isinstance(param, TyperArgument | TyperOption):
            continue
        name = param.name or ""
        metavar = param.metavar or _choices(types.get(name)) or name.upper()
        if isinstance(param, TyperArgument):
            usage += f" {metavar}"
            names = f"`{metavar}`"
        else:
            names = ", ".join(f"`{option}`" for option in [*param.opts, *param.secondary_opts])
            names += "" if param.is_flag else f" {metavar}"
        rows.append(f"| {_cell(names)} | {_cell(param.help)} | {_value(param.default)} |")
    if any(isinstance(param, TyperOption) for param in command.params):
        usage = f"{path} [OPTIONS]{usage.removeprefix(path)}"
    if isinstance(command, TyperGroup):
        usage += " COMMAND …"
    yield from (f"## {path}", "", _strip(command.help), "", "```console", usage, "```", "")
    if rows:
        yield from ("| argument or option | | default |", "|---|---|---|", *rows, "")


def _choices(kind: object) -> str:
    """Return the values of a Literal or Enum type, or ""."""
    for part in (kind, *get_args(kind)):
        if get_origin(part) is Literal:
            return "|".join(map(str, get_args(part)))
        if isinstance(part, type) and issubclass(part, Enum):
            return "|".join(str(member.value) for member in part)
    return ""


def _value(default: object) -> str:
    if default in (None, False, "", ()) or callable(default) or default is ...:
        return ""
    return f"`{default.value if isinstance(default, Enum) else default}`"


def _cell(text: str | None) -> str:
    return _strip(text).replace("\n", " ").replace("|", "\\|")


def _strip(text: str | None) -> str:
    return (text or "").strip()
