"""Commands of other packages, loaded from the entry point group `singletable.commands`.

An entry point names a function, which becomes a command, or a typer.Typer, which becomes a group:

    [project.entry-points."singletable.commands"]
    plan = "singletable_design.cli.plan:plan"

Its module is imported whenever commands are listed, so keep it light: import what the command needs
inside the function, as the commands of this package do.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from singletable.cli.options import Commands

GROUP = "singletable.commands"
# Commands of the other packages of this project, for those who have not installed them.
_COMMANDS = {
    "singletable-design": ("docs", "infrastructure", "introspect", "plan", "simulate"),
    "singletable-apps": (
        *("bounce", "elections", "games", "new", "outbox", "polls", "portfolio"),
        *("serve", "skills"),
    ),
}
_ANY_ARGUMENTS = {"ignore_unknown_options": True, "allow_extra_args": True}


class PluginGroup(TyperGroup):
    """The built-in commands, followed by those of plugins. A plugin cannot replace a built-in."""

    # Typer's names for a context and a command are private, and were Click's in older versions.
    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        own = super().list_commands(ctx)
        return [*own, *sorted(_plugins().keys() - set(own))]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, and which packages have more commands."""
        self.epilog = _missing_packages()
        super().format_help(ctx, formatter)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of this name, or None."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        entry = _plugins().get(cmd_name)
        return _missing_command(cmd_name) if entry is None else _load(entry)


def _missing_packages() -> str | None:
    """Return a sentence about the packages that are not installed, or None."""
    found = _plugins().keys()
    missing = [package for package, names in _COMMANDS.items() if not found >= {*names}]
    return f"More commands: install {' and '.join(missing)}." if missing else None


def _plugins() -> dict[str, EntryPoint]:
    """Return the entry points by name; for a duplicate name, always the same one."""
    entries = sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))
    return {entry.name: entry for entry in reversed(entries)}


def _load(entry: EntryPoint) -> TyperCommand | TyperGroup:
    """Return the command of an entry point, or one that reports why it cannot be loaded."""
    try:
        loaded = entry.load()
        if not isinstance(loaded, typer.Typer):
            app = Commands(add_completion=False, rich_markup_mode="markdown")
            app.command(entry.name)(loaded)
            loaded = app
        command = get_command(loaded)
    except (Exception, SystemExit) as error:
        return _broken_command(entry, error)
    assert isinstance(command, TyperCommand | TyperGroup)
    command.name = entry.name
    return command


def _missing_command(name: str) -> TyperCommand | None:
    """Return a command that names the package to install, or None if no package has it."""
    for package, names in _COMMANDS.items():
        if name in names:
            return _failing_command(
                name,
                f"The command '{name}' is in a package that is not installed. Install {package}.",
            )
    return None


def _broken_command(entry: EntryPoint, error: BaseException) -> TyperCommand:
    package = f" of the package {entry.dist.name}" if entry.dist is not None else ""
    reason = f"{type(error).__name__}: {error}".partition("\n")[0]
    message = (
        f"The command '{entry.name}'{package} could not be loaded from {entry.value}: {reason}"
    )
    return _failing_command(entry.name, message, summary=f"(could not be loaded: {reason})")


def _failing_command(name: str, message: str, *, summary: str = "") -> TyperCommand:
    """Return a command that takes any arguments, and ends with the message."""

    def fail() -> NoReturn:
        typer.echo(f"singletable: {message}", err=True)
        raise typer.Exit(2)

    return TyperCommand(
        name, callback=fail, help=summary, context_settings=_ANY_ARGUMENTS, add_help_option=False
    )
