"""Find existing tables at an address, for commands that only read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dynamodb_engine.addresses import file_path
from dynamodb_engine.operations import DescribeTable, Driver, ListTables, TableDescription
from singletable.connect import connect
from singletable.errors import ResourceNotFound, StorageError, TableNotFound

if TYPE_CHECKING:
    from dynamodb_engine.engine import Engine
    from singletable.remote import Remote


def connect_existing(address: str) -> Engine | Remote:
    """Open the driver for an address; raise StorageError instead of creating a missing file."""
    check_file_exists(address)
    return connect(address)


def check_file_exists(address: str) -> None:
    """Raise StorageError if the address is that of a missing file."""
    kind, _, rest = address.partition(":")
    if kind == "file" and rest and not (path := file_path(rest)).exists():
        raise StorageError(
            f"There is no file '{path}'. Check the address, or create the tables of an app there "
            f"with: singletable table create APP {address}"
        )


def list_tables(driver: Driver) -> Iterator[str]:
    """Yield the names of all tables."""
    after: str | None = None
    while True:
        page = driver.execute(ListTables(exclusive_start_table_name=after))
        yield from page.table_names
        after = page.last_evaluated_table_name
        if after is None:
            return


def describe_existing(driver: Driver, name: str) -> TableDescription:
    """Return the description of a table; raise TableNotFound with the existing names."""
    try:
        return driver.execute(DescribeTable(name)).table
    except ResourceNotFound:
        tables = ", ".join(list_tables(driver)) or "none"
        raise TableNotFound(
            f"There is no table {name!r} at this address. Existing tables: {tables}."
        ) from None
