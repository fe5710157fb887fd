"""PostgreSQL, through psycopg."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from dynamodb_engine.engine.storage.server.dialect import (
    FORMAT,
    IDLE_LIMIT,
    LOCK_WAIT,
    ChangeValues,
    ErrorKind,
    Lookup,
    ResultRows,
    RowValues,
    Statement,
    Value,
    application_name,
)
from dynamodb_engine.engine.storage.server.pipeline import Pipeline
from dynamodb_engine.errors import StorageError

# Conflicts, and a transaction that the server has ended because its process was frozen.
_CONFLICTS = frozenset(["40001", "40P01", "25P03"])
_BLOCKED = "55P03"
_MISSING = "42P01"
_FULL = "53100"
# Classes of errors: connection exception, insufficient resources, operator intervention; and a
# standby, or a primary that became one.
_LOST = ("08", "53", "57P", "25006")
# A machine that disappears is noticed after half a minute, not after hours.
_KEEPALIVES = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 4}
# What a session sets so that a process that freezes, or whose machine disappears, loses its locks.
# There is no statement_timeout: it would end the wait of a COMMIT for a synchronous standby.
_SETTINGS = {
    "lock_timeout": f"{LOCK_WAIT}s",
    "idle_in_transaction_session_timeout": f"{IDLE_LIMIT}s",
    **{f"tcp_{name}": str(value) for name, value in _KEEPALIVES.items()},
}
# A value that was set for the role, for the database or in the address stays.
_SET = (
    "SELECT set_config(name, value, false) FROM pg_settings "
    "JOIN unnest(%s::text[], %s::text[]) AS ours (name, value) USING (name) "
    "WHERE source NOT IN ('client', 'user', 'database', 'database user')"
)
# The first of two numbers that name a lock on a table; the second is the table's number.
_TABLE_LOCKS = 0x73677462

_ROWS = "unnest(%s::bytea[], %s::bytea[], %s::integer[], %s::bigint[], %s::bytea[])"
_TYPES = ("integer", "text", "double precision", "integer", "bytea", "bytea", "bytea")
_CHANGE = ", ".join(f"%s::{kind}" for kind in _TYPES)
_CHANGES = f"unnest({', '.join(f'%s::{kind}[]' for kind in _TYPES)})"
_REPLACE = (
    " ON CONFLICT (hash, sort) DO UPDATE SET size = excluded.size, expires = excluded.expires, "
    "item = excluded.item"
)
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
    timeout = 30
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
    now = "extract(epoch FROM clock_timestamp())::double precision"
    after = "(hash, sort) > (%s, %s) AND hash >= %s"
    list_rows = (
        "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() "
        "AND (tablename LIKE 'items\\_%' OR tablename LIKE 'index\\_%')"
    )

    def connect(self, address: str) -> Pipeline:
        """Open a connection in autocommit mode."""
        parameters: dict[str, Any] = {
            "connect_timeout": min(self.timeout, 10),
            "tcp_user_timeout": self.timeout * 1000,
            "fallback_application_name": application_name(),
            **_KEEPALIVES,
            **conninfo_to_dict(address),
        }
        connection = psycopg.connect(**parameters, autocommit=True)
        pipeline = Pipeline(connection, self.timeout)
        settings = {**_SETTINGS, "tcp_user_timeout": f"{self.timeout}s"}
        lists: list[Value] = [list(settings), list(settings.values())]
        pipeline.run([("SET client_min_messages = error", ()), (_SET, tuple(lists))])
        return pipeline

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
        if state == _BLOCKED:
            return "blocked"
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

    def lock_table(self, number: int) -> Statement:
        """Return the statement that waits until nobody writes to a table."""
        return f"SELECT pg_advisory_xact_lock({_TABLE_LOCKS}, {number})", ()

    def lock(self, numbers: Iterable[int], hashes: Iterable[int]) -> list[Statement]:
        """Return the statements that lock tables and keys. They must precede those that read."""
        locks = (
            f"SELECT (SELECT count(pg_advisory_xact_lock_shared({_TABLE_LOCKS}, n)) "
            "FROM unnest(%s::integer[]) AS n), "
            "(SELECT count(pg_advisory_xact_lock(k)) FROM unnest(%s::bigint[]) AS k)"
        )
        versions = "SELECT number, version FROM tables WHERE number = ANY(%s::integer[])"
        ordered = sorted(numbers)
        return [(locks, (ordered, sorted(hashes))), (versions, (ordered,))]

    def lock_free(self, numbers: Iterable[int], hashes: Iterable[int]) -> list[Statement]:
        """Return statements that lock tables and keys without waiting, and return their names."""
        tables = (
            "SELECT n FROM unnest(%s::integer[]) AS n "
            f"WHERE pg_try_advisory_xact_lock_shared({_TABLE_LOCKS}, n)"
        )
        keys = "SELECT k FROM unnest(%s::bigint[]) AS k WHERE pg_try_advisory_xact_lock(k)"
        return [(tables, (sorted(numbers),)), (keys, (sorted(hashes),))]

    def lock_name(self, hash_: int) -> int:
        """Return the name of the lock for the hash of a key."""
        return hash_

    def lock_rows(self, lookup: Lookup) -> Statement:
        """Return the statement that locks existing rows unless others have."""
        name, keys = lookup
        sql = (
            "SELECT t.hash || t.sort FROM unnest(%s::bytea[], %s::bytea[]) AS k (p, s) "
            f"JOIN {name} AS t ON t.hash = k.p AND t.sort = k.s FOR UPDATE OF t SKIP LOCKED"
        )
        return sql, ([partition for partition, _ in keys], [sort for _, sort in keys])

    def holder(
        self, numbers: Iterable[int], names: Iterable[str], hashes: Iterable[int]
    ) -> Statement:
        """Return the statement that finds the session that has had a lock for the longest time."""
        sql = (
            "SELECT a.pid, a.application_name, coalesce(a.usename, ''), "
            "coalesce(host(a.client_addr), ''), coalesce(a.state, ''), "
            "coalesce(to_char(a.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'), '') "
            "FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid) "
            "WHERE l.granted AND l.pid <> pg_backend_pid() AND a.datname = current_database() AND ("
            f"l.locktype = 'advisory' AND l.objsubid = 2 AND l.classid = {_TABLE_LOCKS} "
            "AND l.objid::bigint = ANY(%s::bigint[]) "
            "OR l.locktype = 'advisory' AND l.objsubid = 1 "
            "AND ((l.classid::bigint << 32) | l.objid::bigint) = ANY(%s::bigint[]) "
            "OR l.locktype = 'relation' AND l.mode <> 'AccessShareLock' "
            "AND l.relation IN (SELECT to_regclass(n) FROM unnest(%s::text[]) AS n)) "
            "ORDER BY a.xact_start LIMIT 1"
        )
        return sql, (sorted(numbers), sorted(hashes), sorted(names))

    def lookup(self, lookups: Sequence[Lookup]) -> Statement:
        """Return one statement that reads rows by key."""
        # OFFSET 0 makes the server look up each key, however small it believes the table to be.
        parts = [
            f"SELECT {number}, k.p || k.s, t.size, t.expires, t.item "
            "FROM unnest(%s::bytea[], %s::bytea[]) AS k (p, s), LATERAL ("
            f"SELECT size, expires, item FROM {name} WHERE hash = k.p AND sort = k.s "
            "OFFSET 0) AS t"
            for number, (name, _) in enumerate(lookups)
        ]
        values: list[Value] = []
        for _, keys in lookups:
            values += [[partition for partition, _ in keys], [sort for _, sort in keys]]
        return " UNION ALL ".join(parts), tuple(values)

    def write_rows(self, name: str, rows: Sequence[RowValues], *, new: bool) -> list[Statement]:
        """Return the statement that inserts rows, or replaces them unless they are new."""
        insert = f"INSERT INTO {name} (hash, sort, size, expires, item)"
        end = "" if new else _REPLACE
        if len(rows) == 1:  # arrays would take a tenth longer
            return [(f"{insert} VALUES (%s, %s, %s, %s, %s){end}", rows[0])]
        return [(f"{insert} SELECT * FROM {_ROWS}{end}", tuple(zip(*rows, strict=True)))]

    def append_changes(self, changes: Sequence[ChangeValues]) -> list[Statement]:
        """Return the statement that numbers the changes and stores them."""
        count = len(changes)
        start = (
            "WITH counter AS (UPDATE feed SET newest = newest + %s WHERE id = 1 RETURNING newest) "
            "INSERT INTO changes SELECT newest"
        )
        if count == 1:
            return [(f"{start}, {_CHANGE} FROM counter", (1, *changes[0]))]
        columns = "number, name, moment, expired, key_names, old, new"
        sql = (
            f"{start} - %s + n, {columns} "
            f"FROM counter, {_CHANGES} WITH ORDINALITY AS change ({columns}, n)"
        )
        return [(sql, (count, count, *zip(*changes, strict=True)))]

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
