"""The cached catalog of a SQL server, on SQLite in the place of the server."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.server_catalog import ServerCatalog
from dynamodb_engine.engine.storage import Execute
from dynamodb_engine.engine.storage.server import ServerLayout
from dynamodb_engine.engine.storage.server.dialect import Dialect
from dynamodb_engine.engine.table_record import TableRecord

NAMES = ("a", "b", "c")


class Tables:
    """The stored tables; it stands for a transaction and for its dialect, and locks nothing."""

    def __init__(self) -> None:
        self.dialect = self
        self._database = sqlite3.connect(":memory:", isolation_level=None)
        self(
            "CREATE TABLE tables (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, "
            "record BLOB, version INTEGER)"
        )

    def __call__(self, sql: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        return iter(self._database.execute(sql, values).fetchall())

    def lock_table(self, number: int) -> str:
        return "SELECT 1"

    def run(self, statement: str) -> None:
        pass


def new_record(name: str) -> TableRecord:
    return TableRecord(
        name=name,
        id=name,
        key_schema=[ops.KeySchemaElement("pk", "HASH")],
        attribute_definitions=[ops.AttributeDefinition("pk", "S")],
        created=0.0,
    )


def change(catalog: ServerCatalog, execute: Execute, name: str, *, is_removal: bool) -> None:
    """Create the table, or change or remove it if it exists."""
    table = catalog.draft.get(name)
    if table is None:
        catalog.add(execute, new_record(name))
    elif is_removal:
        catalog.remove(execute, table.record)
    else:
        record = replace(table.record, deletion_protection=not table.record.deletion_protection)
        catalog.update(execute, record)


# A fork may load the tables again at any time, also after changes of its own.
@given(
    st.lists(
        st.tuples(
            st.integers(0, 1),  # the process
            st.lists(st.none() | st.tuples(st.sampled_from(NAMES), st.booleans()), max_size=4),
        ),
        max_size=6,
    )
)
def test_catalogs_of_two_processes_have_the_stored_tables(
    commits: list[tuple[int, list[tuple[str, bool] | None]]],
) -> None:
    stored = Tables()
    execute = cast(Execute, stored)
    layout = ServerLayout(cast(Dialect, stored))
    processes = [ServerCatalog(layout, lambda: 0.0), ServerCatalog(layout, lambda: 0.0)]
    for number, changes in commits:
        fork = processes[number].fork()
        fork.load(execute)
        for one in changes:
            if one is None:
                fork.load(execute)
            else:
                change(fork, execute, one[0], is_removal=one[1])
        processes[number].publish(fork)
        fresh = ServerCatalog(layout, lambda: 0.0)
        fresh.load(execute)
        known = processes[number]
        assert known.versions == fresh.versions
        assert {name: table.record for name, table in known.tables.items()} == {
            name: table.record for name, table in fresh.tables.items()
        }
