"""`singletable elections`: serve elections, and manage their event log."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from singletable_apps.shared.cli import (
    HostOption,
    PortOption,
    PrintEmailsOption,
    ProxyOption,
    PublicUrlOption,
    SmtpOption,
    TlsCertOption,
    TlsKeyOption,
    exit_on_error,
)

elections = typer.Typer(
    help="Serve ranked-choice elections, and manage their event log.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)

At = Annotated[
    str,
    typer.Option(
        "--address",
        metavar="ADDRESS",
        help="Address of the tables, such as file:votes.db or dynamodb:.",
    ),
]
Keys = Annotated[
    Path,
    typer.Option("--keys", metavar="FOLDER", help="Folder of the key files."),
]
NewKeys = Annotated[
    bool,
    typer.Option(
        "--new-keys",
        help="Create missing keys although there is an event log. Ballots sealed with lost keys "
        "stay sealed.",
    ),
]
Newest = Annotated[
    int, typer.Option("--limit", "-n", min=1, metavar="N", help="How many to print.")
]


@elections.command()
def serve(
    at: At,
    keys: Keys,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    public: PublicUrlOption = None,
    proxy: ProxyOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
    print_emails: PrintEmailsOption = False,
    smtp: SmtpOption = None,
    new_keys: NewKeys = False,
) -> None:
    """Serve elections: web pages and API.

    Missing tables and keys are created. Back up the keys: without them, sealed ballots cannot be
    read, and the service does not start with other keys. To become the owner of a new site, open
    the printed link.
    """
    with exit_on_error():
        from singletable_apps.elections.app import DataLocation
        from singletable_apps.elections.commands import serve
        from singletable_apps.shared.email_delivery import email_delivery
        from singletable_apps.shared.serve import ListenOptions

        emails = email_delivery(print_emails=print_emails, smtp=smtp)
        options = ListenOptions(
            host, port, public, tuple(proxy or ()), (tls_cert, tls_key), print_emails=print_emails
        )
        serve(
            DataLocation(at, keys, new_keys),
            options,
            emails,
        )


@elections.command()
def sample(at: At, keys: Keys) -> None:
    """Create sample people and elections in empty tables."""
    with exit_on_error():
        from singletable_apps.elections.app import DataLocation
        from singletable_apps.elections.commands import make_sample

        make_sample(DataLocation(at, keys))


@elections.command()
def rebuild(at: At, keys: Keys) -> None:
    """Rebuild the table from the event log.

    No one can vote during a rebuild. If it was interrupted, run it again.
    """
    with exit_on_error():
        from singletable_apps.elections.app import DataLocation
        from singletable_apps.elections.commands import rebuild_table

        rebuild_table(DataLocation(at, keys))


@elections.command()
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to create.")], at: At
) -> None:
    """Export the event log to a file, as JSON lines."""
    with exit_on_error():
        from singletable_apps.elections.commands import export

        export(at, file)


@elections.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File of an export.")],
    at: At,
    keys: Keys,
) -> None:
    """Restore an event log from an export, and rebuild the table.

    The whole file is checked first. If the restore was interrupted, run it again to continue.
    """
    with exit_on_error():
        from singletable_apps.elections.app import DataLocation
        from singletable_apps.elections.commands import restore

        restore(DataLocation(at, keys), file)


@elections.command()
def verify(at: At, keys: Keys) -> None:
    """Check the event log, all ballots and signed results, and that the table matches the log.

    Nothing is changed. If there are differences, they are printed and the exit code is 1.
    """
    with exit_on_error():
        from singletable_apps.elections.app import DataLocation
        from singletable_apps.elections.commands import verify

        verify(DataLocation(at, keys))


@elections.command()
def events(at: At, limit: Newest = 20) -> None:
    """Print the latest events, newest first."""
    with exit_on_error():
        from singletable_apps.elections.commands import show_events

        show_events(at, limit)


@elections.command()
def outbox(at: At, limit: Newest = 20) -> None:
    """Print the latest e-mails in the outbox, newest first."""
    with exit_on_error():
        from singletable_apps.elections.commands import show_outbox

        show_outbox(at, limit)


@elections.command()
def tally(
    election: Annotated[str, typer.Argument(metavar="ELECTION", help="Name of the election.")],
    at: At,
    keys: Keys,
    method: Annotated[
        str, typer.Option("--method", "-m", metavar="NAME", help="Counting method.")
    ] = "schulze",
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="No colors and no lines.")] = False,
) -> None:
    """Count an election and explain the result."""
    with exit_on_error():
        from singletable_apps.elections.app import DataLocation
        from singletable_apps.elections.commands import show_tally

        show_tally(DataLocation(at, keys), election, method, as_json=json, plain=plain)
