"""`singletable tour`: the engine at work on the designs of the five apps."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_FILE = typer.Option(
    metavar="PATH", help="Keep the tables in this new file. Without it they are in memory."
)
_PLAIN = typer.Option("--plain", help="No colors and no drawn lines, for files and screen readers.")


def tour(
    file: Annotated[Path | None, _FILE] = None, plain: Annotated[bool, _PLAIN] = False
) -> None:
    """Show the embedded DynamoDB engine at work on the designs of five apps.

    Creates the tables of the apps with a few items, runs some of their access patterns, and shows
    every request, its result and the capacity units it consumed. Takes a second, and needs no
    account, no network and no server.
    """
    from singletable_apps.tour.runner import run_tour

    run_tour(file, plain=plain)
