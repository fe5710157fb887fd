"""MariaDB and MySQL, through PyMySQL."""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

import pymysql
from pymysql.constants import CLIENT

from dynamodb_engine.engine.storage.server.dialect import (
    FORMAT,
    IDLE_LIMIT,
    LOCK_COUNT,
    LOCK_WAIT,
    ChangeValues,
    ErrorKind,
    Lookup,
    ResultRows,
    RowValues,
    Scalar,
    Statement,
    application_name,
)
from dynamodb_engine.errors import AddressError

# Deadlock or certification failure (Galera), changed row in a snapshot, and no such savepoint: the
# transaction was rolled back between two statements (Galera).
_CONFLICTS = frozenset([1213, 1020, 1305])
_BLOCKED = 1205
_MISSING = frozenset([1146, 1051])
_FULL = frozenset([1021, 1114, 3, 28])
# Too many connections, shutdown, gone away, lost, refused, not (yet) part of the cluster, killed.
_GONE = frozenset([1040, 1053, 1077, 1079, 1203, 1047, 1927, 1317, 3032, 4031, 0])
# Error during COMMIT, after which a node that left its cluster does not know the outcome; and a
# server that only reads.
_LOST = _GONE | {1180, 1290, 1792, 1836}
_MAX_BATCH = 4 * 1024 * 1024  # characters of SQL in one round trip; servers accept 16 MB
_MAX_ROWS = 1024 * 1024  # bytes of rows in one statement; as SQL they may be twice as long
_ROWS = (
    "hash VARBINARY(32) NOT NULL, sort VARBINARY(2400) NOT NULL, size INTEGER NOT NULL, "
    "expires BIGINT, item MEDIUMBLOB NOT NULL, PRIMARY KEY (hash, sort)"
)
_REPLACE = (
    " ON DUPLICATE KEY UPDATE size = VALUES(size), expires = VALUES(expires), item = VALUES(item)"
)
# A process that freezes, or whose machine disappears, loses its locks. MySQL has no timeout for
# idle transactions, but one for idle connections, which are replaced when they are needed.
_SET = (
    f"SET SESSION sql_mode = 'STRICT_ALL_TABLES', innodb_lock_wait_timeout = {LOCK_WAIT}, "
    f"lock_wait_timeout = {LOCK_WAIT}, net_read_timeout = {2 * IDLE_LIMIT}, "
    f"net_write_timeout = {2 * IDLE_LIMIT} /*M!100300 , idle_transaction_timeout = {IDLE_LIMIT} */ "
    f"/*!80000 , wait_timeout = {2 * IDLE_LIMIT} */ /*M!100100 , wsrep_sync_wait = 1 */; "
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"
)
_Row = TypeVar("_Row", bound="tuple[Scalar, ...]")
_SELECTS = ("SELECT", "SHOW")
_ENGINE = "ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"

_SCHEMA = (
    f"CREATE TABLE IF NOT EXISTS storage (format INTEGER PRIMARY KEY) {_ENGINE}",
    "CREATE TABLE IF NOT EXISTS tables (number INTEGER AUTO_INCREMENT PRIMARY KEY, "
    "name VARCHAR(255) NOT NULL UNIQUE, record MEDIUMBLOB NOT NULL, version BIGINT NOT NULL) "
    f"{_ENGINE}",
    "CREATE TABLE IF NOT EXISTS changes (position BIGINT PRIMARY KEY, number INTEGER NOT NULL, "
    "name VARCHAR(255) NOT NULL, moment DOUBLE NOT NULL, expired INTEGER NOT NULL, "
    f"key_names BLOB NOT NULL, old MEDIUMBLOB, new MEDIUMBLOB) {_ENGINE}",
    f"CREATE TABLE IF NOT EXISTS feed (id INTEGER PRIMARY KEY, newest BIGINT NOT NULL) {_ENGINE}",
    # Who changes tables locks row 0, who appends changes locks row 1.
    "INSERT IGNORE INTO feed VALUES (0, 0), (1, 0)",
    f"CREATE TABLE IF NOT EXISTS tokens ({_ROWS}, INDEX tokens_expires (expires)) {_ENGINE}",
    f"CREATE TABLE IF NOT EXISTS leases (name VARCHAR(200) PRIMARY KEY, "
    f"owner VARCHAR(64) NOT NULL, until DOUBLE NOT NULL) {_ENGINE}",
    f"CREATE TABLE IF NOT EXISTS locks (id INTEGER PRIMARY KEY, turn BIGINT NOT NULL DEFAULT 0) "
    f"{_ENGINE}",
    "INSERT IGNORE INTO locks (id) VALUES " + ", ".join(f"({n})" for n in range(LOCK_COUNT)),
    f"INSERT IGNORE INTO storage VALUES ({FORMAT})",
)


class MariaDB:
    """MariaDB 10.6 and MySQL 8 and later.

    There are no advisory locks that end with a transaction, so the rows of the table `locks`, one
    for each hash, take their place. On Galera, nodes do not know each other's locks, so these rows
    are also written: of two transactions with a common key, the second to commit is rolled back.
    This may happen between two statements of one text. The server then executes the others, which
    must not be committed: autocommit is off, and the savepoint of the beginning is missing.
    """

    name = "MariaDB"
    timeout = 30
    errors: tuple[type[Exception], ...] = (pymysql.MySQLError,)
    begin: tuple[str, ...] = ("START TRANSACTION",)
    commit: tuple[str, ...] = ("COMMIT",)
    roll_back: tuple[str, ...] = ("ROLLBACK",)
    is_galera = False
    # Whether several statements can be one block: it has one result for all that return no rows,
    # which takes a fifth less time.
    has_blocks = False
    create_rows: tuple[str, ...] = (
        f"CREATE TABLE IF NOT EXISTS {{name}} ({_ROWS}, INDEX {{name}}_expires (expires)) "
        f"{_ENGINE}",
    )
    now = "UNIX_TIMESTAMP(SYSDATE(6))"
    after = "((hash = %s AND sort > %s) OR hash > %s)"
    list_rows = (
        "SELECT table_name FROM information_schema.tables WHERE table_schema = database() "
        "AND (table_name LIKE 'items\\_%' OR table_name LIKE 'index\\_%')"
    )

    def connect(self, address: str) -> Any:
        """Open a connection in autocommit mode, to the first host that accepts writes."""
        *others, last = _parameters(address)
        for parameters in others:
            with suppress(*self.errors):
                connection = _connect(parameters, self.timeout)
                with suppress(*self.errors):
                    if _accepts_writes(connection):
                        return connection
                self.close(connection)
        return _connect(last, self.timeout)

    def close(self, connection: Any) -> None:
        """Close the connection without saying goodbye to a server that may be gone."""
        connection._force_close()

    def run(self, connection: Any, statements: Sequence[Statement]) -> list[ResultRows]:
        """Run the statements as one text, or several if it is long."""
        results: list[ResultRows] = []
        with connection.cursor() as cursor:
            texts: list[str] = []
            for sql, values in statements:
                texts.append(cursor.mogrify(sql, values or None))
                if sum(map(len, texts)) > _MAX_BATCH:
                    results += self._run(cursor, texts)
                    texts = []
            return results + (self._run(cursor, texts) if texts else [])

    def _run(self, cursor: Any, texts: list[str]) -> list[ResultRows]:
        text = "; ".join(texts)
        if is_block := self.has_blocks and len(texts) > 1:
            text = f"BEGIN NOT ATOMIC {text}; END"
        cursor.execute(text)
        results = [list(cursor.fetchall())]
        while cursor.nextset():
            results.append(list(cursor.fetchall()))
        if not is_block:
            return results
        found = iter(results)
        return [next(found) if text.startswith(_SELECTS) else [] for text in texts]

    def check_server(self, connection: Any) -> None:
        """Find out whether the server is MariaDB, and a node of a Galera cluster."""
        (rows,) = self.run(connection, [("SHOW VARIABLES LIKE 'wsrep_on'", ())])
        if rows == [("wsrep_on", "ON")]:
            self.use_galera()
        else:
            self.has_blocks = bool(rows)  # MySQL does not have this variable

    def use_galera(self) -> None:
        """Write lock rows, and notice that a transaction was rolled back."""
        self.is_galera, self.has_blocks = True, False
        self.begin = ("SET autocommit = 0", "START TRANSACTION", "SAVEPOINT begun")
        self.commit = ("RELEASE SAVEPOINT begun", "COMMIT", "SET autocommit = 1")
        self.roll_back = ("ROLLBACK", "SET autocommit = 1")

    def classify(self, error: Exception) -> ErrorKind:
        """Return the kind of the error, by its number."""
        code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
        if code in _CONFLICTS:
            return "conflict"
        if code == _BLOCKED:
            return "blocked"
        if code in _MISSING:
            return "missing"
        if code in _FULL:
            return "full"
        # Errors from 2000 on are the client's: the connection was refused or lost.
        if code in _LOST or 2000 <= code < 3000:
            return "lost"
        return "other"

    def create_schema(self) -> list[Statement]:
        """Return the statements that create the schema; each commits by itself."""
        return [(text, ()) for text in _SCHEMA]

    def lock_catalog(self) -> Statement:
        """Return the statement that waits for others to finish creating or changing tables."""
        return "SELECT id FROM feed WHERE id = 0 FOR UPDATE", ()

    def lock_table(self, number: int) -> Statement:
        """Return the statement that waits until nobody writes to a table."""
        return f"SELECT number FROM tables WHERE number = {number} FOR UPDATE", ()

    def lock(self, numbers: Iterable[int], hashes: Iterable[int]) -> list[Statement]:
        """Return the statements that lock keys and tables."""
        tables = ", ".join(map(str, sorted(numbers))) or "-1"
        locks = ", ".join(map(str, sorted(set(map(self.lock_name, hashes))))) or "-1"
        versions = (
            f"SELECT number, version FROM tables WHERE number IN ({tables}) "
            "ORDER BY number LOCK IN SHARE MODE"
        )
        if self.is_galera:
            keys = f"UPDATE locks SET turn = turn + 1 WHERE id IN ({locks}) ORDER BY id"
        else:
            # Not with DO, which ignores that a lock was not granted.
            keys = f"SET @locked = (SELECT max(id) FROM locks WHERE id IN ({locks}) FOR UPDATE)"
        return [(keys, ()), (versions, ())]

    def lock_free(self, numbers: Iterable[int], hashes: Iterable[int]) -> list[Statement]:
        """Return statements that lock tables and keys without waiting, and return their names."""
        tables = ", ".join(map(str, sorted(numbers))) or "-1"
        locks = ", ".join(map(str, sorted(set(map(self.lock_name, hashes))))) or "-1"
        shared = "/*!80000 FOR SHARE */ /*M! LOCK IN SHARE MODE */ SKIP LOCKED"
        return [
            (f"SELECT number FROM tables WHERE number IN ({tables}) {shared}", ()),
            (f"SELECT id FROM locks WHERE id IN ({locks}) FOR UPDATE SKIP LOCKED", ()),
        ]

    def lock_name(self, hash_: int) -> int:
        """Return the number of the lock row for the hash of a key."""
        return hash_ % LOCK_COUNT

    def lock_rows(self, lookup: Lookup) -> Statement:
        """Return the statement that locks existing rows unless others have."""
        name, keys = lookup
        sql = (
            f"SELECT concat(hash, sort) FROM {name} FORCE INDEX (PRIMARY) "
            f"WHERE (hash, sort) IN ({_tuples(2, len(keys))}) FOR UPDATE SKIP LOCKED"
        )
        return sql, tuple(part for key in keys for part in key)

    def holder(
        self, numbers: Iterable[int], names: Iterable[str], hashes: Iterable[int]
    ) -> Statement:
        """Return the statement that finds the oldest transaction with locks.

        InnoDB does not say which rows it has locked, and tells only users who may PROCESS.
        """
        program = (
            "(SELECT attr_value FROM performance_schema.session_account_connect_attrs "
            "WHERE processlist_id = p.id AND attr_name = 'program_name')"
        )
        return (
            f"SELECT p.id, coalesce({program}, ''), p.user, p.host, "
            "IF(p.command = 'Sleep', 'idle in transaction', p.command), "
            "DATE_FORMAT(CONVERT_TZ(t.trx_started, @@session.time_zone, '+00:00'), "
            "'%Y-%m-%d %H:%i:%s') FROM information_schema.innodb_trx AS t "
            "JOIN information_schema.processlist AS p ON p.id = t.trx_mysql_thread_id "
            "WHERE p.id <> connection_id() AND t.trx_rows_locked > 0 "
            "ORDER BY t.trx_started LIMIT 1",
            (),
        )

    def lookup(self, lookups: Sequence[Lookup]) -> Statement:
        """Return one statement that reads rows by key."""
        parts = [
            f"SELECT {number}, concat(hash, sort), size, expires, item FROM {name} "
            + (
                f"FORCE INDEX (PRIMARY) WHERE (hash, sort) IN ({_tuples(2, len(keys))})"
                if len(keys) > 1
                else "WHERE hash = %s AND sort = %s"
            )
            for number, (name, keys) in enumerate(lookups)
        ]
        values = tuple(part for _, keys in lookups for key in keys for part in key)
        return " UNION ALL ".join(parts), values

    def write_rows(self, name: str, rows: Sequence[RowValues], *, new: bool) -> list[Statement]:
        """Return statements that insert rows, or replace them unless they are new."""
        end = "" if new else _REPLACE
        start = f"INSERT INTO {name} (hash, sort, size, expires, item) VALUES "
        return [
            (f"{start}{_tuples(5, len(part))}{end}", tuple(value for row in part for value in row))
            for part in _split(rows)
        ]

    def append_changes(self, changes: Sequence[ChangeValues]) -> list[Statement]:
        """Return the statements that number the changes and store them."""
        before = len(changes)
        take = f"UPDATE feed SET newest = (@newest := newest + {before}) WHERE id = 1"
        statements: list[Statement] = [(take, ())]
        for part in _split(changes):
            rows = ", ".join(
                f"(@newest - {before - number}, %s, %s, %s, %s, %s, %s, %s)"
                for number in range(1, len(part) + 1)
            )
            values = tuple(value for change in part for value in change)
            statements.append((f"INSERT INTO changes VALUES {rows}", values))
            before -= len(part)
        return statements

    def count(self, name: str, limit: int) -> Statement:
        """Return the statement for the number of rows and their size, estimated above `limit`."""
        return (
            "SELECT CASE WHEN n <= %s THEN n ELSE greatest(n, (SELECT table_rows FROM "
            "information_schema.tables WHERE table_schema = database() AND table_name = "
            f"'{name}')) END, n, total FROM (SELECT count(*) AS n, coalesce(sum(size), 0) AS total "
            f"FROM (SELECT size FROM {name} LIMIT %s) AS s) AS c",
            (limit, limit + 1),
        )

    def delete_expired(self, name: str) -> str:
        """Return the SQL that deletes up to 1,000 rows of a table that expired before a time."""
        return f"DELETE FROM {name} WHERE expires < %s LIMIT 1000"


def _tuples(width: int, count: int) -> str:
    """Return placeholders for tuples of values."""
    one = f"({', '.join(['%s'] * width)})"
    return ", ".join([one] * count)


def _split(rows: Sequence[_Row]) -> Iterator[list[_Row]]:
    """Yield the rows in parts that the server accepts as one statement."""
    part: list[_Row] = []
    total = 0
    for row in rows:
        size = sum(len(value) for value in row if isinstance(value, bytes))
        if part and total + size > _MAX_ROWS:
            yield part
            part, total = [], 0
        part.append(row)
        total += size
    yield part


def _connect(parameters: dict[str, Any], timeout: int) -> Any:
    # On a node of a Galera cluster, reads wait for what other nodes have committed.
    return pymysql.connect(
        **parameters,
        autocommit=True,
        charset="utf8mb4",
        binary_prefix=True,
        client_flag=CLIENT.MULTI_STATEMENTS | CLIENT.FOUND_ROWS,
        connect_timeout=min(timeout, 10),
        read_timeout=timeout + LOCK_WAIT,
        write_timeout=timeout,
        program_name=application_name(),
        init_command=_SET,
    )


def _accepts_writes(connection: Any) -> bool:
    """Return whether the server is not a replica; raise if it is a node without its cluster."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT @@global.read_only")
        return bool(cursor.fetchall() == ((0,),))


def _parameters(address: str) -> list[dict[str, Any]]:
    """Return the arguments of `pymysql.connect` for each host of an address."""
    url = urlsplit(address)
    options = dict(parse_qsl(url.query, keep_blank_values=True))
    login, _, hosts = url.netloc.rpartition("@")
    user, _, password = login.partition(":")
    parameters: dict[str, Any] = {
        "user": unquote(user or "root"),
        "password": unquote(password).encode(),  # PyMySQL would encode it as Latin-1
        "database": url.path.lstrip("/"),
    }
    if not parameters["database"]:
        raise AddressError("The address needs a database, such as mysql://user@host/votes.")
    if "socket" in options:
        parameters["unix_socket"] = options.pop("socket")
    if (mode := options.pop("tls", None)) == "required":
        parameters["ssl"] = ssl.create_default_context(cafile=options.pop("ca", None))
    elif mode not in (None, "off"):
        raise AddressError(f"Expected ?tls=required or ?tls=off, but got '{mode}'.")
    else:
        parameters["ssl_disabled"] = True
    if options:
        raise AddressError(
            f"Unknown option '{next(iter(options))}' in the address. Expected socket, tls, ca, "
            "connections, replica or timeout."
        )
    servers = [urlsplit(f"//{host}") for host in hosts.split(",")]
    return [
        {**parameters, "host": server.hostname or "127.0.0.1", "port": server.port or 3306}
        for server in servers
    ]
