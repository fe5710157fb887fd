"""`singletable elections`: manage the event log of elections, and count them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from singletable_apps.shared.app_commands import SITE, SiteOption, site_address
from singletable_apps.shared.cli import AddressOption, exit_on_error

elections = typer.Typer(
    help="Check, count and move elections.", no_args_is_help=True, add_completion=False
)


def _keys(folder: Path) -> Path:
    return folder / "elections" / "keys"


# Imports are inside the commands, so that `--help` does not load the web framework.
@elections.command()
@exit_on_error()
def rebuild(
    folder: SiteOption = SITE,
    at: AddressOption = None,
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

    rebuild_table(site_address(at, folder, "elections"), _keys(folder), new_keys=new_keys)


@elections.command()
@exit_on_error()
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to create.")],
    folder: SiteOption = SITE,
    at: AddressOption = None,
) -> None:
    """Export the event log to a file, as JSON lines."""
    from singletable_apps.elections.commands import export

    export(site_address(at, folder, "elections"), file)


@elections.command()
@exit_on_error()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File of an export.")],
    folder: SiteOption = SITE,
    at: AddressOption = None,
) -> None:
    """Restore an event log from an export, and rebuild the table.

    The whole file is checked first. If the restore was interrupted, run it again to continue.
    """
    from singletable_apps.elections.commands import restore
    from singletable_apps.shared.serve import database_address

    address = at or database_address(folder / "elections", "elections")
    restore(address, _keys(folder), file)


@elections.command()
@exit_on_error()
def verify(folder: SiteOption = SITE, at: AddressOption = None) -> None:
    """Check the event log, all ballots and signed results, and that the table matches the log.

    Nothing is changed. If there are differences, they are printed and the exit code is 1.
    """
    from singletable_apps.elections.commands import verify

    verify(site_address(at, folder, "elections"), _keys(folder))


@elections.command()
@exit_on_error()
def tally(
    election: Annotated[str, typer.Argument(metavar="ELECTION", help="Name of the election.")],
    folder: SiteOption = SITE,
    at: AddressOption = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method", "-m", metavar="NAME", help="Another method than the deciding one."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="No colors and no lines.")] = False,
) -> None:
    """Count an election and explain the result."""
    from singletable_apps.elections.commands import show_tally

    address = site_address(at, folder, "elections")
    show_tally(address, _keys(folder), election, method, as_json=json, plain=plain)
