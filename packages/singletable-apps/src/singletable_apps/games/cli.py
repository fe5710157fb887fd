"""`singletable games`: serve games, create sample data, and print the administrator's link."""

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

games = typer.Typer(
    help="Serve live audience games.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)

AddressOption = Annotated[
    str,
    typer.Option(
        "--address",
        metavar="ADDRESS",
        help="Where the tables are, such as file:games.db or dynamodb:.",
    ),
]
SecretOption = Annotated[
    Path,
    typer.Option(
        "--secret", metavar="FILE", help="The file with the server secret; created if missing."
    ),
]
EnvironmentOption = Annotated[
    str,
    typer.Option(
        "--environment", metavar="NAME", help="The table is named engagements-NAME-table."
    ),
]


# Imports are inside the commands, so that `--help` does not load the web framework.
@games.command()
@exit_on_error()
def serve(
    at: AddressOption,
    secret: SecretOption,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    public: PublicUrlOption = None,
    proxy: ProxyOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
    environment: EnvironmentOption = "dev",
) -> None:
    """Serve games over HTTP and WebSockets: pages for people and an API for programs.

    Only one process can use a file. On DynamoDB, or your own endpoint, several processes with the
    same secret can serve the same games.
    """
    from singletable_apps.games.app import run_serve
    from singletable_apps.shared.serve import ListenOptions

    run_serve(
        at,
        secret,
        ListenOptions(host, port, public, tuple(proxy or ()), (tls_cert, tls_key)),
        environment,
    )


@games.command()
@exit_on_error()
def sample(at: AddressOption, secret: SecretOption, environment: EnvironmentOption = "dev") -> None:
    """Create sample question sets and games."""
    from singletable_apps.games.app import open_service
    from singletable_apps.games.sample import create_sample
    from singletable_apps.games.urls import Urls
    from singletable_apps.shared.serve import open_driver, progress_bar

    with open_driver(at) as driver, progress_bar("Creating sample games") as progress:
        create_sample(open_service(driver, secret, Urls(), environment), progress)
    typer.echo(f"To see them: singletable games serve --address {at} --secret {secret}")


@games.command("admin-link")
@exit_on_error()
def admin_link(
    secret: SecretOption,
    public: Annotated[
        str, typer.Option("--public", metavar="URL", help="The URL that people use.")
    ] = "http://127.0.0.1:8000",
) -> None:
    """Print the link that makes a browser the administrator's. Keep it secret."""
    from singletable_apps.games.tokens import Tokens
    from singletable_apps.games.urls import Urls
    from singletable_apps.shared.key_files import load_key_file

    token = Tokens(load_key_file(secret, "for the seats of hosts and players")).admin_token()
    urls = Urls(public=public.rstrip("/"))
    typer.echo(urls.absolute(urls.page("admin-link", token=token)))
