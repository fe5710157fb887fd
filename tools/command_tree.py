"""List all commands of `singletable` and their options, plug-ins included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from singletable.cli.app import app


def walk_commands() -> Iterator[tuple[str, list[str]]]:
    """Yield each command and group with its own options; `--help` and arguments are left out."""
    yield from _walk(get_command(app), "singletable")


def _walk(command: Any, name: str) -> Iterator[tuple[str, list[str]]]:
    options = [max(one.opts, key=len) for one in command.params if one.param_type_name == "option"]
    yield name, options
    if hasattr(command, "commands"):
        context = command.make_context(name, [], resilient_parsing=True)
        for part in command.list_commands(context):
            yield from _walk(command.get_command(context, part), f"{name} {part}")


if __name__ == "__main__":
    for name, options in walk_commands():
        print(" ".join([name, *options]))
