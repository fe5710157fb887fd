"""`singletable table`: make declared tables at an address, and check those that are there."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli.choices import StreamView, TableKind
from singletable.cli.written import encryption_key, pairs
from singletable.errors import TableNotFound

if TYPE_CHECKING:
    from singletable.engine import Engine
    from singletable.infrastructure import DescribedTable, TableSettings
    from singletable.operations import Driver
    from singletable.remote import Remote
    from singletable.schema import Table

app = typer.Typer(
    help="Make the tables that an app declares, and check those that are there.",
    no_args_is_help=True,
)

App = Annotated[
    str,
    typer.Argument(
        metavar="APP",
        help="The module that declares the tables, such as shop.entities; shop.entities:orders is "
        "one table of it.",
    ),
]
Address = Annotated[
    str,
    typer.Argument(
        metavar="ADDRESS", help="Where the tables are, as connect() has it: file:votes.db, …"
    ),
]
NameOption = Annotated[
    list[str] | None,
    typer.Option("--name", metavar="DECLARED=REAL", help="The real name of a declared table."),
]
Protection = Annotated[
    bool | None,
    typer.Option(
        "--deletion-protection/--no-deletion-protection",
        help="Whether DeleteTable is refused. Without it, nobody cares.",
        show_default=False,
    ),
]
Stream = Annotated[
    StreamView | None, typer.Option("--stream", help="What the table's stream shows.")
]
Recovery = Annotated[
    int | None,
    typer.Option(
        "--recovery-days",
        min=0,
        max=35,
        help="Within how many days the table can be recovered as it was; 0 is off.",
    ),
]
Encryption = Annotated[
    str | None,
    typer.Option("--encryption", metavar="aws-owned|aws-managed|ARN", help="The key at rest."),
]
Kind = Annotated[TableKind | None, typer.Option("--table-class", help="How items are stored.")]


@app.command("create")
def create_tables(
    app: App,
    address: Address,
    name: NameOption = None,
    deletion_protection: Protection = None,
    stream: Stream = None,
    table_class: Kind = None,
    recovery_days: Recovery = None,
    encryption: Encryption = None,
) -> None:
    """Make the declared tables that are not there yet, and wait until they can be used.

    Tables that are there are left as they are and compared with their declaration. The exit code
    is 0 if all is as declared now, 1 if a table differs, 2 if something went wrong.
    """
    from singletable.connect import connect
    from singletable.infrastructure import create_table, describe_table

    differ = False
    settings = _settings(deletion_protection, stream, table_class, recovery_days, encryption)
    with _opened(app, address, name, connect) as (driver, names):
        for table, real in names.items():
            made = ""
            if (described := describe_table(driver, real, settings)) is None:
                create_table(driver, table, real, settings)
                made = "created "
                # Not every address makes all that it is asked for, and some do not say so.
                described = describe_table(driver, real, settings)
            if described is None:
                raise TableNotFound(f"Table {real!r} was made, and is gone again.")
            differ |= _tell(table, described, settings, made)
    raise typer.Exit(1 if differ else 0)


@app.command("check")
def check_tables(
    app: App,
    address: Address,
    name: NameOption = None,
    deletion_protection: Protection = None,
    stream: Stream = None,
    table_class: Kind = None,
    recovery_days: Recovery = None,
    encryption: Encryption = None,
) -> None:
    """Compare the tables at an address with their declaration, and change nothing.

    Each difference is told with what to do about it, and with whether DynamoDB can change it in
    place. The exit code is 0 if all is as declared, 1 if a table differs, 2 if one is not there.
    """
    from singletable.cli.existing import connect_existing
    from singletable.infrastructure import describe_table

    code = 0
    settings = _settings(deletion_protection, stream, table_class, recovery_days, encryption)
    with _opened(app, address, name, connect_existing) as (driver, names):
        for table, real in names.items():
            described = describe_table(driver, real, settings)
            if described is None:
                typer.echo(
                    f"singletable: There is no table {real!r} at this address. Make it with: "
                    f"singletable table create {app} ADDRESS",
                    err=True,
                )
                code = 2
            elif _tell(table, described, settings):
                code = max(code, 1)
    raise typer.Exit(code)


def _tell(table: Table, described: DescribedTable, settings: TableSettings, made: str = "") -> bool:
    """Say how a table stands; whether it differs."""
    from singletable.infrastructure import compare_table, find_unverifiable

    found = compare_table(table, described, settings)
    count = f"{'with ' if made else ''}{len(found)} difference{'' if len(found) == 1 else 's'}"
    typer.echo(f"{described.table.table_name}: {made}{count if found else 'as declared'}")
    for one in (*found, *find_unverifiable(described, settings)):
        typer.echo(f"  - {one}")
    return bool(found)


def _settings(
    protection: bool | None,
    stream: StreamView | None,
    kind: TableKind | None,
    recovery_days: int | None,
    encryption: str | None,
) -> TableSettings:
    from singletable.infrastructure import TableSettings

    return TableSettings(
        deletion_protection=protection,
        stream=None if stream is None else stream.value,
        table_class=None if kind is None else kind.value,
        recovery_days=recovery_days,
        encryption=None if encryption is None else encryption_key(encryption),
    )


@contextmanager
def _opened(
    app: str,
    address: str,
    name: list[str] | None,
    connect: Callable[[str], Engine | Remote],
) -> Generator[tuple[Driver, Mapping[Table, str]]]:
    """The driver, and the tables with their real names; the app is read first."""
    from singletable.cli.load import load_tables
    from singletable.infrastructure import resolve_table_names

    names = resolve_table_names(load_tables(app), pairs("--name", name or ()))
    with connect(address) as driver:
        yield driver, names
