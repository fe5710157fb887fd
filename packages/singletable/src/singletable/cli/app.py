"""The command line: all commands, and how they end.

A command imports what it needs when it runs, so that no command waits for the imports of another.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import Annotated

import typer
from typer.core import TyperGroup
from typer.main import get_command

from dynamodb_engine.addresses import hide_password
from dynamodb_engine.garbage_collection import tune_for_imports
from singletable.cli.bulk import bulk_load
from singletable.cli.copy import copy
from singletable.cli.diff import diff
from singletable.cli.explain import explain
from singletable.cli.migration import app as migration
from singletable.cli.options import Commands, TableNames
from singletable.cli.partiql import partiql
from singletable.cli.plugins import PluginGroup
from singletable.cli.show import show
from singletable.cli.sql import sql
from singletable.cli.table import app as table
from singletable.errors import SingleTableError

app = Commands(
    cls=PluginGroup,
    help="DynamoDB single-table design in Python, with an embedded DynamoDB engine.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command()(diff)
app.command()(explain)
app.command()(show)
app.command()(partiql)
app.command("bulk-load")(bulk_load)
app.command()(copy)
app.command()(sql)
app.add_typer(table, name="table")
app.add_typer(migration, name="migration")


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"singletable {version('singletable')}")
        raise typer.Exit


@app.callback()
def root(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
    table_names: TableNames = None,
) -> None:
    """Accept the options that all commands share; they may also come after the command."""


@cache
def _command() -> TyperGroup:
    """Return all commands; typer would read their signatures again at each call."""
    command = get_command(app)
    assert isinstance(command, TyperGroup)
    return command


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; an error of the library is printed and ends with exit code 2."""
    tune_for_imports()
    # Characters that the terminal cannot show are replaced, not an error.
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    try:
        _command()(args=arguments)
    except SingleTableError as error:
        typer.echo(f"singletable: {hide_password(str(error))}", err=True)
        sys.exit(2)
