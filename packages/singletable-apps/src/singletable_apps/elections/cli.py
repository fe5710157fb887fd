"""`singletable elections`: manage the event log of elections, and count them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from singletable.cli.options import Commands, shared_option
from singletable_apps.shared.app_commands import SITE, SiteOption, shared_address
from singletable_apps.shared.cli import AddressOption, exit_on_error

elections = Commands(
    help="Check, count and move elections.", no_args_is_help=True, add_completion=False
)


@elections.callback()
def shared_options(folder: SiteOption = SITE, at: AddressOption = None) -> None:
    """Accept the options that all commands of elections share."""


def _keys(ctx: typer.Context) -> Path:
    folder: Path = shared_option(ctx, "folder")
    return folder / "elections" / "keys"


# Imports are inside the commands, so that `--help` does not load the web framework.
@elections.command()
@exit_on_error()
def rebuild(
    ctx: typer.Context,
    new_keys: Annotated[
        bool,
        typer.Option(
            "--new-keys",
            help="Create the keys that are lost. Only ballots.key opens ballots and reads the log.",
        ),
    ] = False,
) -> None:
    """Rebuild the table from the event log.

    No one can vote during a rebuild. If it was interrupted, run it again.
    """
    from singletable_apps.elections.commands import rebuild_table

    rebuild_table(shared_address(ctx, "elections"), _keys(ctx), new_keys=new_keys)


@elections.command()
@exit_on_error()
def export(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to create.")],
) -> None:
    """Export the event log to a file, as JSON lines."""
    from singletable_apps.elections.commands import export

    export(shared_address(ctx, "elections"), file)


@elections.command()
@exit_on_error()
def restore(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File of an export.")],
) -> None:
    """Restore an event log from an export, and rebuild the table.

    The whole file is checked first. If the restore was interrupted, run it again to continue.
    """
    from singletable_apps.elections.commands import restore
    from singletable_apps.shared.serve import database_address

    folder: Path = shared_option(ctx, "folder")
    address = shared_option(ctx, "at") or database_address(folder / "elections", "elections")
    restore(address, _keys(ctx), file)


@elections.command()
@exit_on_error()
def verify(ctx: typer.Context) -> None:
    """Check the event log, all ballots and signed results, and that the table matches the log.

    Nothing is changed. If there are differences, they are printed and the exit code is 1.
    """
    from singletable_apps.elections.commands import verify

    verify(shared_address(ctx, "elections"), _keys(ctx))


@elections.command()
@exit_on_error()
def tally(
    ctx: typer.Context,
    election: Annotated[str, typer.Argument(metavar="ELECTION", help="Name of the election.")],
    method: Annotated[
        str | None,
        typer.Option(
            "--method", "-m", metavar="NAME", help="Another method than the deciding one."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Count an election and explain the result."""
    from singletable_apps.elections.commands import show_tally

    address = shared_address(ctx, "elections")
    show_tally(address, _keys(ctx), election, method, as_json=json)
