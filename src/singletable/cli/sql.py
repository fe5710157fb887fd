"""`singletable sql`: create a view for each entity, and query the views."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from singletable.cli.options import Commands, TableApp, TableNames, parse_table_names

if TYPE_CHECKING:
    from singletable.schema import Table
    from singletable.sql import QueryResult, View


class SqlGroup(TyperGroup):
    """Commands of which `query` is the default: `singletable sql APP ADDRESS SELECT`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; `query` is the command if they name none."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["query", *args]
        return super().parse_args(ctx, args)


class Format(Enum):
    """How to print rows."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


SqlAddress = Annotated[
    str,
    typer.Argument(
        metavar="ADDRESS",
        help="Where the tables are: file:votes.db, postgresql://… or mysql://…. Or --address "
        "ADDRESS.",
    ),
]

app = Commands(
    cls=SqlGroup,
    help="Query the entities of an app with SQL: singletable sql APP ADDRESS 'select …'.",
    no_args_is_help=True,
)


@app.command()
def query(
    app: TableApp,
    address: SqlAddress,
    select: Annotated[str, typer.Argument(metavar="SELECT", help="The query, in one argument.")],
    output: Annotated[Format, typer.Option("--format", help="How to print the rows.")] = (
        Format.TABLE
    ),
    table_names: TableNames = None,
) -> None:
    """Print the rows of a query. Each entity is a view, whether or not it was created.

    The database allows no changes, so a mistake harms nothing. A file can be in use by an engine
    of another process.
    """
    from singletable.sql import open_database

    views, names = _load_views(app, table_names)
    with open_database(address).query(select, views, names) as result:
        _PRINTERS[output](result)


@app.command()
def views(
    app: TableApp,
    address: SqlAddress,
    drop: Annotated[bool, typer.Option("--drop", help="Drop the views instead.")] = False,
    table_names: TableNames = None,
) -> None:
    """Create or replace a view for each entity, for tools that connect to the database itself.

    Its columns are the fields. Each list and set has a view of its own, with a row for each member.
    No engine may have the file open meanwhile.
    """
    from singletable.sql import open_database

    views, names = _load_views(app, table_names)
    database = open_database(address)
    if drop:
        database.drop_views(views)
        typer.echo(f"Dropped {len(views)} views.")
        return
    for view in database.create_views(views, names):
        typer.echo(f"{view.name} ({', '.join(one.name for one in view.columns)})")


def _load_views(app: str, table_names: list[str] | None) -> tuple[list[View], dict[Table, str]]:
    """Return the views of an app, and the real names of its tables."""
    from singletable.cli.app_loader import load_tables
    from singletable.infrastructure import resolve_table_names
    from singletable.sql import views_of

    tables = load_tables(app)
    return views_of(tables), dict(resolve_table_names(tables, parse_table_names(table_names)))


# Printing rows


def _print_table(result: QueryResult) -> None:
    from rich.console import Console

    from singletable.cli.output import pluralize, print_text_table
    from singletable.planning.report import TextTable

    rows = tuple(tuple(map(str, row)) for row in _cells(result))
    table = TextTable(pluralize(len(rows), "row"), result.columns, rows)
    print_text_table(Console(highlight=False), table)


def _print_csv(result: QueryResult) -> None:
    from singletable.planning.formats import format_csv

    typer.echo(format_csv(result.columns, _cells(result)), nl=False)


def _print_json(result: QueryResult) -> None:
    rows = [dict(zip(result.columns, map(_plain, row), strict=True)) for row in result.rows]
    lines = ",\n".join(_encode(row) for row in rows)
    typer.echo(f"[{lines}]")


_PRINTERS = {Format.TABLE: _print_table, Format.CSV: _print_csv, Format.JSON: _print_json}


def _cells(result: QueryResult) -> Iterator[list[str | int | float | Decimal]]:
    """Yield the rows as numbers and texts; NULL is an empty text."""
    for row in result.rows:
        plain = ("" if one is None else _plain(one) for one in row)
        yield [
            one
            if isinstance(one, str | int | float | Decimal) and not isinstance(one, bool)
            else _encode(one).strip('"')
            for one in plain
        ]


def _encode(value: object) -> str:
    from msgspec import json

    return json.Encoder(decimal_format="number").encode(value).decode()


def _plain(value: object) -> object:
    """Return a value of a row as it is printed: times in UTC, no zeros at the end of numbers."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else value.normalize()
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    return value
