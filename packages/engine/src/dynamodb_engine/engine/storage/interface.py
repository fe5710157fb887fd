"""What the engine needs of a storage: rows in key order, and statements within a transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, TypeAlias

from msgspec import Struct

# Returns the place of a row as text for errors, given its partition and sort bytes.
DescribeRow: TypeAlias = Callable[[bytes, bytes], str]


class Execute(Protocol):
    """Run one SQL statement, with ? for each value, and return its rows lazily.

    Handlers get it from the storage and pass it on: it stands for the transaction.
    """

    def __call__(
        self, statement: str, bindings: tuple[str | bytes | int | float | None, ...] = (), /
    ) -> Iterator[tuple[Any, ...]]:
        """Return the rows of the statement."""
        ...


class Row(Struct, frozen=True):
    """A stored item."""

    id: int
    size: int
    json: bytes


class RowKey(NamedTuple):
    """The encoded key of a row.

    The partition key has a hash in front, so that scans are in random order. The bytes of the sort
    key sort as DynamoDB sorts: `values/sort_order.py` encodes numbers.
    """

    partition: bytes
    sort: bytes


class KeyRange(NamedTuple):
    """A range of one partition: from `low`, up to but not including `high` (None: no bound)."""

    partition: bytes
    low: bytes
    high: bytes | None


class Page(NamedTuple):
    """The JSON of rows, the sum of their sizes, and whether the page is full."""

    entries: list[bytes]
    size: int
    is_full: bool


class RowRange(Protocol):
    """Rows between two bounds, in order."""

    def rows(self, execute: Execute) -> Iterator[tuple[int, bytes]]:
        """Return the size and JSON of every row, lazily."""
        ...

    def read(self, execute: Execute, page_size: int, limit: int | None) -> Page:
        """Read rows until their sizes reach `page_size`, the limit, or the end."""
        ...

    def slice(self, execute: Execute, offset: int, limit: int) -> list[tuple[int, bytes]]:
        """Return the size and JSON of up to `limit` rows from `offset` on."""
        ...

    def total(self, execute: Execute, limit: int) -> tuple[int, int]:
        """Return the number of rows and the sum of their sizes, up to `limit` rows."""
        ...


class Rows(Protocol):
    """The rows of one table or index, sorted by key.

    A table and its indexes have the same columns: partition bytes, sort bytes, the size as DynamoDB
    counts it, the time when the item expires, and the item as JSON. An index is a table of
    projected items, sorted by its own key and then by the table's. `position` is that of the change
    that stores a new row, which makes the id of the row unique.
    """

    @property
    def name(self) -> str:
        """Return the name of the SQL table."""
        ...

    def create(self, execute: Execute) -> None:
        """Create the SQL table."""
        ...

    def drop(self, execute: Execute) -> None:
        """Drop the SQL table with all rows."""
        ...

    def get(self, execute: Execute, key: RowKey) -> Row | None:
        """Return the row at `key`, or None."""
        ...

    def add(
        self,
        execute: Execute,
        key: RowKey,
        size: int,
        json: bytes,
        position: int,
        expires: int | None = None,
    ) -> None:
        """Insert a row at an unused key."""
        ...

    def replace(
        self,
        execute: Execute,
        key: RowKey,
        row: Row,
        size: int,
        json: bytes,
        expires: int | None = None,
    ) -> None:
        """Replace the existing row at `key`."""
        ...

    def delete(self, execute: Execute, key: RowKey, row: Row) -> None:
        """Delete the existing row at `key`."""
        ...

    def upsert(
        self, execute: Execute, key: RowKey, size: int, json: bytes, position: int | None = None
    ) -> None:
        """Insert or replace a row at `key`; `position` is None if no change stores it."""
        ...

    def delete_at(self, execute: Execute, key: RowKey) -> None:
        """Delete the entry of an index at `key` if there is one."""
        ...

    def partition_range(self, keys: KeyRange, after: bytes | None, *, forward: bool) -> RowRange:
        """Return the rows of a key range in order, starting after `after`, inside the range."""
        ...

    def scan_range(self, low: bytes, high: bytes | None, after: RowKey | None) -> RowRange:
        """Return the rows between two partition bounds, starting after a key between them."""
        ...

    def count(self, execute: Execute) -> tuple[int, int]:
        """Return the number of rows and the sum of their sizes."""
        ...

    def partition_size(self, execute: Execute, partition: bytes) -> int:
        """Return the sum of the sizes of one partition's rows."""
        ...

    def read_expired(
        self, execute: Execute, since: int, until: int
    ) -> Iterator[tuple[RowKey, Row | None, int]]:
        """Yield rows that expired between two timestamps, with expiry times, earliest first.

        The row is None if it is damaged.
        """
        ...

    def expired_keys(self, execute: Execute, since: int, until: int, limit: int) -> list[RowKey]:
        """Return keys of rows that expired between two timestamps, earliest first."""
        ...


class Layout(Protocol):
    """How a storage stores rows and their keys."""

    @property
    def shortens_keys(self) -> bool:
        """Return whether `shorten` returns other bytes than it gets."""
        ...

    def rows(self, name: str, describe: DescribeRow) -> Rows:
        """Return access to the rows of the SQL table with this name."""
        ...

    def hash_partition(self, key: bytes) -> bytes:
        """Return the partition bytes of a row key, which start with a hash of the key.

        So scans return partitions in random order, as on AWS, and a segment is a range of hashes.
        """
        ...

    def shorten(self, key: bytes) -> bytes:
        """Return the table's key as the end of an entry's key, which may not be too long."""
        ...
