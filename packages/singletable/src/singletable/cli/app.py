"""The command line: all commands, and how they end.

A command imports what it needs when it runs, so that no command waits for the imports of another.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup
from typer.main import get_command

from singletable.cli.backup import backup
from singletable.cli.bulk import bulk_load, delete_partition
from singletable.cli.check import check
from singletable.cli.copy import copy
from singletable.cli.diff import diff
from singletable_design.cli.docs import docs
from singletable.cli.dynamodb import dynamodb
from singletable.cli.explain import explain
from singletable_design.cli.infrastructure import app as infrastructure
from singletable_design.cli.introspect import introspect
from singletable_design.cli.load import load
from singletable.cli.migration import app as migration
from singletable_design.cli.new import app as new
from singletable.cli.options import Commands
from singletable_design.cli.plan import plan
from singletable.cli.plugins import PluginGroup
from singletable.cli.show import show
from singletable_design.cli.simulate import simulate
from singletable.cli.sql import app as sql
from singletable.cli.table import app as table
from singletable_design.cli.workbench import app as workbench
from singletable.errors import SingleTableError

app = Commands(
    cls=PluginGroup,
    help="DynamoDB single-table design in Python, with an embedded DynamoDB engine.",
    epilog="New here? Start with: singletable tour",
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


app.add_typer(new, name="new")
app.command()(dynamodb)
app.command()(introspect)
app.command()(docs)
app.command()(plan)
app.command()(diff)
app.command()(explain)
app.command()(show)
app.command()(simulate)
app.command()(load)
app.command("bulk-load")(bulk_load)
app.command("delete-partition")(delete_partition)
app.command()(copy)
app.command()(check)
app.command()(backup)
app.add_typer(workbench, name="workbench")
app.add_typer(infrastructure, name="infrastructure")
app.add_typer(table, name="table")
app.add_typer(migration, name="migration")
app.add_typer(sql, name="sql")


@app.command()
def version() -> None:
    """Print the version of singletable."""
    from importlib.metadata import version as installed_version

    typer.echo(f"singletable {installed_version('singletable')}")


def _print_version(wanted: bool) -> None:
    if wanted:
        version()
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


@cache
def _command() -> TyperGroup:
    """Return all commands; typer would read their signatures again at each call."""
    command = get_command(app)
    assert isinstance(command, TyperGroup)
    return command


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; an error of the library is printed and ends with exit code 2."""
    # Imports create objects that stay. Python would look for garbage among them every 700 objects,
    # which takes a tenth of the start of an app.
    gc.set_threshold(20_000, 20, 20)
    # Characters that the terminal cannot show are replaced, not an error.
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    try:
        _command()(args=arguments)
    except SingleTableError as error:
        typer.echo(f"singletable: {error}", err=True)
        sys.exit(2)
