"""The catalog of tables, and the session through which a request sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as replace_in
from typing import Any, Generic, TypeAlias, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from dynamodb_engine.engine.row_counts import RowCounts
from dynamodb_engine.engine.settings import Settings
from dynamodb_engine.engine.storage import (
    CHANGE_COLUMNS,
    MAX_POSITION,
    TOKEN_COLUMNS,
    DamagedData,
    Execute,
    Layout,
    Row,
    RowKey,
    Rows,
    check_values,
    values_checksum,
)
from dynamodb_engine.engine.table import Table, build_table
from dynamodb_engine.engine.table_record import (
    TableRecord,
    complete_changes,
    decode_record,
    encode_record,
)
from dynamodb_engine.errors import ResourceNotFound, TableNotFound
from dynamodb_engine.operations import Operation
from dynamodb_engine.operations.registry import OPERATIONS

R = TypeVar("R")
_Snapshot: TypeAlias = tuple[dict[str, Table] | None, int, int, int, tuple[int, int]]
# Filtering this much takes a few milliseconds.
MAX_SHORT_WORK = 1024 * 1024


class Catalog:
    """The tables by name: readers see the last commit, the writer sees its own changes.

    `tables` has the tables of the last commit. `newest_change` is the position of the last change
    in the feed, `newest_block` the end of the last block of changes with a recorded size, and
    `block_bytes` the sum of these sizes.
    """

    # Whether new indexes and expiry times are filled after the request, chunk by chunk.
    fills_later = False

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.tables: dict[str, Table] = {}
        self._draft: dict[str, Table] | None = None
        self.newest_change = 0
        self.newest_block = 0
        self.block_bytes = 0
        # Changes whose positions are assigned when the transaction commits; None: at once.
        self.pending_changes: list[tuple[Any, ...]] | None = None
        self.change_columns = CHANGE_COLUMNS
        self.counts = RowCounts()
        # By table number: how many changes of a table with a stream there were since its shards
        # were split, or since this process opened the database.
        self.streamed_changes: dict[int, int] = {}

    def load(self, execute: Execute, latest: float) -> None:
        """Load the stored tables, and complete pending changes that would end after `latest`."""
        columns = "number, name, record, checksum"
        for number, name, raw, checksum in execute(f"SELECT {columns} FROM tables ORDER BY name"):
            check_values(f"The record of table '{name}'", checksum, number, name, raw)
            record = complete_changes(decode_record(raw), latest)
            self.tables[record.name] = build_table(record, self.layout)
        ((self.newest_change, self.newest_block, self.block_bytes),) = execute(
            "SELECT coalesce((SELECT max(position) FROM changes), 0), coalesce(max(position), 0), "
            "coalesce(sum(bytes), 0) FROM change_blocks"
        )
        if max(self.newest_change, self.newest_block) > MAX_POSITION:
            raise DamagedData("The last position of the change feed")
        self.counts.load(execute, self.tables.values(), self.newest_block)

    @property
    def draft(self) -> dict[str, Table]:
        """Return the tables with the changes of the current transaction."""
        return self.tables if self._draft is None else self._draft

    def snapshot(self) -> object:
        """Return the uncommitted state."""
        position, block = self.newest_change, self.newest_block
        return self._draft, position, block, self.block_bytes, self.counts.snapshot()

    def restore(self, snapshot: object) -> None:
        """Go back to a state that `snapshot` returned."""
        state = cast("_Snapshot", snapshot)
        self._draft, self.newest_change, self.newest_block, self.block_bytes, counts = state
        self.counts.restore(counts)

    def commit(self) -> None:
        """Make the writer's changes visible to readers."""
        if self._draft is not None:
            self.tables = self._draft
            self._draft = None
        self.counts.commit()

    def add(self, execute: Execute, record: TableRecord) -> Table:
        """Store a new table and assign its number."""
        execute("INSERT INTO tables (name) VALUES (?)", (record.name,))
        ((number,),) = execute("SELECT last_insert_rowid()")
        return self.update(execute, replace(record, number=cast(int, number)))

    def update(self, execute: Execute, record: TableRecord) -> Table:
        """Store the changed record of a table."""
        raw = encode_record(record)
        execute(
            "UPDATE tables SET record = ?, checksum = ? WHERE number = ?",
            (raw, values_checksum((record.number, record.name, raw)), record.number),
        )
        table = build_table(record, self.layout)
        self._draft = {**self.draft, record.name: table}
        return table

    def remove(self, execute: Execute, record: TableRecord) -> None:
        """Remove a table."""
        execute("DELETE FROM tables WHERE number = ?", (record.number,))
        self._draft = {name: t for name, t in self.draft.items() if name != record.name}

    def create_rows(self, execute: Execute, rows: Rows) -> None:
        """Create the SQL table of a new table or index."""
        rows.create(execute)
        self.counts.start(execute, rows, self.newest_change)

    def drop_rows(self, execute: Execute, rows: Rows) -> None:
        """Drop the SQL table of a table or index."""
        rows.drop(execute)
        self.counts.forget(execute, rows.name)

    def read_record(self, execute: Execute, name: str) -> TableRecord | None:
        """Return the stored record of a table, as other statements of the request see it."""
        select = "SELECT number, record, checksum FROM tables WHERE name = ?"
        for number, raw, checksum in execute(select, (name,)):
            check_values(f"The record of table '{name}'", checksum, number, name, raw)
            return decode_record(raw)
        return None

    def last_change(self, execute: Execute, record: TableRecord) -> int:
        """Return a position that separates the table's changes up to now from later ones."""
        return self.newest_change

    def get_rows(
        self, execute: Execute, places: Sequence[tuple[Table, RowKey]]
    ) -> Iterator[Row | None]:
        """Return the rows at several keys, lazily."""
        return (table.rows.get(execute, key) for table, key in places)

    def find_token(self, execute: Execute, token: str, since: float) -> tuple[bytes, bytes] | None:
        """Return the digest and the units of a transaction since then, and delete older tokens."""
        execute("DELETE FROM tokens WHERE moment <= ?", (since,))
        select = f"SELECT {TOKEN_COLUMNS} FROM tokens WHERE token = ?"
        for *values, checksum in execute(select, (token,)):
            check_values(f"The idempotency token '{token}'", checksum, *values)
            _, digest, _, units = values
            return digest, units
        return None

    def save_token(
        self, execute: Execute, token: str, digest: bytes, moment: float, units: bytes
    ) -> None:
        """Store the token of a transaction."""
        values = (token, digest, moment, units)
        execute("INSERT INTO tokens VALUES (?, ?, ?, ?, ?)", (*values, values_checksum(values)))


class Session(Struct):
    """One request's view of the database, passed to its handler.

    Writes execute statements that return no rows with `command`, which is faster than `execute`.
    `now` is the clock's time, for TTL, retention and tokens. `control_time` never goes backward
    and determines the states of tables and indexes.
    """

    execute: Execute
    command: Execute
    catalog: Catalog
    tables: dict[str, Table]
    settings: Settings
    now: float
    control_time: float
    operation: type[Operation[Any]]

    def get_rows(self, places: Sequence[tuple[Table, RowKey]]) -> Iterator[Row | None]:
        """Return the rows at several keys; reading them may take one round trip for all."""
        return self.catalog.get_rows(self.execute, places)

    def resolve(self, name_or_arn: str) -> str:
        """Return the table's name; raise for an ARN of another account or region."""
        if not name_or_arn.startswith("arn:"):
            return name_or_arn
        return self.settings.arns.resolve(name_or_arn, OPERATIONS[self.operation].action)

    def resolve_tagged(self, arn: str) -> str:
        """Return the name of the table in a tagged resource's ARN."""
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
        return table if name == table.name else replace_in(table, arn=name)

    def table_in_any_state(self, name: str) -> Table:
        """Return the table with this name or ARN, even while it is being created or deleted."""
        name = self.resolve(name)
        table = self.tables.get(name)
        if table is None or is_deleted(table, self.control_time):
            raise TableNotFound(f"Requested resource not found: Table: {name} not found")
        return table


def is_deleted(table: Table, now: float) -> bool:
    """Return whether the deletion of the table has finished."""
    return table.record.deleted_by is not None and table.record.deleted_by <= now


@dataclass(frozen=True, slots=True)
class Unfinished(Generic[R]):
    """The rows of a read; `finish` filters and projects them.

    This needs no database and can take seconds, so it runs after the database is released, and in a
    thread if it is long. `work` estimates it: bytes of items times comparisons per item.
    """

    finish: Callable[[], R]
    work: int

    @property
    def is_long(self) -> bool:
        """Return whether `finish` could block an event loop noticeably."""
        return self.work > MAX_SHORT_WORK
