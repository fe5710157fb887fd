"""`singletable skills`: serve the directory, create sample data, and read its e-mails."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from singletable_apps.shared.cli import (
    HostOption,
    LimitOption,
    PortOption,
    PrintEmailsOption,
    ProxyOption,
    PublicUrlOption,
    SmtpOption,
    exit_on_error,
)

skills = typer.Typer(
    help="Serve a directory of people and their skills.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)

AddressOption = Annotated[
    str,
    typer.Option(
        "--address",
        "--at",
        metavar="ADDRESS",
        help="Where the tables are, such as file:skills.db or dynamodb:.",
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
@skills.command()
@exit_on_error()
def serve(
    at: AddressOption,
    secret: SecretOption,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    public: PublicUrlOption = None,
    proxy: ProxyOption = None,
    print_emails: PrintEmailsOption = False,
    smtp: SmtpOption = None,
) -> None:
    """Serve the directory over HTTP: pages for people and an API for programs.

    The tables and the secret are created if they are missing. Who registers first is the
    administrator.
    """
    from singletable_apps.shared.email_delivery import email_delivery
    from singletable_apps.shared.serve import ListenOptions
    from singletable_apps.skills.app import run_serve

    emails = email_delivery(print_emails=print_emails, smtp=smtp)
    run_serve(at, secret, ListenOptions(host, port, public, tuple(proxy or ())), emails)


@skills.command()
@exit_on_error()
def sample(at: AddressOption, secret: SecretOption) -> None:
    """Create a sample company: 120 people with 60 skills."""
    from singletable_apps.shared.serve import open_driver, progress_bar
    from singletable_apps.skills.app import open_service
    from singletable_apps.skills.sample import create_sample
    from singletable_apps.skills.urls import Urls

    with open_driver(at) as driver, progress_bar("Creating a sample company") as progress:
        create_sample(open_service(driver, secret, Urls()), progress)
    typer.echo(f"To see it: singletable skills serve --address {at} --secret {secret}")


@skills.command()
@exit_on_error()
def outbox(at: AddressOption, limit: LimitOption = 20) -> None:
    """Print the latest e-mails in the outbox, newest first."""
    from singletable_apps.shared.email_delivery import print_outbox
    from singletable_apps.skills.service import TABLES

    print_outbox(at, TABLES, limit)
