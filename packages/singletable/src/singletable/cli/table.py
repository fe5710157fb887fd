"""`singletable table`: create declared tables at an address, and check existing ones."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli.options import (
    Address,
    Commands,
    StreamView,
    TableApp,
    parse_encryption,
    shared_option,
    table_names,
)
from singletable.errors import TableNotFound

if TYPE_CHECKING:
    from dynamodb_engine.engine import Engine
    from dynamodb_engine.operations import Driver
    from singletable.remote import Remote
    from singletable.schema import Table
    from singletable.tables import DescribedTable, TableSettings

app = Commands(
    help="Create the tables that an app declares, and check existing ones.", no_args_is_help=True
)


@app.callback()
def settings_of_tables(
    deletion_protection: Annotated[
        bool | None,
        typer.Option(
            "--deletion-protection/--no-deletion-protection",
            help="Whether DeleteTable is rejected. Not checked by default.",
            show_default=False,
        ),
    ] = None,
    stream: Annotated[
        StreamView | None,
        typer.Option("--stream", help="The view type of the stream. Not checked by default."),
    ] = None,
    recovery_days: Annotated[
        int | None,
        typer.Option(
            "--recovery-days",
            min=0,
            max=35,
            help="Days of point-in-time recovery; 0 is off. Not checked by default.",
        ),
    ] = None,
    encryption: Annotated[
        str | None,
        typer.Option(
            "--encryption",
            metavar="aws-owned|aws-managed|ARN",
            help="The encryption key. Not checked by default.",
        ),
    ] = None,
) -> None:
    """Accept the settings of tables, which both commands share."""


@app.command("create")
def create_tables(
    ctx: typer.Context,
    app: TableApp,
    address: Address,
) -> None:
    """Create the declared tables that do not exist, and wait until they are active.

    Existing tables are not changed, but compared with their declaration. The exit code is 0 if all
    tables are as declared, 1 if a table differs, 2 after an error.
    """
    from singletable.connect import connect
    from singletable.tables import create_table, describe_table

    differs = False
    settings = _settings(ctx)
    with connect_tables(app, address, table_names(ctx), connect) as (driver, names):
        for table, name in names.items():
            created = False
            if (described := describe_table(driver, name, settings)) is None:
                create_table(driver, table, name, settings)
                created = True
                # Some endpoints ignore settings without an error, so the result is compared too.
                described = describe_table(driver, name, settings)
            if described is None:
                raise TableNotFound(f"Table {name!r} was created, but no longer exists.")
            differs |= _report(table, described, settings, created=created)
    raise typer.Exit(1 if differs else 0)


@app.command("check")
def check_tables(
    ctx: typer.Context,
    app: TableApp,
    address: Address,
) -> None:
    """Compare the tables at an address with their declaration, without changing them.

    Each difference is shown with how to resolve it, and whether DynamoDB can change it in place.
    The exit code is 0 if all tables are as declared, 1 if a table differs, 2 if one is missing.
    """
    from singletable.cli.existing_tables import connect_existing
    from singletable.tables import describe_table

    code = 0
    settings = _settings(ctx)
    with connect_tables(app, address, table_names(ctx), connect_existing) as (driver, names):
        for table, name in names.items():
            described = describe_table(driver, name, settings)
            if described is None:
                typer.echo(
                    f"singletable: There is no table {name!r} at this address. Create it with: "
                    f"singletable table create {app} ADDRESS",
                    err=True,
                )
                code = 2
            elif _report(table, described, settings):
                code = max(code, 1)
    raise typer.Exit(code)


def _report(
    table: Table, described: DescribedTable, settings: TableSettings, *, created: bool = False
) -> bool:
    """Print the differences of a table and return whether there are any."""
    from singletable.tables import compare_table, find_unverifiable

    differences = compare_table(table, described, settings)
    plural = "" if len(differences) == 1 else "s"
    count = f"{'with ' if created else ''}{len(differences)} difference{plural}"
    state = count if differences else "as declared"
    typer.echo(f"{described.table.table_name}: {'created ' if created else ''}{state}")
    for line in (*differences, *find_unverifiable(described, settings)):
        typer.echo(f"  - {line}")
    return bool(differences)


def _settings(ctx: typer.Context) -> TableSettings:
    from singletable.tables import TableSettings

    stream, encryption = shared_option(ctx, "stream"), shared_option(ctx, "encryption")
    return TableSettings(
        deletion_protection=shared_option(ctx, "deletion_protection"),
        stream=None if stream is None else stream.value,
        recovery_days=shared_option(ctx, "recovery_days"),
        encryption=None if encryption is None else parse_encryption(encryption),
    )


@contextmanager
def connect_tables(
    app: str,
    address: str,
    renamed: dict[str, str],
    connect: Callable[[str], Engine | Remote],
) -> Generator[tuple[Driver, Mapping[Table, str]]]:
    """Yield a driver and the real names of the app's tables."""
    from singletable.cli.app_loader import load_tables
    from singletable.tables import resolve_table_names

    names = resolve_table_names(load_tables(app), renamed)
    with connect(address) as driver:
        yield driver, names
