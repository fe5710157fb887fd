"""The command line: all commands, and how they end."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from dynamodb_engine.addresses import hide_password
from dynamodb_engine.cli.backup import backup
from dynamodb_engine.cli.check import check
from dynamodb_engine.cli.serve import serve
from dynamodb_engine.errors import EngineError
from dynamodb_engine.garbage_collection import tune_for_imports

app = typer.Typer(
    help="DynamoDB in Python: in memory, in a file, on PostgreSQL or MariaDB.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command()(serve)
app.command()(check)
app.command()(backup)


def _print_version(wanted: bool) -> None:
    from importlib.metadata import version

    if wanted:
        typer.echo(f"dynamodb-engine {version('dynamodb-engine')}")
        raise typer.Exit


@app.callback()
def root(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Accept the options that come before a command."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; an error of the engine is printed and ends with exit code 2."""
    tune_for_imports()
    # Characters that the terminal cannot show are replaced, not an error.
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    try:
        app(args=arguments)
    except EngineError as error:
        typer.echo(f"dynamodb-engine: {hide_password(str(error))}", err=True)
        sys.exit(2)
