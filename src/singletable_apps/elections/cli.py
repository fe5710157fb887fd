"""`singletable elections`: the service, its log, and what an operator looks at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from singletable_apps.shared.cli import (
    HostOption,
    PortOption,
    ProxyOption,
    PublicUrlOption,
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
        "--at",
        metavar="ADDRESS",
        help="Where the tables are, such as file:votes.db or dynamodb:.",
    ),
]
Keys = Annotated[
    Path,
    typer.Option("--keys", metavar="FOLDER", help="Where the keys lie, which are in no table."),
]
NewKeys = Annotated[
    bool,
    typer.Option(
        "--new-keys",
        help="Make keys that are missing, though there is a log: what others sealed stays sealed.",
    ),
]
Newest = Annotated[int, typer.Option("--limit", "-n", min=1, metavar="N", help="At most so many.")]


@elections.command()
def serve(
    at: At,
    keys: Keys,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    public: PublicUrlOption = None,
    proxy: ProxyOption = None,
    letters: Annotated[
        bool,
        typer.Option("--letters", help="Print letters here, too: whoever reads one can sign in."),
    ] = False,
    smtp: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Send letters by a mail server, smtp://user@mail.example.org?from=vote@example.org,"
            " with its password in SMTP_PASSWORD. Without it they are kept, to be read here.",
        ),
    ] = None,
    new_keys: NewKeys = False,
) -> None:
    """Serve elections over HTTP.

    Missing tables and keys are made. Keep a copy of the keys in a safe place: what they sealed
    can be read with no others, and the service does not start with keys that do not fit.
    """
    with exit_on_error():
        from singletable_apps.elections.app import DataLocation, email_delivery
        from singletable_apps.elections.commands import serve
        from singletable_apps.shared.serve import ListenOptions

        asked = ListenOptions(host, port, public, tuple(proxy or ()))
        serve(DataLocation(at, keys, new_keys), asked, email_delivery(printed=letters, smtp=smtp))


@elections.command()
def sample(at: At, keys: Keys) -> None:
    """Fill an empty store with people and elections to look at."""
    with exit_on_error():
        from singletable_apps.elections.app import DataLocation
        from singletable_apps.elections.commands import make_sample

        make_sample(DataLocation(at, keys))


@elections.command()
def rebuild(at: At) -> None:
    """Drop the table, and build it anew from the log.

    Nobody can vote meanwhile. Broken off, it is begun again by the next call.
    """
    with exit_on_error():
        from singletable_apps.elections.commands import rebuild_table

        rebuild_table(at)


@elections.command()
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")], at: At
) -> None:
    """Write the log to a file, an event a line, in JSON."""
    with exit_on_error():
        from singletable_apps.elections.commands import export

        export(at, file)


@elections.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An exported log.")], at: At
) -> None:
    """Fill an empty log from a file, and build the table.

    The file is wholly checked first. Broken off, it goes on with the next call.
    """
    with exit_on_error():
        from singletable_apps.elections.commands import restore

        restore(at, file)


@elections.command()
def verify(at: At) -> None:
    """Check that the log is whole, and the table what the log says. Nothing is changed."""
    with exit_on_error():
        from singletable_apps.elections.commands import verify

        verify(at)


@elections.command()
def events(at: At, limit: Newest = 20) -> None:
    """Print the last events, the newest first."""
    with exit_on_error():
        from singletable_apps.elections.commands import show_events

        show_events(at, limit)


@elections.command()
def outbox(at: At, limit: Newest = 20) -> None:
    """Print the letters that were kept rather than sent, the newest first."""
    with exit_on_error():
        from singletable_apps.elections.commands import show_outbox

        show_outbox(at, limit)


@elections.command()
def tally(
    election: Annotated[str, typer.Argument(metavar="ELECTION", help="Its name.")],
    at: At,
    keys: Keys,
    method: Annotated[
        str, typer.Option("--method", "-m", metavar="NAME", help="How to count.")
    ] = "schulze",
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="No colours and no drawn lines, as when piped.")
    ] = False,
) -> None:
    """Count an election, and explain the result, as far as it may be seen by now."""
    with exit_on_error():
        from singletable_apps.elections.app import DataLocation
        from singletable_apps.elections.commands import show_tally

        show_tally(DataLocation(at, keys), election, method, as_json=json, plain=plain)
