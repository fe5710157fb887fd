"""Create views at an address, and query them without the right to write.

The database itself rejects writes: SQLite opens the file read-only and asks before each action,
PostgreSQL and MariaDB run a single statement in a read-only transaction, after they have parsed it
as a query. Functions can do more than transactions know of, so those with effects are rejected:
PostgreSQL says which functions are volatile, and for MariaDB there is a list. A query has a
deadline. What it may read, and which functions of your own it may call, is up to the role.
"""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

import apsw

from dynamodb_engine.addresses import check_server_address, file_path
from dynamodb_engine.engine.file_backup import open_read_only
from dynamodb_engine.engine.storage import Database
from dynamodb_engine.engine.storage.sqlite.connection import bind_execute
from dynamodb_engine.engine.table_record import decode_record
from singletable.errors import AddressError, InvalidValue, StorageError, TableNotFound
from singletable.schema import Table
from singletable.sql.dialects import MARIADB, POSTGRESQL, SQLITE, Dialect
from singletable.sql.views import View

_TABLES = "SELECT number, name, record FROM tables"
# Of SQLite's virtual machine, between two looks at the clock.
_STEPS = 10_000
# A single function call could make a longer text, and nothing could stop it.
_LONGEST_VALUE = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The names of the columns, and the rows."""

    columns: tuple[str, ...]
    rows: Iterator[tuple[Any, ...]]


class SqlDatabase(ABC):
    """The SQL database at an address. `names` has the real names of declared tables."""

    dialect: Dialect
    # The deadline of a query.
    seconds = 600.0

    def create_views(self, views: Iterable[View], names: Mapping[Table, str]) -> list[View]:
        """Create or replace the views of existing tables, and return them."""
        selects = self._selects(views, names)
        if not selects:
            missing = ", ".join(sorted(names.values()))
            raise TableNotFound(f"There is no table {missing} at this address.")
        self._change(self.dialect.create(name, select) for name, select in selects.items())
        return [one for one in views if one.name in selects]

    def drop_views(self, views: Iterable[View]) -> None:
        """Drop those of the views that exist."""
        self._change([f"DROP VIEW IF EXISTS {self.dialect.quote(one.name)}" for one in views])

    @contextmanager
    def query(
        self, sql: str, views: Iterable[View], names: Mapping[Table, str]
    ) -> Generator[QueryResult]:
        """Run a query that may use the views, whether or not they were created."""
        selects = self._selects(views, names)
        try:
            with self._run(sql, selects) as result:
                yield result
        except InvalidValue as error:
            advice = _advice(str(error), [*selects] or [one.name for one in views])
            raise InvalidValue(f"{error}{advice}") from None

    def _selects(self, views: Iterable[View], names: Mapping[Table, str]) -> dict[str, str]:
        numbers = {
            name: number
            for number, name, record in self._read_catalog()
            if decode_record(bytes(record)).deleted_by is None
        }
        selects: dict[str, str] = {}
        for one in views:
            if (name := names[one.model.table]) in numbers:
                one.check_names(self.dialect)
                selects[one.name] = one.select(self.dialect, f"items_{numbers[name]}")
        return selects

    @abstractmethod
    def _read_catalog(self) -> list[tuple[Any, ...]]:
        """Return the number, the name and the record of each table; none if that is forbidden."""

    def _too_slow(self) -> InvalidValue:
        return InvalidValue(
            f"The query took longer than {self.seconds:g} seconds and was stopped. Copy the rows "
            "of the view to a table once, and query that."
        )

    @abstractmethod
    def _change(self, statements: Iterable[str]) -> None:
        """Run statements that change the schema."""

    @abstractmethod
    def _run(self, sql: str, selects: Mapping[str, str]) -> AbstractContextManager[QueryResult]:
        """Run a query that may use these views; raise InvalidValue if the database rejects it."""


def open_database(address: str) -> SqlDatabase:
    """Return the SQL database at an address."""
    kind, _, rest = address.partition(":")
    match kind:
        case "file" if rest:
            return _File(file_path(rest))
        case "postgresql" | "postgres":
            check_server_address(address)
            return _PostgreSQL(address)
        case "mysql" | "mariadb":
            check_server_address(address)
            return _MariaDB(address)
        case _:
            # An address may contain a password, so only its kind is repeated.
            raise AddressError(
                f"There is no SQL database at '{kind}:'. Expected file:PATH, postgresql://… or "
                "mysql://…. Copy tables of DynamoDB to one of them with: singletable copy"
            )


class _File(SqlDatabase):
    """A file of the embedded engine. Views can be created while no engine uses it."""

    dialect = SQLITE

    def __init__(self, path: Path) -> None:
        self._path = path

    def _read_catalog(self) -> list[tuple[Any, ...]]:
        with closing(open_read_only(self._path)) as connection:
            return list(bind_execute(connection)(_TABLES))

    def _change(self, statements: Iterable[str]) -> None:
        if not self._path.is_file():  # it would be created
            raise StorageError(f"There is no file '{self._path}'.")
        with closing(Database(self._path)) as database:
            database.write(lambda execute: [execute(one) for one in statements])

    @contextmanager
    def _run(self, sql: str, selects: Mapping[str, str]) -> Generator[QueryResult]:
        columns: list[tuple[str, ...]] = []
        deadline = time.monotonic() + self.seconds

        def check_statement(cursor: apsw.Cursor, statement: str, bindings: object) -> bool:
            columns.append(tuple(name for name, *_ in cursor.get_description()))
            if len(columns) > 1:
                raise InvalidValue("Expected one statement, but got several.")
            if not columns[0] or not cursor.is_readonly:
                raise _read_only()
            return True

        with closing(open_read_only(self._path)) as connection:
            execute = bind_execute(connection)
            for name, select in selects.items():
                execute(f"CREATE TEMP VIEW {SQLITE.quote(name)} AS {select}")
            connection.limit(apsw.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
            connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
            connection.authorizer = _allow_reads
            connection.exec_trace = check_statement
            try:
                rows = execute(sql)
                if not columns:  # an empty statement
                    raise _read_only()
                yield QueryResult(columns[0], rows)
            except apsw.Error as error:
                if isinstance(error, apsw.AuthError) or "cannot modify" in str(error):
                    raise _read_only() from None
                if isinstance(error, apsw.InterruptError):
                    raise self._too_slow() from None
                raise InvalidValue(f"SQLite rejected the query: {error}.") from None


_READS = (apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_FUNCTION, apsw.SQLITE_RECURSIVE)


def _allow_reads(action: int, *_: object) -> int:
    return apsw.SQLITE_OK if action in _READS else apsw.SQLITE_DENY


# Where an error is in the statement that was sent, which contains the definitions of views.
_POSITION = re.compile(r" at character \d+$")


class _Server(SqlDatabase):
    """A server, through its driver.

    A query gets the views as common table expressions, because MariaDB has no temporary views, and
    a replica of PostgreSQL cannot create them.
    """

    driver = ""

    def __init__(self, address: str) -> None:
        self._url = urlsplit(address)
        self._options = dict(parse_qsl(self._url.query))
        try:
            self._module: Any = import_module(self.driver)
        except ImportError:
            raise AddressError(
                f"This address needs {self.driver}. Install singletable[sql]."
            ) from None

    @abstractmethod
    def _connect(self) -> Any: ...

    @abstractmethod
    def _execute(self, cursor: Any, statement: str) -> None:
        """Run a query in a transaction that cannot write, unless it calls functions that do."""

    @contextmanager
    def _cursor(self) -> Generator[Any]:
        with closing(self._connect()) as connection, connection.cursor() as cursor:
            yield cursor

    def _describe(self, failed: str, error: Any) -> str:
        reason = _POSITION.sub("", str(error.args[-1]).partition("\n")[0])
        return f"{self.dialect.title} {failed}: {reason}."

    def _read_catalog(self) -> list[tuple[Any, ...]]:
        try:
            with self._cursor() as cursor:
                cursor.execute(_TABLES)
                return list(cursor)
        except self._module.Error as error:
            if _codes(error) & _DENIED:
                return []
            raise StorageError(self._describe("has no tables that can be read", error)) from None

    def _change(self, statements: Iterable[str]) -> None:
        try:
            with self._cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
                cursor.connection.commit()
        except self._module.Error as error:
            raise StorageError(
                f"{self._describe('cannot change the views', error)} If their columns changed, "
                "drop them first (--views drop) and grant rights again."
            ) from None

    @contextmanager
    def _run(self, sql: str, selects: Mapping[str, str]) -> Generator[QueryResult]:
        try:
            with self._cursor() as cursor:
                self._execute(cursor, _with_views(self.dialect, sql, selects))
                if cursor.description is None:
                    raise _read_only()
                yield QueryResult(tuple(one[0] for one in cursor.description), iter(cursor))
        except self._module.Error as error:
            if _codes(error) & _SLOW:
                raise self._too_slow() from None
            if _codes(error) & _WRITE or not _QUERY.match(sql):
                raise _read_only() from None
            raise InvalidValue(self._describe("rejected the query", error)) from None


# The codes of errors in PostgreSQL and MariaDB: a missing privilege, a write in a query, in a
# read-only transaction or to a view, a query whose plan is secret because only its views may be
# read, and the end of a deadline.
_DENIED: set[object] = {"42501", 1044, 1142}
_WRITE: set[object] = {"0A000", "25006", "55000", 1792}
_UNEXPLAINED: set[object] = {1345}
_SLOW: set[object] = {"57014", 1969}


def _codes(error: Any) -> set[object]:
    return {error.args[0], getattr(error, "sqlstate", None)}


class _PostgreSQL(_Server):
    """PostgreSQL, primary or replica."""

    dialect = POSTGRESQL
    driver = "psycopg"

    def _connect(self) -> Any:
        # The driver does not know the options of the storage.
        known = {
            name: value
            for name, value in self._options.items()
            if name not in ("connections", "replica", "timeout")
        }
        address = self._url._replace(query=urlencode(known, quote_via=quote)).geturl()
        return self._module.connect(address, connect_timeout=10)

    def _execute(self, cursor: Any, statement: str) -> None:
        statement = statement.rstrip("; \t\r\n")
        is_checked = self._check_functions(cursor, statement)
        cursor.execute("SET TRANSACTION READ ONLY")
        # From now on it cannot become writable again.
        cursor.execute(f"SET LOCAL statement_timeout = {round(1000 * self.seconds)}")
        cursor.execute("SELECT current_setting('is_superuser')")
        if not is_checked:
            if cursor.fetchone()[0] == "on":
                raise InvalidValue(
                    "A replica cannot check the functions of a query, and this role may do "
                    "everything. Connect with a role that may read the views and nothing else: "
                    "docs/guide/sql.md."
                )
            # Only a query has a cursor. Opening it runs nothing.
            cursor.execute(f"DECLARE asked CURSOR FOR {statement}", prepare=True)
        cursor.execute(statement, prepare=True)  # a prepared statement is a single one

    def _check_functions(self, cursor: Any, statement: str) -> bool:
        """Raise unless the statement is a query without volatile functions; nothing is run.

        The server parses the definition of a temporary view, which is rolled back. Return False if
        the role may not create one.
        """
        view = f"CREATE TEMPORARY VIEW asked AS SELECT FROM ({statement}\n) AS asked"
        try:
            if not self._creates_views(cursor):
                return False
            cursor.execute(view, prepare=True)
            cursor.execute(_PARSED)
            functions = [int(one) for one in _FUNCTIONS.findall(cursor.fetchone()[0])]
            cursor.execute(_VOLATILE, (functions, [*_HARMLESS]))
            volatile = [name for (name,) in cursor]
        finally:
            cursor.connection.rollback()
        if volatile:
            raise InvalidValue(
                f"`singletable sql` only reads, but the query calls {', '.join(volatile)}, which "
                "may do more. Use functions that are STABLE or IMMUTABLE, as your own ones can be "
                "declared if they only read."
            )
        return True

    def _creates_views(self, cursor: Any) -> bool:
        """Make the transaction writable, and return whether the role may create temporary views."""
        cursor.execute("SELECT pg_is_in_recovery()")
        if cursor.fetchone()[0]:
            return False
        cursor.connection.rollback()
        # A role may have the default to read only.
        cursor.execute("SET TRANSACTION READ WRITE")
        cursor.execute("SELECT has_database_privilege(current_database(), 'TEMP')")
        return bool(cursor.fetchone()[0])


# The query of the view as a tree, and the functions in it: of calls, operators and aggregates.
_PARSED = "SELECT ev_action::text FROM pg_rewrite WHERE ev_class = 'pg_temp.asked'::regclass"
_FUNCTIONS = re.compile(r":(?:funcid|opfuncid|aggfnoid|winfnoid) (\d+)")
_VOLATILE = """SELECT DISTINCT proname FROM pg_proc WHERE oid = ANY(%s) AND provolatile = 'v'
AND NOT (pronamespace = 'pg_catalog'::regnamespace AND proname = ANY(%s)) ORDER BY 1"""
# Volatile only because they return another value each time.
_HARMLESS = ("clock_timestamp", "gen_random_uuid", "random", "timeofday")


class _MariaDB(_Server):
    """MariaDB."""

    dialect = MARIADB
    driver = "pymysql"

    def _connect(self) -> Any:
        url, options = self._url, self._options
        tls = {"ca": options.get("ca"), "check_hostname": True}
        return self._module.connect(
            host=url.hostname or "127.0.0.1",
            port=url.port or 3306,
            user=unquote(url.username or "root"),
            password=unquote(url.password or "").encode(),
            database=url.path.lstrip("/"),
            unix_socket=options.get("socket"),
            ssl=tls if options.get("tls") == "required" else None,
            charset="utf8mb4",
            connect_timeout=10,
        )

    @contextmanager
    def _run(self, sql: str, selects: Mapping[str, str]) -> Generator[QueryResult]:
        if effect := _EFFECTS.search(sql):
            raise InvalidValue(
                f"`singletable sql` only reads, but the query contains {effect[0]}, which does "
                "more. If it is a part of a text, divide it: CONCAT('out', 'file')."
            )
        with super()._run(sql, selects) as result:
            yield result

    def _execute(self, cursor: Any, statement: str) -> None:
        cursor.execute(f"SET max_statement_time = {self.seconds:g}")
        cursor.execute("START TRANSACTION READ ONLY")
        # Only a query can be explained: not a block that ends the transaction and then writes.
        try:
            cursor.execute(f"EXPLAIN {statement}")
        except self._module.Error as error:
            if not _codes(error) & _UNEXPLAINED:
                raise
        cursor.execute(statement)


# Files, locks that other programs wait for, and sequences. A function cannot be written in another
# way, so that the words are enough; a text with such a word is rejected, too.
_EFFECTS = re.compile(
    r"(?<![a-z0-9_$])(outfile|dumpfile|load_file|get_lock|release_lock"
    r"|release_all_locks|nextval|setval|value\s+for)(?![a-z0-9_$])",
    re.IGNORECASE,
)

_QUERY = re.compile(r"\s*(with\s+(recursive\s+)?|(?=select\b|\())", re.IGNORECASE)


def _with_views(dialect: Dialect, sql: str, selects: Mapping[str, str]) -> str:
    """Return the query after common table expressions for the views that it may use."""
    start = _QUERY.match(sql)
    used = [name for name in selects if re.search(rf"\b{name}\b", sql, re.IGNORECASE)]
    if start is None or not used:
        return sql
    views = ", ".join(f"{dialect.quote(name)} AS ({selects[name]})" for name in used)
    return f"WITH {start[2] or ''}{views}{', ' if start[1] else ' '}{sql[start.end() :]}"


def _read_only() -> InvalidValue:
    return InvalidValue(
        "`singletable sql` only reads, and this is not a query. Write a SELECT; change items with "
        "the app."
    )


_UNKNOWN = re.compile(r"no such table: ([\w.]+)|relation \"([^\"]+)\" does|Table '([^']+)' doesn't")


def _advice(message: str, views: list[str]) -> str:
    """Return what to write instead of the name of a table that does not exist."""
    unknown = _UNKNOWN.search(message)
    if unknown is None:
        return ""
    name = next(group for group in unknown.groups() if group).strip(".").split(".")[-1]
    near = get_close_matches(name.lower(), views, 1)
    return f"{f' Did you mean {near[0]}?' if near else ''} Views: {', '.join(views)}."
