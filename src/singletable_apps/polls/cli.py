"""`singletable polls`: the service, and what an operator looks at."""

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

polls = typer.Typer(
    help="Serve ranked-choice polls, and recount them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)

At = Annotated[
    str,
    typer.Option(
        "--at", metavar="ADDRESS", help="Where the table is, such as file:polls.db or dynamodb:."
    ),
]
Secret = Annotated[
    Path,
    typer.Option(
        "--secret",
        metavar="FILE",
        help="Where the secret lies, which is in no table; made if missing.",
    ),
]


@polls.command()
def serve(
    at: At,
    secret: Secret,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    public: PublicUrlOption = None,
    proxy: ProxyOption = None,
) -> None:
    """Serve polls over HTTP, with pages for people and an API for programs.

    A missing table and a missing secret are made. Keep a copy of the secret in a safe place.
    """
    with exit_on_error():
        from singletable_apps.polls.commands import serve
        from singletable_apps.shared.serve import ListenOptions

        serve(at, secret, ListenOptions(host, port, public, tuple(proxy or ())))


@polls.command()
def sample(at: At, secret: Secret) -> None:
    """Make some polls to look at, with votes in them."""
    with exit_on_error():
        from singletable_apps.polls.commands import make_sample

        make_sample(at, secret)


@polls.command()
def recount(
    poll: Annotated[str, typer.Argument(metavar="POLL", help="Its id, which is in its link.")],
    at: At,
) -> None:
    """Count every vote of a poll one by one, and compare with what its results say."""
    with exit_on_error():
        from singletable_apps.polls.commands import recount

        recount(at, poll)
