"""`singletable polls`: serve polls, create sample data, and recount a poll."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from singletable_apps.shared.cli import (
    HostOption,
    PortOption,
    ProxyOption,
    PublicUrlOption,
    TlsCertOption,
    TlsKeyOption,
    exit_on_error,
)

polls = typer.Typer(
    help="Serve ranked-choice polls and recount them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)

AddressOption = Annotated[
    str,
    typer.Option(
        "--address",
        metavar="ADDRESS",
        help="Where the table is, such as file:polls.db or dynamodb:.",
    ),
]
SecretOption = Annotated[
    Path,
    typer.Option(
        "--secret",
        metavar="FILE",
        help="The file with the server secret; created if missing.",
    ),
]


# Imports are inside the commands, so that `--help` does not load the web framework.
@polls.command()
def serve(
    at: AddressOption,
    secret: SecretOption,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    public: PublicUrlOption = None,
    proxy: ProxyOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
) -> None:
    """Serve polls over HTTP: pages for people and an API for programs.

    The table and the secret are created if they are missing. Keep a backup of the secret.
    """
    with exit_on_error():
        from singletable_apps.polls.app import run_serve
        from singletable_apps.shared.serve import ListenOptions

        run_serve(
            at,
            secret,
            ListenOptions(host, port, public, tuple(proxy or ()), (tls_cert, tls_key)),
        )


@polls.command()
def sample(at: AddressOption, secret: SecretOption) -> None:
    """Create sample polls with votes."""
    with exit_on_error():
        from singletable_apps.polls.app import run_sample

        run_sample(at, secret)


@polls.command()
def recount(
    poll: Annotated[str, typer.Argument(metavar="POLL", help="The id of the poll, in its link.")],
    at: AddressOption,
) -> None:
    """Count every vote of a poll one by one and compare with its results."""
    with exit_on_error():
        from singletable_apps.polls.app import run_recount

        run_recount(at, poll)
