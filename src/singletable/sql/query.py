"""Create views at an address, and query them without the right to write.

The database itself rejects writes: SQLite opens the file read-only and asks before each action,
PostgreSQL and MariaDB run the query in a read-only transaction, and nobody runs a second statement.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import apsw

from singletable.connect import file_path
from singletable.engine.file_backup import open_read_only
from singletable.engine.storage import Database
from singletable.engine.storage.connection import bind_execute
from singletable.engine.table_record import decode_record
from singletable.errors import AddressError, InvalidValue, StorageError, TableNotFound
from singletable.schema import Table
from singletable.sql.dialects import MARIADB, POSTGRESQL, SQLITE, Dialect
from singletable.sql.views import View

Row: TypeAlias = tuple[Any, ...]
_TABLES = "SELECT number, name, record FROM tables"


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The names of the columns, and the rows."""

    columns: tuple[str, ...]
    rows: Iterator[Row]


class SqlDatabase(ABC):
    """The SQL database at an address."""

    dialect: Dialect

    def create_views(self, views: Iterable[View], names: Mapping[Table, str]) -> list[View]:
        """Create or replace views, and return those whose tables exist.

        `names` has the real names of the tables.
        """
        wanted = list(views)
        numbers = self._table_numbers()
        existing = [one for one in wanted if names[one.model.table] in numbers]
        if not existing:
            missing = ", ".join(sorted({names[one.model.table] for one in wanted}))
            raise TableNotFound(f"There is no table {missing} at this address.")
        self._replace_views(self._selects(existing, names, numbers))
        return existing

    def drop_views(self, views: Iterable[View]) -> None:
        """Drop those of the views that exist."""
        self._execute([f"DROP VIEW IF EXISTS {self.dialect.quote(one.name)}" for one in views])

    @contextmanager
    def query(
        self, sql: str, views: Iterable[View], names: Mapping[Table, str]
    ) -> Generator[QueryResult]:
        """Run a query that may use the views, whether or not they were created."""
        known = list(views)
        try:
            numbers = self._table_numbers()
            selects = self._selects(known, names, numbers)
            with self._run(sql, selects) as result:
                yield result
        except InvalidValue as error:
            raise InvalidValue(f"{error}{_advice(str(error), known, numbers, names)}") from None

    @abstractmethod
    def _read_catalog(self) -> list[Row]:
        """Return the number, the name and the record of each table; nothing if it is forbidden."""

    @abstractmethod
    def _execute(self, statements: Iterable[str]) -> None:
        """Run statements that change the schema, all or none if the database can."""

    @abstractmethod
    def _replace_views(self, selects: Mapping[str, str]) -> None:
        """Create or replace views by name."""

    @abstractmethod
    def _run(self, sql: str, selects: Mapping[str, str]) -> Any:
        """Run a query that may use these views; raise InvalidValue if the database rejects it."""

    def _table_numbers(self) -> dict[str, int]:
        return {
            name: number
            for number, name, record in self._read_catalog()
            if decode_record(bytes(record)).deleted_by is None
        }

    def _selects(
        self, views: Iterable[View], names: Mapping[Table, str], numbers: Mapping[str, int]
    ) -> dict[str, str]:
        return {
            one.name: one.select(self.dialect, f"items_{numbers[name]}")
            for one in views
            if (name := names[one.model.table]) in numbers
        }


def open_database(address: str) -> SqlDatabase:
    """Return the SQL database at an address."""
    kind, colon, rest = address.partition(":")
    match kind:
        case "file" if rest:
            return _File(file_path(rest))
        case "postgresql" | "postgres" if colon:
            return _PostgreSQL(address)
        case "mysql" | "mariadb" if colon:
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

    def _read_catalog(self) -> list[Row]:
        with closing(open_read_only(self._path)) as connection:
            return list(bind_execute(connection)(_TABLES))

    def _execute(self, statements: Iterable[str]) -> None:
        if not self._path.is_file():
            raise StorageError(f"There is no file '{self._path}'.")
        with closing(Database(self._path)) as database:
            database.write(lambda execute: [execute(one) for one in statements])

    def _replace_views(self, selects: Mapping[str, str]) -> None:
        self._execute(
            statement
            for name, select in selects.items()
            for statement in (
                f"DROP VIEW IF EXISTS {SQLITE.quote(name)}",
                f"CREATE VIEW {SQLITE.quote(name)} AS {select}",
            )
        )

    @contextmanager
    def _run(self, sql: str, selects: Mapping[str, str]) -> Generator[QueryResult]:
        columns: list[tuple[str, ...]] = []

        def check_statement(cursor: apsw.Cursor, statement: str, bindings: object) -> bool:
            columns.append(tuple(name for name, *_ in cursor.get_description()))
            if len(columns) > 1:
                raise InvalidValue("Expected one statement, but got several.")
            return True

        with closing(open_read_only(self._path)) as connection:
            execute = bind_execute(connection)
            for name, select in selects.items():
                execute(f"CREATE TEMP VIEW {SQLITE.quote(name)} AS {select}")
            connection.authorizer = _allow_reads
            connection.exec_trace = check_statement
            try:
                rows = execute(sql)
                if not columns:
                    raise InvalidValue("Expected a query, but got none.")
                yield QueryResult(columns[0], iter(rows))
            except apsw.AuthError:
                raise _read_only() from None
            except apsw.Error as error:
                raise InvalidValue(f"SQLite rejected the query: {error}.") from None


def _allow_reads(action: int, first: str | None, second: str | None, *_: object) -> int:
    """Let a statement select, call functions and read tables, and nothing else."""
    allowed = (
        apsw.SQLITE_SELECT,
        apsw.SQLITE_READ,
        apsw.SQLITE_FUNCTION,
        apsw.SQLITE_RECURSIVE,
    )
    is_loader = action == apsw.SQLITE_FUNCTION and second == "load_extension"
    return apsw.SQLITE_OK if action in allowed and not is_loader else apsw.SQLITE_DENY


class _PostgreSQL(SqlDatabase):
    """A PostgreSQL database. A query gets temporary views, if the role may create them."""

    dialect = POSTGRESQL

    def __init__(self, address: str) -> None:
        self._psycopg = _import_driver("psycopg")
        self._address = _without_options(address)

    @contextmanager
    def _connect(self) -> Generator[Any]:
        try:
            connection = self._psycopg.connect(self._address, connect_timeout=10)
        except self._psycopg.Error as error:
            raise StorageError(f"PostgreSQL cannot be used: {error}") from None
        with closing(connection):
            yield connection

    def _read_catalog(self) -> list[Row]:
        with self._connect() as connection:
            try:
                return list(connection.execute(_TABLES))
            except self._psycopg.errors.InsufficientPrivilege:
                return []
            except self._psycopg.errors.UndefinedTable:
                raise _no_storage() from None

    def _execute(self, statements: Iterable[str]) -> None:
        with self._connect() as connection, self._schema_errors():
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    def _replace_views(self, selects: Mapping[str, str]) -> None:
        with self._connect() as connection, self._schema_errors():
            for name, select in selects.items():
                view = f"VIEW {POSTGRESQL.quote(name)}"
                try:
                    # This keeps grants, but cannot remove or rename columns.
                    with connection.transaction():
                        connection.execute(f"CREATE OR REPLACE {view} AS {select}")
                except self._psycopg.errors.InvalidTableDefinition:
                    connection.execute(f"DROP {view}")
                    connection.execute(f"CREATE {view} AS {select}")
            connection.commit()

    @contextmanager
    def _schema_errors(self) -> Generator[None]:
        try:
            yield
        except self._psycopg.Error as error:
            raise StorageError(f"PostgreSQL cannot change the views: {_message(error)}.") from None

    @contextmanager
    def _run(self, sql: str, selects: Mapping[str, str]) -> Generator[QueryResult]:
        errors = self._psycopg.errors
        with self._connect() as connection:
            try:
                with connection.transaction():
                    for name, select in selects.items():
                        view = POSTGRESQL.quote(name)
                        connection.execute(f"CREATE TEMP VIEW {view} AS {select}")
            except errors.InsufficientPrivilege:
                connection.rollback()
            try:
                # After the first query of a transaction, it cannot become writable again.
                connection.execute("SET TRANSACTION READ ONLY")
                connection.execute("SELECT 1")
                # A prepared statement is a single one.
                cursor = connection.execute(sql, prepare=True)
                if cursor.description is None:
                    raise InvalidValue("Expected a query, but the statement returns no rows.")
                columns = tuple(one.name for one in cursor.description)
                yield QueryResult(columns, iter(cursor))
            except errors.ReadOnlySqlTransaction:
                raise _read_only() from None
            except self._psycopg.Error as error:
                raise InvalidValue(f"PostgreSQL rejected the query: {_message(error)}.") from None


def _message(error: Any) -> str:
    return str(error.diag.message_primary or error)


class _MariaDB(SqlDatabase):
    """A MariaDB database. It has no temporary views, so a query gets common table expressions."""

    dialect = MARIADB
    _DENIED, _MISSING, _WRITE = (1142, 1044), 1146, 1792

    def __init__(self, address: str) -> None:
        self._pymysql = _import_driver("pymysql")
        url = urlsplit(address)
        options = dict(parse_qsl(url.query))
        self._parameters = {
            "host": url.hostname or "127.0.0.1",
            "port": url.port or 3306,
            "user": unquote(url.username or "root"),
            "password": unquote(url.password or ""),
            "database": url.path.lstrip("/"),
            "unix_socket": options.get("socket"),
            **({"ssl_ca": options["ca"]} if "ca" in options else {}),
            **({"ssl": {"check_hostname": True}} if options.get("tls") == "required" else {}),
        }

    @contextmanager
    def _connect(self) -> Generator[Any]:
        try:
            connection = self._pymysql.connect(
                **self._parameters, charset="utf8mb4", connect_timeout=10
            )
        except self._pymysql.MySQLError as error:
            raise StorageError(f"MariaDB cannot be used: {_text(error)}.") from None
        with connection, connection.cursor() as cursor:
            yield cursor

    def _read_catalog(self) -> list[Row]:
        with self._connect() as cursor:
            try:
                cursor.execute(_TABLES)
            except self._pymysql.MySQLError as error:
                if error.args[0] in self._DENIED:
                    return []
                raise _no_storage() from None
            return list(cursor)

    def _execute(self, statements: Iterable[str]) -> None:
        with self._connect() as cursor:
            try:
                for statement in statements:
                    cursor.execute(statement)
            except self._pymysql.MySQLError as error:
                raise StorageError(f"MariaDB cannot change the views: {_text(error)}.") from None

    def _replace_views(self, selects: Mapping[str, str]) -> None:
        self._execute(
            f"CREATE OR REPLACE VIEW {MARIADB.quote(name)} AS {select}"
            for name, select in selects.items()
        )

    @contextmanager
    def _run(self, sql: str, selects: Mapping[str, str]) -> Generator[QueryResult]:
        with self._connect() as cursor:
            try:
                cursor.execute("SET SESSION TRANSACTION READ ONLY")
                cursor.execute("START TRANSACTION READ ONLY")
                cursor.execute(_with_views(sql, selects))
                if cursor.description is None:
                    raise InvalidValue("Expected a query, but the statement returns no rows.")
                yield QueryResult(tuple(name for name, *_ in cursor.description), iter(cursor))
            except self._pymysql.MySQLError as error:
                if error.args[0] == self._WRITE:
                    raise _read_only() from None
                raise InvalidValue(f"MariaDB rejected the query: {_text(error)}.") from None


def _text(error: Any) -> str:
    return str(error.args[-1])


def _with_views(sql: str, selects: Mapping[str, str]) -> str:
    """Return the query after common table expressions for the views that it may use."""
    start = re.match(r"\s*(with\s+(recursive\s+)?|(?=select\b|\())", sql, re.IGNORECASE)
    used = [name for name in selects if re.search(rf"\b{name}\b", sql, re.IGNORECASE)]
    if start is None or not used:
        return sql
    recursive = start[2] or ""
    views = ", ".join(f"{MARIADB.quote(name)} AS ({selects[name]})" for name in used)
    return f"WITH {recursive}{views}{', ' if start[1] else ' '}{sql[start.end() :]}"


def _import_driver(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise AddressError(
            f"This address needs {name}. Install it: pip install 'singletable[sql]'"
        ) from None


def _without_options(address: str) -> str:
    """Return the address without the options of the storage, which the driver does not know."""
    url = urlsplit(address)
    options = [one for one in parse_qsl(url.query) if one[0] not in ("connections", "replica")]
    return url._replace(query=urlencode(options)).geturl()


def _no_storage() -> TableNotFound:
    return TableNotFound("There are no tables of singletable at this address.")


def _read_only() -> InvalidValue:
    return InvalidValue(
        "This statement would change the database, and `singletable sql` only reads. Write a "
        "SELECT; change items with the app."
    )


def _advice(
    message: str, views: Sequence[View], numbers: Mapping[str, int], names: Mapping[Table, str]
) -> str:
    """Return what to write instead of the name of a table that does not exist."""
    unknown = re.search(r"no such table: (\S+?)\.?$|relation \"(.+?)\" does|Table '(.+?)' do", message)
    if unknown is None:
        return ""
    name = next(group for group in unknown.groups() if group).split(".")[-1]
    existing = [one.name for one in views if not numbers or names[one.model.table] in numbers]
    near = get_close_matches(name.lower(), existing, 1)
    meant = f" Did you mean {near[0]}?" if near else ""
    return f"{meant} Views: {', '.join(existing) or 'none, because no table exists'}."
