"""The catalog of tables, and the session through which a request sees them."""

from __future__ import annotations

from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from singletable.engine.settings import Settings
from singletable.engine.storage import Execute
from singletable.engine.table import Table, build_table
from singletable.engine.table_record import (
    TableRecord,
    complete_changes,
    decode_record,
    encode_record,
)
from singletable.errors import ResourceNotFound, TableNotFound
from singletable.operations import Operation
from singletable.operations.registry import OPERATIONS


class Catalog:
    """The tables by name: readers see the last commit, the writer sees its own changes.

    `unweighed_changes` counts the changes of the feed that are in no block yet. It may include a
    write that was rolled back, which only makes the next block end earlier.
    """

    def __init__(self) -> None:
        self._committed: dict[str, Table] = {}
        self._draft: dict[str, Table] | None = None
        self.unweighed_changes = 0

    def load(self, execute: Execute, latest: float) -> None:
        """Load the stored tables; a change that would end after `latest` is complete."""
        records = [
            complete_changes(decode_record(cast(bytes, raw)), latest)
            for (raw,) in execute("SELECT record FROM tables ORDER BY name")
        ]
        self._committed = {record.name: build_table(record) for record in records}
        self._draft = None
        ((unweighed,),) = execute(
            "SELECT coalesce((SELECT max(position) FROM changes), 0) - "
            "coalesce((SELECT max(position) FROM change_blocks), 0)"
        )
        self.unweighed_changes = cast(int, unweighed)

    @property
    def tables(self) -> dict[str, Table]:
        """Return the tables of the last commit."""
        return self._committed

    @property
    def draft(self) -> dict[str, Table]:
        """Return the tables with the changes of the current transaction."""
        return self._committed if self._draft is None else self._draft

    def snapshot(self) -> object:
        """Return the uncommitted state."""
        return self._draft

    def restore(self, snapshot: object) -> None:
        """Go back to a state that `snapshot` returned."""
        self._draft = cast("dict[str, Table] | None", snapshot)

    def commit(self) -> None:
        """Make the writer's changes visible to readers."""
        if self._draft is not None:
            self._committed = self._draft
            self._draft = None

    def add(self, execute: Execute, record: TableRecord) -> Table:
        """Store a new table and assign its number."""
        execute("INSERT INTO tables (name) VALUES (?)", (record.name,))
        ((number,),) = execute("SELECT last_insert_rowid()")
        return self.update(execute, replace(record, number=cast(int, number)))

    def update(self, execute: Execute, record: TableRecord) -> Table:
        """Store the changed record of a table."""
        execute(
            "UPDATE tables SET record = ? WHERE number = ?",
            (encode_record(record), record.number),
        )
        table = build_table(record)
        self._draft = {**self.draft, record.name: table}
        return table

    def remove(self, execute: Execute, record: TableRecord) -> None:
        """Remove a table."""
        execute("DELETE FROM tables WHERE number = ?", (record.number,))
        self._draft = {name: t for name, t in self.draft.items() if name != record.name}


class Session(Struct):
    """What a handler works with: one request's view of the database at one time.

    `now` is the clock's time, for TTL, retention and tokens. `control_time` never goes backward:
    the states of tables and indexes follow from it.
    """

    execute: Execute
    catalog: Catalog
    tables: dict[str, Table]
    settings: Settings
    now: float
    control_time: float
    operation: type[Operation[Any]]

    def resolve(self, name_or_arn: str) -> str:
        """Return the name of a table given by name or ARN; raise for an ARN from elsewhere."""
        if not name_or_arn.startswith("arn:"):
            return name_or_arn
        return self.settings.arns.resolve(name_or_arn, OPERATIONS[self.operation].action)

    def resolve_tagged(self, arn: str) -> str:
        """Return the name of the table in the ARN of a tagged resource."""
        return self.settings.arns.resolve_tagged(arn, OPERATIONS[self.operation].action)

    def table(self, name: str) -> Table:
        """Return the table with this name or ARN; raise unless its items can be used."""
        table = self.tables.get(name)
        if table is None and name.startswith("arn:"):
            table = self.tables.get(self.resolve(name))
        if (
            table is None
            or table.record.deleted_by is not None
            or table.record.created_by > self.control_time
        ):
            raise ResourceNotFound("Requested resource not found")
        return table

    def table_in_any_state(self, name: str) -> Table:
        """Return the table with this name or ARN, also while it is created or deleted."""
        name = self.resolve(name)
        table = self.tables.get(name)
        if table is None or is_deleted(table, self.control_time):
            raise TableNotFound(f"Requested resource not found: Table: {name} not found")
        return table


def is_deleted(table: Table, now: float) -> bool:
    """Return whether the deletion of the table has finished."""
    return table.record.deleted_by is not None and table.record.deleted_by <= now
