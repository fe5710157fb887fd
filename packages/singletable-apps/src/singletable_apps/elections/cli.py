"""`singletable elections`: serve elections, and manage their event log."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from singletable_apps.shared.app_commands import AddressOption, app_commands
from singletable_apps.shared.cli import exit_on_error

KeysOption = Annotated[
    Path, typer.Option("--keys", metavar="FOLDER", help="Folder of the key files.")
]
NewKeysOption = Annotated[
    bool,
    typer.Option(
        "--new-keys",
        help="Create missing keys although there is an event log. Ballots sealed with lost keys "
        "stay sealed.",
    ),
]
elections = app_commands(
    "elections",
    "Serve ranked-choice elections, and manage their event log.",
    serve="""Serve elections: web pages and API.

    Missing tables and keys are created. Back up the keys: without them, sealed ballots cannot be
    read, and the service does not start with other keys. To become the owner of a new site, open
    the printed link.
    """,
    sample="Create sample people and elections in empty tables.",
    keys=KeysOption,
    emails=True,
    bounce="Election {about}, voter {recipient}",
    serve_options=[("new_keys", NewKeysOption, False)],
)


# Imports are inside the commands, so that `--help` does not load the web framework.
@elections.command()
@exit_on_error()
def rebuild(at: AddressOption, keys: KeysOption) -> None:
    """Rebuild the table from the event log.

    No one can vote during a rebuild. If it was interrupted, run it again.
    """
    from singletable_apps.elections.commands import rebuild_table

    rebuild_table(at, keys)


@elections.command()
@exit_on_error()
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to create.")], at: AddressOption
) -> None:
    """Export the event log to a file, as JSON lines."""
    from singletable_apps.elections.commands import export

    export(at, file)


@elections.command()
@exit_on_error()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File of an export.")],
    at: AddressOption,
    keys: KeysOption,
) -> None:
    """Restore an event log from an export, and rebuild the table.

    The whole file is checked first. If the restore was interrupted, run it again to continue.
    """
    from singletable_apps.elections.commands import restore

    restore(at, keys, file)


@elections.command()
@exit_on_error()
def verify(at: AddressOption, keys: KeysOption) -> None:
    """Check the event log, all ballots and signed results, and that the table matches the log.

    Nothing is changed. If there are differences, they are printed and the exit code is 1.
    """
    from singletable_apps.elections.commands import verify

    verify(at, keys)


@elections.command()
@exit_on_error()
def tally(
    election: Annotated[str, typer.Argument(metavar="ELECTION", help="Name of the election.")],
    at: AddressOption,
    keys: KeysOption,
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

    show_tally(at, keys, election, method, as_json=json, plain=plain)
