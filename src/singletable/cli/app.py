"""The commands, and how they end.

A command enters the rooms it needs when it is run, so that none waits for what others need.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from singletable.cli.added import Commands
from singletable.cli.docs import docs
from singletable.cli.draft import draft
from singletable.cli.dynamodb import dynamodb
from singletable.cli.explain import explain
from singletable.cli.infrastructure import app as infrastructure
from singletable.cli.look import look
from singletable.cli.table import app as table
from singletable.cli.workbench import workbench
from singletable.errors import SingleTableError

app = typer.Typer(
    cls=Commands,
    help="DynamoDB single-table design in Python, with a DynamoDB inside the process.",
    epilog="New here? Begin with: singletable tour",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command()
def tour(
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            metavar="PATH",
            help="Keep the tables in this new file, to look at later. Without it they live in "
            "memory and are gone at the end.",
        ),
    ] = None,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain", help="No colours and no drawn lines: for files and screen readers."
        ),
    ] = False,
) -> None:
    """Show the embedded DynamoDB at work on five real single-table designs.

    Creates the tables of five design documents, runs access patterns of each, and shows every
    request, its answer and the capacity units it consumed. Takes a second; needs no account, no
    network and no server.
    """
    from rich.console import Console

    from singletable.cli.tour import take_tour

    console = Console(color_system=None if plain else "auto", highlight=False)
    take_tour(console, file=file, plain=plain)


app.command()(dynamodb)
app.command()(draft)
app.command()(docs)
app.command()(explain)
app.command()(look)
app.add_typer(workbench, name="workbench")
app.add_typer(infrastructure, name="infrastructure")
app.add_typer(table, name="table")


@app.command()
def version() -> None:
    """Print the version of singletable."""
    from importlib.metadata import version as version_of

    typer.echo(f"singletable {version_of('singletable')}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; what is refused ends in one paragraph and exit code 2."""
    # A terminal that cannot show a character shows a question mark, and the command goes on.
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    try:
        app(args=arguments)
    except SingleTableError as refusal:
        typer.echo(f"singletable: {refusal}", err=True)
        sys.exit(2)
