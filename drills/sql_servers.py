"""SQL servers on loopback with full durability, which drills kill, and endpoint processes on them.

PostgreSQL alone or with a synchronous standby, MariaDB alone or as a Galera cluster. Each runs as
its own user in a temporary folder.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pymysql

POSTGRESQL = max(Path("/usr/lib/postgresql").glob("*/bin"), default=Path())
GALERA = Path("/usr/lib/galera/libgalera_smm.so")
TIMEOUT = 90.0
_number = count(1)


class SqlServer:
    """One server process; `start` initializes it the first time."""

    kind: str
    user: str

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.port = free_port()
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir()
        if os.getuid() == 0:
            shutil.chown(folder, self.user)

    @property
    def host(self) -> str:
        """Return the host and port, for an address."""
        return f"127.0.0.1:{self.port}"

    def start(self, *options: str) -> None:
        """Start the server and wait until it accepts connections."""
        if not (self.folder / "data").exists():
            self.initialize()
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                self.command(*self._options, *options), stdout=log, stderr=log, **self._as_user()
            )
        wait_for(self._accepts, f"{self.kind} did not start")

    def kill(self) -> None:
        """Kill the server with all its processes, as a crash of the machine does."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGSTOP)
        self._signal_all(signal.SIGKILL)
        self._process.wait()
        self._process = None

    def pause(self, *, resume: bool = False) -> None:
        """Stop all processes without ending them: they keep connections and answer nobody."""
        if self._process is None:
            return
        if resume:
            self._signal_all(signal.SIGCONT)
            return
        _stop(self._process.pid)  # first, so that it starts no more processes
        for child in self._children():
            _stop(child)

    def _signal_all(self, number: signal.Signals) -> None:
        if self._process is not None:
            for child in self._children():
                os.kill(child, number)
            self._process.send_signal(number)

    def _children(self) -> list[int]:
        main = self._process.pid if self._process is not None else 0
        return [*map(int, Path(f"/proc/{main}/task/{main}/children").read_text().split())]

    def initialize(self) -> None:
        """Create the data folder."""
        raise NotImplementedError

    def command(self, *options: str) -> list[str]:
        """Return the command that runs the server."""
        raise NotImplementedError

    def connect(self) -> Any:
        """Open a connection as administrator."""
        raise NotImplementedError

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        with self.connect() as connection, connection.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall()) if cursor.description else []

    def _accepts(self) -> bool:
        if self._process is not None and self._process.poll() is not None:
            raise RuntimeError(f"{self.kind} ended: {(self.folder / 'log').read_text()[-3000:]}")
        self.connect().close()
        return True

    def _as_user(self) -> dict[str, Any]:
        if os.getuid() != 0:
            return {"cwd": "/"}
        record = pwd.getpwnam(self.user)
        return {"user": record.pw_uid, "group": record.pw_gid, "extra_groups": [], "cwd": "/"}

    def execute_command(self, *command: str | Path) -> None:
        """Run a command as the user of the server."""
        subprocess.run(list(map(str, command)), check=True, capture_output=True, **self._as_user())


class PostgreSQLServer(SqlServer):
    """PostgreSQL with its default settings."""

    kind, user = "PostgreSQL", "postgres"
    terminate = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
        "AND backend_type = 'client backend'"
    )

    def initialize(self) -> None:
        """Create the data folder, or copy that of the primary."""
        self.execute_command(
            *(POSTGRESQL / "initdb", "-D", self.folder / "data", "-U", "postgres"),
            *("-A", "trust", "-E", "UTF8", "--locale=C"),
        )

    def command(self, *options: str) -> list[str]:
        """Return the command that runs the server."""
        settings = (f"port={self.port}", f"unix_socket_directories={self.folder}", *options)
        flags = [part for setting in settings for part in ("-c", setting)]
        return [str(POSTGRESQL / "postgres"), "-D", str(self.folder / "data"), *flags]

    def connect(self) -> Any:
        """Open a connection as administrator."""
        return psycopg.connect(
            f"host=127.0.0.1 port={self.port} user=postgres dbname=postgres", autocommit=True
        )

    def new_address(self, *others: SqlServer) -> str:
        """Return the address of a new database on this server and those that can replace it."""
        name = f"drill_{next(_number)}"
        self.run(f"CREATE SCHEMA {name}")
        hosts = ",".join(server.host for server in (self, *others))
        option = quote(f"-csearch_path={name}", safe="")
        return (
            f"postgresql://postgres@{hosts}/postgres?options={option}"
            "&target_session_attrs=read-write"
        )

    def drop_connections(self, number: int, *, committing: bool = False) -> None:
        """End some connections of endpoints; with `committing`, those that run COMMIT."""
        where = "AND query = 'COMMIT' AND state = 'active'" if committing else ""
        self.run(f"{self.terminate} {where} LIMIT {number}")


class PostgreSQLStandby(PostgreSQLServer):
    """A synchronous standby of a primary."""

    def __init__(self, folder: Path, primary: PostgreSQLServer, *options: str) -> None:
        super().__init__(folder, *options)
        self._primary = primary

    def initialize(self) -> None:
        """Copy the primary, which then waits for this standby in every COMMIT."""
        self.execute_command(
            *(POSTGRESQL / "pg_basebackup", "-D", self.folder / "data", "-R", "-c", "fast"),
            *("-h", "127.0.0.1", "-p", str(self._primary.port), "-U", "postgres"),
        )
        self._primary.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self._primary.run("SELECT pg_reload_conf()")

    def promote(self) -> None:
        """Make the standby the primary."""
        self.run("SELECT pg_promote()")


class MariaDBServer(SqlServer):
    """MariaDB with its default settings, and as a node of a Galera cluster with those options."""

    kind, user = "MariaDB", "mysql"

    def initialize(self) -> None:
        """Create the data folder."""
        user = ["--user=mysql"] if os.getuid() == 0 else []
        subprocess.run(
            [
                *("mariadb-install-db", "--no-defaults", *user, f"--datadir={self.folder}/data"),
                *("--auth-root-authentication-method=normal", "--skip-test-db"),
            ],
            check=True,
            capture_output=True,
        )

    def command(self, *options: str) -> list[str]:
        """Return the command that runs the server."""
        # A server that starts deletes the temporary files of others in this folder.
        return [
            *("/usr/sbin/mariadbd", "--no-defaults", f"--datadir={self.folder}/data"),
            f"--tmpdir={self.folder}/data",
            *(f"--socket={self.folder}/socket", f"--port={self.port}", "--bind-address=127.0.0.1"),
            *(f"--{option}" for option in options),
        ]

    def connect(self) -> Any:
        """Open a connection as administrator."""
        place: dict[str, Any] = {"host": "127.0.0.1", "port": self.port, "ssl_disabled": True}
        return pymysql.connect(**place, user="root", autocommit=True, read_timeout=10)

    def new_address(self, *others: SqlServer) -> str:
        """Return the address of a new database on this server and those that can replace it."""
        name = f"drill_{next(_number)}"
        self.run(f"CREATE DATABASE {name}")
        return f"mysql://root@{','.join(server.host for server in (self, *others))}/{name}"

    def drop_connections(self, number: int, *, committing: bool = False) -> None:
        """End some connections of endpoints; with `committing`, those that run COMMIT."""
        where = "AND info LIKE '%COMMIT%'" if committing else ""
        sql = (
            "SELECT id FROM information_schema.processlist WHERE id <> connection_id() "
            f"AND db LIKE 'drill%' {where} ORDER BY rand() LIMIT {number}"
        )
        for (connection,) in self.run(sql):
            with suppress(pymysql.MySQLError):  # it may have ended
                self.run(f"KILL {connection}")

    def is_synced(self) -> bool:
        """Return whether this node of a Galera cluster is part of it and up to date."""
        rows = self.run("SHOW STATUS LIKE 'wsrep_local_state_comment'")
        return rows == [("wsrep_local_state_comment", "Synced")]


@contextmanager
def temporary_folder() -> Generator[Path]:
    """Create a folder that users of servers may enter."""
    with tempfile.TemporaryDirectory(prefix="sql-drill-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextmanager
def single_server(kind: str) -> Generator[PostgreSQLServer | MariaDBServer]:
    """Run one server within the block."""
    with temporary_folder() as folder, ExitStack() as stack:
        new = PostgreSQLServer if kind == "postgresql" else MariaDBServer
        server: PostgreSQLServer | MariaDBServer = new(folder / "1")
        stack.callback(server.kill)
        server.start()
        yield server


@contextmanager
def primary_and_standby() -> Generator[tuple[PostgreSQLServer, PostgreSQLStandby]]:
    """Run PostgreSQL with a synchronous standby within the block."""
    with temporary_folder() as folder, ExitStack() as stack:
        primary = PostgreSQLServer(folder / "1")
        standby = PostgreSQLStandby(folder / "2", primary)
        for server in (primary, standby):
            stack.callback(server.kill)
            server.start()
        state = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
        wait_for(lambda: bool(primary.run(state)), "the standby is not synchronous")
        yield primary, standby


@contextmanager
def galera_cluster(size: int = 3) -> Generator[list[MariaDBServer]]:
    """Run a Galera cluster within the block."""
    ports = [free_port() for _ in range(size)]
    cluster = ",".join(f"127.0.0.1:{port}" for port in ports)
    with temporary_folder() as folder, ExitStack() as stack:
        nodes: list[MariaDBServer] = []
        for number, port in enumerate(ports):
            receive, transfer = free_port(), free_port()
            node = MariaDBServer(
                folder / str(number),
                *("wsrep_on=ON", f"wsrep_provider={GALERA}", "wsrep_node_address=127.0.0.1"),
                *("binlog_format=ROW", "innodb_autoinc_lock_mode=2", "wsrep_sst_method=rsync"),
                *(f"wsrep_cluster_address=gcomm://{cluster}", f"wsrep_node_name=node{number}"),
                f"wsrep_sst_receive_address=127.0.0.1:{transfer}",
                f"wsrep_provider_options=gmcast.listen_addr=tcp://127.0.0.1:{port};"
                f"ist.recv_addr=127.0.0.1:{receive}",
            )
            stack.callback(node.kill)
            node.start(*(["wsrep-new-cluster"] if number == 0 else []))
            wait_for(node.is_synced, f"node {number} is not synchronized")
            nodes.append(node)
        yield nodes


class Endpoint:
    """An endpoint process on a database, which can be killed and replaced."""

    def __init__(self, address: str, environment: Mapping[str, str] | None = None) -> None:
        self.database = address
        self._environment = {**os.environ, **(environment or {})}
        self.port = 0
        self.output = ""
        self.start()

    def start(self) -> None:
        """Start the process; the port stays the same when it is replaced."""
        command = [sys.executable, "-m", "dynamodb_engine", "serve", self.database]
        self._process = subprocess.Popen(
            [*command, "--port", str(self.port), "--feed-records", "1000000"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self._environment,
        )
        assert self._process.stdout is not None
        lines = list[str]()
        for line in self._process.stdout:
            lines.append(line)
            if found := re.search(r"http://127.0.0.1:(\d+)", line):
                self.port = int(found[1])
                self.output += "".join(lines)
                return
        raise RuntimeError(f"the endpoint did not start: {''.join(lines)}")

    @property
    def process_id(self) -> int:
        """Return the id of the process."""
        return self._process.pid

    def freeze(self, *, resume: bool = False) -> None:
        """Stop the process without ending it, or let it go on."""
        if resume:
            self._process.send_signal(signal.SIGCONT)
        else:
            _stop(self._process.pid)

    def kill(self) -> None:
        """Kill the process, and keep what it has printed."""
        self._process.kill()
        self.output += self._process.communicate()[0]


@contextmanager
def endpoints(addresses: Sequence[str]) -> Generator[list[Endpoint]]:
    """Run an endpoint for each address within the block."""
    with ExitStack() as stack:
        running: list[Endpoint] = []
        for address in addresses:
            running.append(Endpoint(address))
            stack.callback(running[-1].kill)
        yield running


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _stop(process: int) -> None:
    """Stop a process, and wait until none of its threads runs: one may answer for a moment."""
    os.kill(process, signal.SIGSTOP)
    threads = Path(f"/proc/{process}/task")

    def is_stopped() -> bool:
        states = [(thread / "stat").read_text() for thread in threads.iterdir()]
        return all(state.rpartition(")")[2].split()[0] == "T" for state in states)

    wait_for(is_stopped, "a process does not stop")


def wait_for(is_done: Callable[[], bool], problem: str) -> None:
    """Wait until something is done; raise if it takes too long."""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        with suppress(psycopg.Error, pymysql.MySQLError):
            if is_done():
                return
        time.sleep(0.1)
    raise RuntimeError(problem)
