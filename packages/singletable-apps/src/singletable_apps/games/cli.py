"""`singletable games`: serve games, create sample data, and print the administrator's link."""

from __future__ import annotations

from typing import Annotated

import typer

from singletable_apps.shared.app_commands import SecretOption, app_commands
from singletable_apps.shared.cli import exit_on_error

EnvironmentOption = Annotated[
    str,
    typer.Option(
        "--environment", metavar="NAME", help="The table is named engagements-NAME-table."
    ),
]
games = app_commands(
    "games",
    "Serve live audience games.",
    serve="""Serve games over HTTP and WebSockets: pages for people and an API for programs.

    Only one process can use a file. On DynamoDB, or your own endpoint, several processes with the
    same secret can serve the same games.
    """,
    sample="Create sample question sets and games.",
    options=[("environment", EnvironmentOption, "dev")],
)


# Imports are inside the command, so that `--help` does not load the web framework.
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
