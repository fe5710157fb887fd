"""`singletable tour`: the engine at work on the designs of five documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def tour(
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            metavar="PATH",
            help="Keep the tables in this new file. Without it they are in memory.",
        ),
    ] = None,
    plain: Annotated[
        bool,
        typer.Option("--plain", help="No colors and no drawn lines, for files and screen readers."),
    ] = False,
) -> None:
    """Show the embedded DynamoDB engine at work on five single-table designs.

    Creates the tables of five design documents, runs their access patterns, and shows every
    request, its result and the capacity units it consumed. Takes a second, and needs no account,
    no network and no server.
    """
    from rich.console import Console

    from singletable_apps.tour import run_tour

    console = Console(color_system=None if plain else "auto", highlight=False)
    run_tour(console, file=file, plain=plain)
