"""`singletable games`: print the administrator's link."""

from __future__ import annotations

from typing import Annotated

import typer

from singletable_apps.shared.app_commands import SITE, SiteOption
from singletable_apps.shared.cli import exit_on_error

games = typer.Typer(
    help="Print the administrator's link of games.", no_args_is_help=True, add_completion=False
)


@games.callback()
def _group() -> None:
    pass


# Imports are inside the command, so that `--help` does not load the web framework.
@games.command("admin-link")
@exit_on_error()
def admin_link(
    folder: SiteOption = SITE,
    public: Annotated[
        str, typer.Option("--public", metavar="URL", help="The URL that people use.")
    ] = "http://127.0.0.1:8000",
) -> None:
    """Print the link that makes a browser the administrator's. Keep it secret."""
    from dynamodb_engine.private_files import create_folder
    from singletable_apps.games.tokens import Tokens
    from singletable_apps.games.urls import Urls
    from singletable_apps.shared.key_files import load_key_file
    from singletable_apps.shared.serve import file_errors

    keys = folder / "games"
    with file_errors(keys):
        create_folder(keys)
    secret = load_key_file(keys / "secret.key", "for the seats of hosts and players")
    token = Tokens(secret).admin_token()
    urls = Urls(public=public.rstrip("/"))
    typer.echo(urls.absolute(urls.page("admin-link", token=token)))
