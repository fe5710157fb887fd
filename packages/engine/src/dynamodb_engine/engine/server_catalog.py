"""The catalog of tables on a SQL server, which many processes share."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import cast

from msgspec import msgpack
from msgspec.structs import replace

from dynamodb_engine.engine.catalog import Catalog
from dynamodb_engine.engine.change_feed import BLOCK, feed_bounds, last_before
from dynamodb_engine.engine.row_counts import CountedRows
from dynamodb_engine.engine.settings import Settings
from dynamodb_engine.engine.storage import Execute, Row, RowKey
from dynamodb_engine.engine.storage.server import (
    RunOnce,
    ServerLayout,
    ServerRows,
    Transaction,
    digest,
)
from dynamodb_engine.engine.storage.server.dialect import ChangeValues
from dynamodb_engine.engine.stream_shards import RETENTION as STREAM_RETENTION
from dynamodb_engine.engine.stream_shards import first_streamed
from dynamodb_engine.engine.table import Table, build_table
from dynamodb_engine.engine.table_record import (
    TableRecord,
    complete_changes,
    decode_record,
    encode_record,
)
from dynamodb_engine.engine.transactions import TOKEN_LIFETIME


class ServerCatalog(Catalog):
    """The tables of the last load, with their versions.

    Every transaction works on a fork. A table's version grows with every change to its record.
    """

    fills_later = True
    layout: ServerLayout

    def __init__(self, layout: ServerLayout, latest: Callable[[], float]) -> None:
        super().__init__(layout)
        self.counts = CountedRows()
        self._latest = latest  # the time after which no pending change can end
        self.versions: dict[int, int] = {}
        self.change_columns = "position, number, name, moment, expired, key_names, old, new, NULL"
        self._tokens = ServerRows("tokens")

    def fork(self) -> ServerCatalog:
        """Return a copy for one transaction."""
        fork = ServerCatalog(self.layout, self._latest)
        fork.tables, fork.versions = self.tables, self.versions
        return fork

    def publish(self, committed: ServerCatalog) -> None:
        """Take over the tables of a committed transaction."""
        committed.commit()
        self.tables, self.versions = committed.tables, committed.versions

    def describe(self, number: int) -> str:
        """Return the name of a table, for an error."""
        names = [t.name for t in self.tables.values() if t.record.number == number]
        return f"table '{names[0]}'" if names else "a deleted table"

    def is_current(self, numbers: Iterable[int], versions: dict[int, int]) -> bool:
        """Return whether the tables with these numbers have these versions."""
        return all(
            number in versions and versions[number] == self.versions.get(number)
            for number in numbers
        )

    def load(self, execute: Execute, latest: float = 0) -> None:
        """Read all tables. A change is complete if only another clock says that it is pending."""
        rows = list(execute("SELECT number, name, record, version FROM tables ORDER BY name"))
        known = {table.record.number: table for table in self.draft.values()}
        tables: dict[str, Table] = {}
        for number, name, raw, version in rows:
            if self.versions.get(number) == version:
                tables[name] = known[number]
            else:
                record = complete_changes(decode_record(raw), self._latest())
                tables[name] = build_table(record, self.layout)
        self.tables, self._draft = tables, None
        self.versions = {number: version for number, _, _, version in rows}

    def add(self, execute: Execute, record: TableRecord) -> Table:
        """Store a new table and assign its number."""
        values = (record.name, b"", 0)
        execute("INSERT INTO tables (name, record, version) VALUES (?, ?, ?)", values)
        ((number,),) = execute("SELECT number FROM tables WHERE name = ?", (record.name,))
        return self.update(execute, replace(record, number=cast(int, number)))

    def update(self, execute: Execute, record: TableRecord) -> Table:
        """Store the changed record of a table, while nobody writes to the table."""
        transaction, version = _transaction(execute), self.versions.get(record.number, 0) + 1
        _lock(transaction, record)
        execute(
            "UPDATE tables SET record = ?, version = ? WHERE number = ?",
            (encode_record(record), version, record.number),
        )
        self.versions = {**self.versions, record.number: version}
        table = build_table(record, self.layout)
        self._draft = {**self.draft, record.name: table}
        return table

    def remove(self, execute: Execute, record: TableRecord) -> None:
        """Remove a table, while nobody writes to it."""
        _lock(_transaction(execute), record)
        super().remove(execute, record)
        self.versions = {n: version for n, version in self.versions.items() if n != record.number}

    def read_record(self, execute: Execute, name: str) -> TableRecord | None:
        """Return the stored record of a table."""
        for (raw,) in execute("SELECT record FROM tables WHERE name = ?", (name,)):
            return decode_record(raw)
        return None

    def last_change(self, execute: Execute, record: TableRecord) -> int:
        """Return the last position, when nobody writes to the table."""
        _lock(_transaction(execute), record)
        return feed_bounds(execute)[1]

    def get_rows(
        self, execute: Execute, places: Sequence[tuple[Table, RowKey]]
    ) -> Iterator[Row | None]:
        """Return the rows at several keys, all from one snapshot."""
        keys = [(table.rows.name, key) for table, key in places]
        return iter(_transaction(execute).get_many(keys))

    @staticmethod
    def token_key(token: str) -> RowKey:
        """Return the key of a token's row."""
        return RowKey(digest(token.encode()), b"")

    def find_token(self, execute: Execute, token: str, since: float) -> tuple[bytes, bytes] | None:
        """Return the digest and the units of a transaction since then."""
        row = self._tokens.get(execute, self.token_key(token))
        if row is None:
            return None
        stored = msgpack.decode(row.json, type=tuple[bytes, float, bytes])
        return None if stored[1] <= since else (stored[0], stored[2])

    def save_token(
        self, execute: Execute, token: str, digest: bytes, moment: float, units: bytes
    ) -> None:
        """Store the token of a transaction."""
        key, expires = self.token_key(token), int(moment + TOKEN_LIFETIME) + 1
        json = msgpack.encode((digest, moment, units))
        row = self._tokens.get(execute, key)
        if row is None:
            self._tokens.add(execute, key, len(json), json, 0, expires)
        else:
            self._tokens.replace(execute, key, row, len(json), json, expires)


class FeedTrimmer:
    """Deletes changes that exceed the retention, and tokens that have expired.

    After every block of changes of this process, it reads how many bytes all processes have added.
    It deletes when the feed exceeds the retention by a 32nd. It calls `split` with the number of a
    table that had many changes since its stream's shards were split.
    """

    def __init__(self, settings: Settings, split: Callable[[int], object]) -> None:
        self._settings = settings
        self._split = split
        self._count = 0
        self._streamed: Counter[int] = Counter()  # changes by the number of the table
        self._working = threading.Lock()
        self._blocks: deque[tuple[int, int]] = deque([(0, 0)])  # last position, and bytes
        self._bytes = 0
        self._bound = self._deleted = 0  # positions

    def after_commit(self, changes: Sequence[ChangeValues], run: RunOnce) -> None:
        """Trim if this process has appended a block, unless another thread does."""
        self._count += len(changes)
        for number, *_ in changes:
            self._streamed[number] += 1
            if self._streamed[number] >= self._settings.stream_shards.records:
                self._streamed[number] = 0
                self._split(number)
        if self._count >= BLOCK and self._working.acquire(blocking=False):
            try:
                self._count = 0
                run(lambda execute: self._trim(_transaction(execute)))
            finally:
                self._working.release()

    def _trim(self, transaction: Transaction) -> None:
        retention, now = self._settings.retention, self._settings.clock()
        sizes = "coalesce(length(old), 0) + coalesce(length(new), 0)"
        added = (
            f"SELECT max(position), sum({sizes}) FROM changes WHERE position > %s "
            f"GROUP BY position - position %% {BLOCK} ORDER BY 1"
        )
        first = (
            "SELECT position FROM changes WHERE position > %s AND moment >= %s "
            "ORDER BY position LIMIT 1"
        )
        blocks, kept, _ = transaction.dialect.run(
            transaction.connection,
            [
                (added, (self._blocks[-1][0],)),
                (first, (self._deleted, now - retention.seconds)),
                (transaction.dialect.delete_expired("tokens"), (int(now),)),
            ],
        )
        for position, size in blocks:
            self._blocks.append((position, int(size)))
            self._bytes += int(size)
        newest = self._blocks[-1][0]
        bound = max(self._bound, newest - retention.records, kept[0][0] - 1 if kept else newest)
        while len(self._blocks) > 1 and (
            self._bytes > retention.bytes or self._blocks[0][0] <= bound
        ):
            position, size = self._blocks.popleft()
            self._bytes -= size
            bound = max(bound, position)
        self._bound = bound = min(bound, newest - 1)
        if bound - self._deleted > (newest - bound) // 32:
            bound = self._last_unstreamed(transaction, now, bound)
            self._deleted = max(bound, self._deleted)
            delete = "DELETE FROM changes WHERE position <= %s", (bound,)
            transaction.dialect.run(transaction.connection, [delete])

    def _last_unstreamed(self, transaction: Transaction, now: float, bound: int) -> int:
        """Return `bound`, or the last position before it that no stream needs."""
        execute = cast(Execute, transaction)
        # Not those of the catalog: another process may have enabled a stream.
        records = [decode_record(raw) for (raw,) in execute("SELECT record FROM tables")]
        started = first_streamed(records, now)
        if started is None:
            return bound
        return min(bound, max(started, last_before(execute, now - STREAM_RETENTION)))


def _lock(transaction: Transaction, record: TableRecord) -> None:
    """Wait until nobody writes to the table."""
    transaction.run(transaction.dialect.lock_table(record.number))


def _transaction(execute: Execute) -> Transaction:
    return cast(Transaction, execute)
