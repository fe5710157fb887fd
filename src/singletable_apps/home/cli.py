"""`singletable serve`: the home page, and every application, from one folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from singletable_apps.shared.cli import Host, Port, Proxy, PublicUrl, exit_on_error


def serve(
    folder: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="Where tables and keys are kept; made if missing."),
    ] = Path("singletable-data"),
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="ADDRESS",
            help="Where the tables are, such as dynamodb:, if not in a file in the folder.",
        ),
    ] = None,
    sample: Annotated[
        bool,
        typer.Option("--sample", help="Begin with sample data, if the folder has nothing yet."),
    ] = False,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    public: PublicUrl = None,
    proxy: Proxy = None,
    letters: Annotated[
        bool,
        typer.Option("--letters", help="Print letters here, too: whoever reads one can sign in."),
    ] = False,
    smtp: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Send letters by a mail server: see elections serve."),
    ] = None,
) -> None:
    """Serve the home page and the applications, with pages for people and APIs for programs.

    Missing tables and keys are made. Keep a copy of the keys in a safe place.
    """
    with exit_on_error():
        from singletable_apps.home.apps import ServeOptions
        from singletable_apps.home.serve import serve_site
        from singletable_apps.shared.serve import ListenOptions

        asked = ListenOptions(host, port, public, tuple(proxy or ()))
        serve_site(folder, asked, ServeOptions(at, sample, letters, smtp))
