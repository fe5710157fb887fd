"""What differs between SQL servers: SQL texts, connections and errors."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Protocol, TypeAlias

Scalar: TypeAlias = "str | bytes | float | None"
# Only PostgreSQL has lists of values.
Value: TypeAlias = "Scalar | Sequence[Scalar]"
# SQL with %s for each value, and the values.
Statement: TypeAlias = "tuple[str, tuple[Value, ...]]"
ResultRows: TypeAlias = "list[tuple[Any, ...]]"
# The keys to read from one table of rows: its name, and (partition, sort) pairs.
Lookup: TypeAlias = "tuple[str, Sequence[tuple[bytes, bytes]]]"
# Partition, sort, size, when it expires, and item.
RowValues: TypeAlias = "tuple[bytes, bytes, int, int | None, bytes]"
# Number and name of the table, time, whether it expired, names of the key, old and new item.
ChangeValues: TypeAlias = "tuple[int, str, float, int, bytes, bytes | None, bytes | None]"
# conflict: the server rolled the transaction back; run it again.
# blocked: another session has had a lock for `LOCK_WAIT` seconds.
# lost: the connection is broken or the server is shutting down.
# missing: a table does not exist (any more). full: no disk space. other: a fault.
ErrorKind: TypeAlias = Literal["conflict", "blocked", "lost", "missing", "full", "other"]

FORMAT = 1
LOCK_COUNT = 8192
LOCK_WAIT = 1  # seconds that a statement waits for a lock
# Seconds after which a server ends a transaction of a process that sends nothing: it is frozen, or
# its network is gone.
IDLE_LIMIT = 5


def application_name() -> str:
    """Return the name that sessions have on the server: it says which process it is."""
    return f"singletable {os.getpid()}@{socket.gethostname()}"[:63]


class Dialect(Protocol):
    """One kind of SQL server. Connections are objects of its Python driver."""

    name: str
    timeout: int  # seconds, after which a server that does not answer counts as lost
    errors: tuple[type[Exception], ...]
    begin: tuple[str, ...]
    commit: tuple[str, ...]
    roll_back: tuple[str, ...]
    create_rows: tuple[str, ...]
    list_rows: str
    now: str  # the server's clock, in seconds
    after: str  # the rows after a key; its values are partition, sort and partition again

    def connect(self, address: str) -> Any:
        """Open a connection in autocommit mode; raise one of `errors`."""
        ...

    def close(self, connection: Any) -> None:
        """Close the connection, even if it is broken."""
        ...

    def run(self, connection: Any, statements: Sequence[Statement]) -> list[ResultRows]:
        """Run the statements in order, in one round trip if possible; return the rows of each."""
        ...

    def check_server(self, connection: Any) -> None:
        """Raise StorageError if the server lacks something that the storage needs."""
        ...

    def classify(self, error: Exception) -> ErrorKind:
        """Return the kind of an error of `errors`."""
        ...

    def create_schema(self) -> list[Statement]:
        """Return the statements that create the schema and store its format last.

        Other processes may run them as well.
        """
        ...

    def lock_catalog(self) -> Statement:
        """Return the statement that waits for others to finish creating or changing tables."""
        ...

    def lock_table(self, number: int) -> Statement:
        """Return the statement that waits until nobody writes to a table, and keeps others out."""
        ...

    def lock(self, numbers: Iterable[int], hashes: Iterable[int]) -> list[Statement]:
        """Return statements that lock tables (shared) and hashes of keys, in order, until the end.

        The last returns the numbers and versions of the tables.
        """
        ...

    def lock_free(self, numbers: Iterable[int], hashes: Iterable[int]) -> list[Statement]:
        """Return two statements that lock what is free, without waiting.

        They return the numbers of the locked tables (shared), and the names of the locked keys.
        """
        ...

    def lock_name(self, hash_: int) -> int:
        """Return the name of the lock for the hash of a key; several keys may share one."""
        ...

    def lock_rows(self, lookup: Lookup) -> Statement:
        """Return the statement that locks existing rows unless others have; partition + sort."""
        ...

    def holder(
        self, numbers: Iterable[int], names: Iterable[str], hashes: Iterable[int]
    ) -> Statement:
        """Return the statement that finds the session that has had a lock for the longest time.

        Its row has the id, the application, the user, the host, the state and the begin (UTC).
        """
        ...

    def lookup(self, lookups: Sequence[Lookup]) -> Statement:
        """Return one statement that reads rows: lookup, partition + sort, size, expires, item."""
        ...

    def write_rows(self, name: str, rows: Sequence[RowValues], *, new: bool) -> list[Statement]:
        """Return statements that insert rows, or replace them unless they are `new`."""
        ...

    def append_changes(self, changes: Sequence[ChangeValues]) -> list[Statement]:
        """Return the statements that number changes and store them."""
        ...

    def count(self, name: str, limit: int) -> Statement:
        """Return the statement for the number of rows and their size, estimated above `limit`."""
        ...

    def delete_expired(self, name: str) -> str:
        """Return the SQL that deletes up to 1,000 rows of a table that expired before a time."""
        ...
