"""PostgreSQL and MariaDB for tests: each started once, in a temporary folder, as its own user.

`SQL_SERVER=postgresql` or `mariadb` runs tests on it that otherwise run in memory.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote
from weakref import finalize

from dynamodb_engine.engine.server_engine import ServerEngine
from dynamodb_engine.engine.settings import Settings

SERVER = os.environ.get("SQL_SERVER", "")
KINDS = (SERVER,) if SERVER else ("postgresql", "mariadb")
_number = count(1)
# Tables that every database has.
_CONTENTS = ("tables", "changes", "tokens", "leases")
_LIST_ROWS = {
    "postgresql": "SELECT tablename FROM pg_tables WHERE schemaname = '{}' "
    "AND tablename ~ '^(items|index)_'",
    "mariadb": "SELECT table_name FROM information_schema.tables WHERE table_schema = '{}' "
    "AND table_name REGEXP '^(items|index)_'",
}


class Server:
    """A server that runs until the tests end. A database of MariaDB is a schema of PostgreSQL."""

    def __init__(self, kind: str) -> None:
        # Imported here: every run of pytest imports this module.
        from drills.sql_servers import MariaDBServer, PostgreSQLServer

        # Sockets need short paths, and files in memory are fast: durability is tested by drills.
        self.folder = Path(tempfile.mkdtemp(prefix="sql-", dir="/dev/shm"))
        self.folder.chmod(0o755)
        self.kind = kind
        self.used = list[str]()
        self._process: PostgreSQLServer | MariaDBServer
        match kind:
            case "postgresql":
                settings = ("fsync=off", "max_connections=300", "max_locks_per_transaction=256")
                self._process = PostgreSQLServer(self.folder / "1", *settings)
            case "mariadb":
                options = ("max-connections=300", "innodb-flush-log-at-trx-commit=0")
                self._process = MariaDBServer(self.folder / "1", *options)
            case _:
                raise ValueError(f"Expected SQL_SERVER=postgresql or mariadb, but got '{kind}'.")
        self._process.start()
        atexit.register(self._stop, os.getpid())

    def _stop(self, owner: int) -> None:
        if os.getpid() == owner:
            self._process.kill()
            shutil.rmtree(self.folder, ignore_errors=True)

    def address(self, name: str) -> str:
        """Return the address of a database."""
        folder = self.folder / "1"
        if self.kind == "mariadb":
            return f"mariadb://root@localhost/{name}?socket={folder}/socket"
        option = quote(f"-csearch_path={name}", safe="")
        place = f"host={folder}&port={self._process.port}"
        return f"postgresql://postgres@/postgres?{place}&options={option}"

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements and return the rows of the last one."""
        with self._process.connect() as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall()) if cursor.description else []

    def create(self) -> str:
        """Create an empty database and return its name."""
        name = f"test_{os.getpid()}_{next(_number)}"
        self.run(f"CREATE SCHEMA {name}")
        return name

    def take_empty(self) -> str:
        """Return the name of an empty database that has the schema; empty a used one if any."""
        if not self.used:
            name = self.create()
            ServerEngine.at(self.address(name)).close()
            return name
        name = self.used.pop()
        with self._process.connect() as connection, connection.cursor() as cursor:
            for table in self._list_rows(cursor, name):
                cursor.execute(f"DROP TABLE {name}.{table}")
            for table in _CONTENTS:
                cursor.execute(f"DELETE FROM {name}.{table}")
            cursor.execute(f"UPDATE {name}.feed SET newest = 0")
        return name

    def copy(self, source: str) -> str:
        """Copy a database and return the name of the copy."""
        target = self.take_empty()
        like = "(LIKE {} INCLUDING ALL)" if self.kind == "postgresql" else "LIKE {}"
        with self._process.connect() as connection, connection.cursor() as cursor:
            rows = self._list_rows(cursor, source)
            for table in rows:
                cursor.execute(f"CREATE TABLE {target}.{table} {like.format(f'{source}.{table}')}")
            for table in (*rows, *_CONTENTS):
                cursor.execute(f"INSERT INTO {target}.{table} SELECT * FROM {source}.{table}")
            newest = f"(SELECT newest FROM {source}.feed WHERE id = 1)"
            cursor.execute(f"UPDATE {target}.feed SET newest = {newest} WHERE id = 1")
            if self.kind == "postgresql":
                number = f"setval('{target}.tables_number_seq', coalesce(max(number), 1))"
                cursor.execute(f"SELECT {number} FROM {target}.tables")
        return target

    def _list_rows(self, cursor: Any, name: str) -> list[str]:
        """Return the tables of rows of a database."""
        cursor.execute(_LIST_ROWS[self.kind].format(name))
        return [table for (table,) in cursor.fetchall()]


class TemporaryEngine(ServerEngine):
    """An engine on a database that is used again after the engine is closed or forgotten."""

    server: Server
    database_name: str
    _release: finalize[[str], TemporaryEngine]

    def copy(self, settings: Settings | None = None) -> TemporaryEngine:
        """Return an engine on a copy of the database."""
        name = self.server.copy(self.database_name)
        return _open(self.server, name, settings or self.settings)

    def close(self) -> None:
        """Close the engine and release its database."""
        super().close()
        self._release()


def new_address(kind: str) -> str:
    """Return the address of a new, empty database on a server of this kind."""
    server = running_server(kind)
    return server.address(server.create())


def open_engine(settings: Settings | None = None, kind: str = SERVER) -> TemporaryEngine:
    """Open an engine on an empty database."""
    server = running_server(kind)
    return _open(server, server.take_empty(), settings)


def _open(server: Server, name: str, settings: Settings | None) -> TemporaryEngine:
    engine = TemporaryEngine.at(server.address(name), settings)
    engine.server, engine.database_name = server, name
    engine._release = finalize(engine, server.used.append, name)
    engine._release.atexit = False
    return engine


@cache
def running_server(kind: str) -> Server:
    """Return the server of a kind, which is started on first use."""
    return Server(kind)
