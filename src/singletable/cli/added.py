"""Commands that installed packages add to ours, through entry points of one group.

An entry point names a function, which becomes a command, or a typer.Typer, which becomes several:

    [project.entry-points."singletable.commands"]
    count = "singletable_apps.commands.count:count"

Its module is imported when the command is run or all are listed, never for another command. So it
should be light, and enter the rooms it needs when it is run, as our own commands do.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

GROUP = "singletable.commands"
_ANY_ARGUMENTS = {"ignore_unknown_options": True, "allow_extra_args": True}


class Commands(TyperGroup):
    """Our own commands and, after them, those that were added; ours cannot be replaced."""

    # Typer's names for a context and a command are private, and were Click's in older versions.
    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands."""
        own = super().list_commands(ctx)
        return [*own, *sorted(_added().keys() - set(own))]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name; None if there is none."""
        own = super().get_command(ctx, cmd_name)
        entry = None if own is not None else _added().get(cmd_name)
        return own if entry is None else _loaded(entry)


def _added() -> dict[str, EntryPoint]:
    """The entry points by name. Where two packages claim one, it is always the same that has it."""
    found = sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))
    return {entry.name: entry for entry in reversed(found)}


def _loaded(entry: EntryPoint) -> TyperCommand | TyperGroup:
    """The command behind an entry point; if there is none, one that says why."""
    try:
        named = entry.load()
        if not isinstance(named, typer.Typer):
            app = typer.Typer(add_completion=False, rich_markup_mode="markdown")
            app.command(entry.name)(named)
            named = app
        command = get_command(named)
    except (Exception, SystemExit) as error:
        return _broken(entry, error)
    assert isinstance(command, TyperCommand | TyperGroup)
    command.name = entry.name
    return command


def _broken(entry: EntryPoint, error: BaseException) -> TyperCommand:
    package = f" of the package {entry.dist.name}" if entry.dist is not None else ""
    why = f"{type(error).__name__}: {error}".partition("\n")[0]

    def tell() -> NoReturn:
        typer.echo(
            f"singletable: The command '{entry.name}'{package} could not be loaded from "
            f"{entry.value}: {why}",
            err=True,
        )
        raise typer.Exit(2)

    return TyperCommand(
        entry.name,
        callback=tell,
        help=f"(could not be loaded: {why})",
        context_settings=_ANY_ARGUMENTS,
        add_help_option=False,
    )
