"""`singletable sql`: query a view for each entity, and create the views."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli.options import TableApp, table_names

if TYPE_CHECKING:
    from singletable.sql import QueryResult


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


class Views(Enum):
    """What to do with the views of the entities."""

    CREATE = "create"
    DROP = "drop"


def sql(
    ctx: typer.Context,
    app: TableApp,
    address: SqlAddress,
    select: Annotated[
        str | None, typer.Argument(metavar="[SELECT]", help="The query, in one argument.")
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="How to print the rows.")] = (
        Format.TABLE
    ),
    views: Annotated[
        Views | None,
        typer.Option(
            "--views",
            help="Create or drop the views, for tools that connect to the database itself.",
        ),
    ] = None,
) -> None:
    """Query the entities of an app with SQL: each is a view, whether or not it was created.

    Its columns are the fields. Each list and set has a view of its own, with a row for each member.
    The database allows no changes by a query, so a mistake harms nothing. A file can be in use by
    an engine of another process, except when views are created or dropped.
    """
    from singletable.cli.app_loader import load_tables
    from singletable.sql import open_database, views_of
    from singletable.tables import resolve_table_names

    if (select is None) == (views is None):
        raise typer.BadParameter("Pass either a query or --views.", param_hint="'[SELECT]'")
    tables = load_tables(app)
    found, names = views_of(tables), dict(resolve_table_names(tables, table_names(ctx)))
    database = open_database(address)
    if select is not None:
        with database.query(select, found, names) as result:
            _PRINTERS[output](result)
    elif views is Views.DROP:
        database.drop_views(found)
        typer.echo(f"Dropped {len(found)} views.")
    else:
        for view in database.create_views(found, names):
            typer.echo(f"{view.name} ({', '.join(one.name for one in view.columns)})")


# Printing rows


def _print_table(result: QueryResult) -> None:
    from rich.console import Console

    from singletable.cli.output import pluralize, print_text_table
    from singletable.text_table import TextTable

    rows = tuple(tuple(map(str, row)) for row in _cells(result))
    table = TextTable(pluralize(len(rows), "row"), result.columns, rows)
    print_text_table(Console(highlight=False), table)


def _print_csv(result: QueryResult) -> None:
    from singletable.text_table import format_csv

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
