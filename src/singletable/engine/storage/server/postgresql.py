"""PostgreSQL, through psycopg."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from singletable.engine.storage.server.dialect import (
    FORMAT,
    ErrorKind,
    Lookup,
    ResultRows,
    Statement,
    Value,
)
from singletable.engine.storage.server.pipeline import Pipeline
from singletable.errors import StorageError

_CONFLICTS = frozenset(["40001", "40P01", "55P03"])
_MISSING = "42P01"
_FULL = "53100"
# Classes of errors: connection exception, insufficient resources, operator intervention; and a
# standby, or a primary that became one.
_LOST = ("08", "53", "57P", "25006")
# A machine that disappears is noticed after half a minute, not after hours.
_TIMEOUTS: dict[str, int] = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,
}
# The first of two numbers that name a lock on a table; the second is the table's number.
_TABLE_LOCKS = 0x73677462

_CHANGE = "%s::integer, %s, %s::double precision, %s::integer, %s::bytea, %s::bytea, %s::bytea"
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS storage (format integer PRIMARY KEY)",
    "CREATE TABLE IF NOT EXISTS tables (number serial PRIMARY KEY, name text NOT NULL UNIQUE, "
    "record bytea NOT NULL, version bigint NOT NULL)",
    "CREATE TABLE IF NOT EXISTS changes (position bigint PRIMARY KEY, number integer NOT NULL, "
    "name text NOT NULL, moment double precision NOT NULL, expired integer NOT NULL, "
    "key_names bytea NOT NULL, old bytea, new bytea)",
    # One row, which every writer of changes updates last: positions are in commit order.
    "CREATE TABLE IF NOT EXISTS feed (id integer PRIMARY KEY, newest bigint NOT NULL) "
    "WITH (fillfactor = 20)",
    "INSERT INTO feed VALUES (1, 0) ON CONFLICT DO NOTHING",
    "CREATE TABLE IF NOT EXISTS tokens (hash bytea NOT NULL, sort bytea NOT NULL, "
    "size integer NOT NULL, expires bigint, item bytea NOT NULL, "
    "PRIMARY KEY (hash, sort))",
    "CREATE INDEX IF NOT EXISTS tokens_expires ON tokens (expires)",
    "CREATE TABLE IF NOT EXISTS leases (name varchar(200) PRIMARY KEY, "
    "owner varchar(64) NOT NULL, until double precision NOT NULL)",
    f"INSERT INTO storage VALUES ({FORMAT}) ON CONFLICT DO NOTHING",
)


class PostgreSQL:
    """PostgreSQL 13 and later. Keys of rows are locked with advisory locks of the transaction."""

    name = "PostgreSQL"
    errors: tuple[type[Exception], ...] = (psycopg.Error,)
    begin: tuple[str, ...] = ("BEGIN ISOLATION LEVEL READ COMMITTED",)
    commit: tuple[str, ...] = ("COMMIT",)
    roll_back: tuple[str, ...] = ("ROLLBACK",)
    create_rows: tuple[str, ...] = (
        "CREATE TABLE IF NOT EXISTS {name} (hash bytea NOT NULL, sort bytea NOT NULL, "
        "size integer NOT NULL, expires bigint, item bytea NOT NULL, "
        "PRIMARY KEY (hash, sort)) WITH (fillfactor = 85)",
        "CREATE INDEX IF NOT EXISTS {name}_expires ON {name} (expires) WHERE expires IS NOT NULL",
    )
    upsert = (
        "INSERT INTO {name} (hash, sort, size, expires, item) VALUES (%s, %s, %s, %s, %s) "
        "ON CONFLICT (hash, sort) DO UPDATE SET size = excluded.size, "
        "expires = excluded.expires, item = excluded.item"
    )
    now = "extract(epoch FROM clock_timestamp())::double precision"
    after = "(hash, sort) > (%s, %s) AND hash >= %s"
    list_rows = (
        "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() "
        "AND (tablename LIKE 'items\\_%' OR tablename LIKE 'index\\_%')"
    )

    def connect(self, address: str) -> Pipeline:
        """Open a connection in autocommit mode."""
        parameters: dict[str, Any] = {**_TIMEOUTS, **conninfo_to_dict(address)}
        connection = psycopg.connect(**parameters, autocommit=True)
        connection.execute("SET client_min_messages = error")
        return Pipeline(connection)

    def close(self, connection: Pipeline) -> None:
        """Close the connection."""
        connection.close()

    def run(self, connection: Pipeline, statements: Sequence[Statement]) -> list[ResultRows]:
        """Run the statements in one round trip."""
        return connection.run(statements)

    def check_server(self, connection: Pipeline) -> None:
        """Raise StorageError on CockroachDB: its advisory locks do not lock anything."""
        (((version,),),) = self.run(connection, [("SELECT version()", ())])
        if "CockroachDB" in version:
            raise StorageError(
                "CockroachDB cannot be used: its advisory locks do nothing, so concurrent writes "
                "would be lost. Use PostgreSQL or MariaDB."
            )

    def classify(self, error: Exception) -> ErrorKind:
        """Return the kind of the error, by its SQLSTATE."""
        state = getattr(error, "sqlstate", None)
        if state is None:
            lost = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
            return "lost" if lost else "other"
        if state in _CONFLICTS:
            return "conflict"
        if state == _FULL:
            return "full"
        if state == _MISSING:
            return "missing"
        return "lost" if state.startswith(_LOST) else "other"

    def create_schema(self) -> list[Statement]:
        """Return the statements that create the schema, in one transaction under a lock."""
        texts = [(text, ()) for text in _SCHEMA]
        return [(self.begin[0], ()), self.lock_catalog(), *texts, ("COMMIT", ())]

    def lock_catalog(self) -> Statement:
        """Return the statement that waits for others to finish creating or changing tables."""
        return f"SELECT pg_advisory_xact_lock({_TABLE_LOCKS}, 0)", ()

    def lock_tables(self, numbers: Iterable[int], *, exclusive: bool) -> list[Statement]:
        """Return the statements that lock tables and read their versions."""
        function = "pg_advisory_xact_lock" if exclusive else "pg_advisory_xact_lock_shared"
        lock = f"SELECT count({function}({_TABLE_LOCKS}, n)) FROM unnest(%s::integer[]) AS n"
        versions = "SELECT number, version FROM tables WHERE number = ANY(%s::integer[])"
        ordered = sorted(numbers)
        return [(lock, (ordered,)), (versions, (ordered,))]

    def lock_keys(self, hashes: Iterable[int]) -> Statement:
        """Return the statement that locks hashes of keys. It must precede the reading statement."""
        return (
            "SELECT count(pg_advisory_xact_lock(k)) FROM unnest(%s::bigint[]) AS k",
            (sorted(hashes),),
        )

    def lookup(self, lookups: Sequence[Lookup]) -> Statement:
        """Return one statement that reads rows by key."""
        # OFFSET 0 makes the server look up each key, however small it believes the table to be.
        parts = [
            f"SELECT {number}, k.n, t.size, t.expires, t.item "
            "FROM unnest(%s::bytea[], %s::bytea[]) WITH ORDINALITY AS k (p, s, n), LATERAL ("
            f"SELECT size, expires, item FROM {name} WHERE hash = k.p AND sort = k.s "
            "OFFSET 0) AS t"
            for number, (name, _) in enumerate(lookups)
        ]
        values: list[Value] = []
        for _, keys in lookups:
            values += [[partition for partition, _ in keys], [sort for _, sort in keys]]
        return " UNION ALL ".join(parts), tuple(values)

    def append_changes(self, changes: Sequence[tuple[Value, ...]]) -> list[Statement]:
        """Return the statement that numbers the changes and stores them."""
        count = len(changes)
        values = tuple(value for change in changes for value in change)
        rows = ", ".join(f"({number}, {_CHANGE})" for number in range(1 - count, 1))
        columns = "number, name, moment, expired, key_names, old, new"
        sql = (
            f"WITH counter AS (UPDATE feed SET newest = newest + {count} WHERE id = 1 "
            f"RETURNING newest), stored AS (INSERT INTO changes SELECT newest + n, {columns} "
            f"FROM counter, (VALUES {rows}) AS change (n, {columns})) SELECT newest FROM counter"
        )
        return [(sql, values)]

    def count(self, name: str, limit: int) -> Statement:
        """Return the statement for the number of rows and their size, estimated above `limit`."""
        return (
            "SELECT CASE WHEN n <= %s THEN n ELSE greatest(n, (SELECT reltuples FROM pg_class "
            f"WHERE oid = '{name}'::regclass)::bigint) END, n, total FROM (SELECT count(*) AS n, "
            "coalesce(sum(size), 0)::bigint AS total "
            f"FROM (SELECT size FROM {name} LIMIT %s) AS s) AS c",
            (limit, limit + 1),
        )

    def delete_expired(self, name: str) -> str:
        """Return the SQL that deletes up to 1,000 rows of a table that expired before a time."""
        return (
            f"DELETE FROM {name} WHERE (hash, sort) IN (SELECT hash, sort FROM {name} "
            "WHERE expires < %s LIMIT 1000 FOR UPDATE SKIP LOCKED)"
        )
