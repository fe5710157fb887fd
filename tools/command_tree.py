"""List the commands and options of all houses: `singletable` has those of its plug-ins, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from dynamodb_engine.cli.app import app as engine
from ranked_ballots.cli import app as ballots
from singletable.cli.app import app

PROGRAMS = {"dynamodb-engine": engine, "ranked-ballots": ballots, "singletable": app}


def walk_commands() -> Iterator[tuple[str, Any]]:
    """Yield the name of each command and group, such as `singletable table create`, with it."""
    for name, program in PROGRAMS.items():
        yield from _walk(get_command(program), name)


def own_options(command: Any) -> list[str]:
    """Return the options of a command itself, without those of its groups and `--help`."""
    return [max(one.opts, key=len) for one in command.params if one.param_type_name == "option"]


def _walk(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    yield name, command
    if hasattr(command, "commands"):
        context = command.make_context(name, [], resilient_parsing=True)
        for part in command.list_commands(context):
            yield from _walk(command.get_command(context, part), f"{name} {part}")


if __name__ == "__main__":
    for name, command in walk_commands():
        print(" ".join([name, *own_options(command)]))
