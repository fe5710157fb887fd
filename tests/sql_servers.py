"""PostgreSQL and MariaDB for tests: each started once, in a temporary folder, as its own user.

`SQL_SERVER=postgresql` or `mariadb` runs tests on it that otherwise run in memory.
"""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

from singletable.engine.server_engine import ServerEngine
from singletable.engine.settings import Settings

SERVER = os.environ.get("SQL_SERVER", "")
KINDS = (SERVER,) if SERVER else ("postgresql", "mariadb")
# Debian has a folder per release, and no commands for servers in the search path.
_POSTGRESQL = max(Path("/usr/lib/postgresql").glob("*/bin"), default=Path("/usr/bin"))
_MARIADB = "/usr/sbin/mariadbd"
_number = count(1)


class Server:
    """A server that runs until the tests end. A database of MariaDB is a schema of PostgreSQL."""

    def __init__(self, kind: str) -> None:
        if kind not in ("postgresql", "mariadb"):
            raise ValueError(f"Expected SQL_SERVER=postgresql or mariadb, but got '{kind}'.")
        self.kind = kind
        self.folder = start_postgresql() if kind == "postgresql" else start_mariadb()

    def address(self, name: str) -> str:
        """Return the address of a database."""
        if self.kind == "mariadb":
            return f"mariadb://root@localhost/{name}?socket={self.folder}/socket"
        option = quote(f"-csearch_path={name}", safe="")
        return f"postgresql://postgres@/postgres?host={self.folder}&options={option}"

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements and return the rows of the last one."""
        rows: list[tuple[Any, ...]] = []
        if self.kind == "postgresql":
            with _connect_postgresql(self.folder) as connection:
                for statement in statements:
                    cursor = connection.execute(statement)
                rows = cursor.fetchall() if cursor.description else []
        else:
            with _connect_mariadb(self.folder) as connection, connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
                rows = list(cursor.fetchall())
        return rows

    def create(self) -> str:
        """Create an empty database and return its name."""
        name = f"test_{os.getpid()}_{next(_number)}"
        self.run(f"CREATE SCHEMA {name}")
        return name

    def copy(self, source: str) -> str:
        """Create a copy of a database and return its name."""
        target = self.create()
        like = "(LIKE {} INCLUDING ALL)" if self.kind == "postgresql" else "LIKE {}"
        tables = self.run(
            f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{source}'"
        )
        statements = list[str]()
        for (table,) in tables:
            old, new = f"{source}.{table}", f"{target}.{table}"
            statements += [f"CREATE TABLE {new} {like.format(old)}"]
            statements += [f"INSERT INTO {new} SELECT * FROM {old}"]
        self.run(*statements)
        return target

    def drop(self, name: str) -> None:
        """Drop a database."""
        self.run(f"DROP SCHEMA {name}{' CASCADE' if self.kind == 'postgresql' else ''}")


class TemporaryEngine(ServerEngine):
    """An engine on a database that is dropped when the engine is closed."""

    server: Server
    database_name: str

    def copy(self, settings: Settings | None = None) -> TemporaryEngine:
        """Return an engine on a copy of the database."""
        name = self.server.copy(self.database_name)
        return _open(self.server, name, settings or self.settings)

    def close(self) -> None:
        """Close the engine and drop its database."""
        if not self._closed.is_set():
            super().close()
            self.server.drop(self.database_name)


def new_address(kind: str) -> str:
    """Return the address of a new, empty database on a server of this kind."""
    server = running_server(kind)
    return server.address(server.create())


def open_engine(settings: Settings | None = None, kind: str = SERVER) -> TemporaryEngine:
    """Open an engine on a new, empty database."""
    server = running_server(kind)
    return _open(server, server.create(), settings)


def _open(server: Server, name: str, settings: Settings | None) -> TemporaryEngine:
    engine = TemporaryEngine.at(server.address(name), settings)
    engine.server, engine.database_name = server, name
    return engine


@cache
def running_server(kind: str) -> Server:
    """Return the server of a kind, which is started on first use."""
    return Server(kind)


@cache
def start_postgresql(*options: str) -> Path:
    """Start PostgreSQL and return the folder of its socket."""
    folder = _folder("postgres")
    data, flags = folder / "data", " ".join(f"-c {option}" for option in options)
    _run("postgres", f"{_POSTGRESQL}/initdb -D {data} -U postgres -A trust -E UTF8 --locale=C")
    _run(
        "postgres",
        f"{_POSTGRESQL}/pg_ctl -D {data} -l {folder}/log -w start -o "
        f"\"-k {folder} -c listen_addresses='' -c max_connections=300 "
        f'-c max_locks_per_transaction=256 -c fsync=off {flags}"',
    )
    stop = f"{_POSTGRESQL}/pg_ctl -D {data} -m immediate stop"
    _stop_at_exit(lambda: _run("postgres", stop), folder)
    return folder


@cache
def start_mariadb(*options: str) -> Path:
    """Start MariaDB and return the folder of its socket."""
    folder = _folder("mysql")
    subprocess.run(
        [
            *("mariadb-install-db", "--no-defaults", "--user=mysql", f"--datadir={folder}/data"),
            *("--auth-root-authentication-method=normal", "--skip-test-db"),
        ],
        check=True,
        capture_output=True,
    )
    process = subprocess.Popen(
        [
            *(_MARIADB, "--no-defaults", "--user=mysql", f"--datadir={folder}/data"),
            *(f"--socket={folder}/socket", "--skip-networking", f"--log-error={folder}/log"),
            *(
                "--max-connections=300",
                "--innodb-flush-log-at-trx-commit=0",
                *(f"--{option}" for option in options),
            ),
        ]
    )
    _stop_at_exit(lambda: _kill(process), folder)
    _wait_for(lambda: _connect_mariadb(folder).close(), folder / "log")
    return folder


def _folder(user: str) -> Path:
    # Sockets need short paths, and files in memory are fast: durability is tested by drills.
    folder = Path(tempfile.mkdtemp(prefix="sql-", dir="/dev/shm"))
    shutil.chown(folder, user)
    return folder


def _run(user: str, command: str) -> None:
    record = pwd.getpwnam(user)
    subprocess.run(
        ["/bin/sh", "-c", command],
        check=True,
        user=record.pw_uid,
        group=record.pw_gid,
        extra_groups=[],
        cwd="/",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _stop_at_exit(stop: Callable[[], object], folder: Path) -> None:
    owner = os.getpid()

    def end() -> None:
        if os.getpid() == owner:
            stop()
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)


def _wait_for(connect: Callable[[], object], log: Path) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            connect()
        except Exception as error:
            if time.monotonic() > end:
                raise RuntimeError(log.read_text()) from error
            time.sleep(0.1)
        else:
            return


def _connect_postgresql(folder: Path) -> Any:
    import psycopg

    return psycopg.connect(f"host={folder} user=postgres dbname=postgres", autocommit=True)


def _connect_mariadb(folder: Path) -> Any:
    import pymysql

    return pymysql.connect(unix_socket=f"{folder}/socket", user="root", autocommit=True)
