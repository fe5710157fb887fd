"""Which tables there are. Readers see the last commit; the writer sees what it is changing."""

from __future__ import annotations

from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from singletable.engine.feed_size import FeedSize
from singletable.engine.settings import Settings
from singletable.engine.storage import Execute
from singletable.engine.table import Table, build_table
from singletable.engine.table_record import TableRecord, decode_record, encode_record
from singletable.errors import ResourceNotFound, TableNotFound
from singletable.operations.arn import table_name


class Catalog:
    """The tables by name."""

    def __init__(self) -> None:
        self._committed: dict[str, Table] = {}
        self._draft: dict[str, Table] | None = None
        self.feed_size = FeedSize()

    def load(self, execute: Execute) -> None:
        """Read what is kept."""
        records = [
            decode_record(cast(bytes, raw))
            for (raw,) in execute("SELECT record FROM tables ORDER BY name")
        ]
        self._committed = {record.name: build_table(record) for record in records}
        self._draft = None
        self.feed_size.load(execute)

    @property
    def tables(self) -> dict[str, Table]:
        """The tables as they stand in the last commit."""
        return self._committed

    @property
    def draft(self) -> dict[str, Table]:
        """The tables as the commit under way will leave them."""
        return self._committed if self._draft is None else self._draft

    def snapshot(self) -> object:
        """The tables as the commit under way will leave them so far."""
        return self._draft

    def restore(self, mark: object) -> None:
        """Go back to what was marked."""
        self._draft = cast("dict[str, Table] | None", mark)

    def commit(self) -> None:
        """Let readers see what the writer changed."""
        if self._draft is not None:
            self._committed = self._draft
            self._draft = None

    def add(self, execute: Execute, record: TableRecord) -> Table:
        """Keep a new table, make room for its rows, and give it its number."""
        execute("INSERT INTO tables (name) VALUES (?)", (record.name,))
        ((number,),) = execute("SELECT last_insert_rowid()")
        return self.update(execute, replace(record, number=cast(int, number)))

    def update(self, execute: Execute, record: TableRecord) -> Table:
        """Keep the changed record of a table."""
        execute(
            "UPDATE tables SET record = ? WHERE number = ?",
            (encode_record(record), record.number),
        )
        table = build_table(record)
        self._draft = {**self.draft, record.name: table}
        return table

    def remove(self, execute: Execute, record: TableRecord) -> None:
        """Forget a table."""
        execute("DELETE FROM tables WHERE number = ?", (record.number,))
        self._draft = {name: t for name, t in self.draft.items() if name != record.name}


def find_active_table(tables: dict[str, Table], name: str, now: float) -> Table:
    """The table that items can be read from and written to, by its name or its ARN."""
    table = tables.get(name)
    if table is None and name.startswith("arn:"):
        table = tables.get(table_name(name))
    if table is None or table.record.deleted_by is not None or table.record.created_by > now:
        raise ResourceNotFound("Requested resource not found")
    return table


def find_table(tables: dict[str, Table], name: str, now: float) -> Table:
    """The table by its name, in whatever state it is; one that is deleted for good is not there."""
    table = tables.get(name)
    if table is None or is_deleted(table, now):
        raise TableNotFound(f"Requested resource not found: Table: {name} not found")
    return table


def is_deleted(table: Table, now: float) -> bool:
    """Whether the time a deletion takes is over."""
    return table.record.deleted_by is not None and table.record.deleted_by <= now


# FROM session.py: What a handler works with: the tables, the rows, the clock, the settings.


class Session(Struct):
    """One request's view of the database, at one moment; the writer's sees its own changes."""

    execute: Execute
    catalog: Catalog
    tables: dict[str, Table]
    settings: Settings
    now: float

    def table(self, name: str) -> Table:
        """The table that items can be read from and written to."""
        return find_active_table(self.tables, name, self.now)

    def table_in_any_state(self, name: str) -> Table:
        """The table in whatever state it is."""
        return find_table(self.tables, name, self.now)
