"""Addresses with several hosts, few connections, and servers that cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pymysql
import pytest

from drills.ledger_workload import side_table
from dynamodb_engine import ListTables, StorageError
from dynamodb_engine.engine.server_engine import ServerEngine
from dynamodb_engine.engine.storage.server.mariadb import MariaDB, _parameters
from dynamodb_engine.engine.storage.server.postgresql import PostgreSQL
from tools.testing.sql_servers import KINDS, new_address, running_server

needs_postgresql = pytest.mark.skipif("postgresql" not in KINDS, reason="another server is tested")
needs_mariadb = pytest.mark.skipif("mariadb" not in KINDS, reason="another server is tested")


# Each create uses a second connection, so two at a time would wait for each other forever.
@pytest.mark.parametrize("kind", KINDS)
def test_concurrent_creates_need_only_two_connections(kind: str) -> None:
    with (
        ServerEngine.at(f"{new_address(kind)}&connections=2") as engine,
        ThreadPoolExecutor(4) as threads,
    ):
        list(threads.map(lambda n: engine.execute(side_table(f"side-{n}")), range(4)))
        assert len(engine.execute(ListTables()).table_names) == 4


@needs_postgresql
def test_first_host_that_is_down_is_skipped_on_postgresql() -> None:
    address = new_address("postgresql").replace("host=", "host=/nowhere,")
    with ServerEngine.at(f"{address}&target_session_attrs=read-write") as engine:
        assert engine.execute(ListTables()).table_names == []


def test_mysql_address_can_have_several_hosts() -> None:
    places = _parameters("mysql://ada:p%40ss@a,b:3307/votes")
    assert [(one["host"], one["port"]) for one in places] == [("a", 3306), ("b", 3307)]
    assert {(one["user"], one["password"], one["database"]) for one in places} == {
        ("ada", b"p@ss", "votes")
    }


@pytest.fixture
def read_only() -> Iterator[None]:
    """Make the server refuse writes, except those of administrators."""
    server = running_server("mariadb")
    server.run("SET GLOBAL read_only = 1")
    yield
    server.run("SET GLOBAL read_only = 0")


@needs_mariadb
@pytest.mark.usefixtures("read_only")
def test_host_that_only_reads_is_the_last_choice_on_mariadb(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address = new_address("mariadb").replace("@localhost/", "@a,b/")
    hosts: list[str] = []
    connect = pymysql.connect

    def record(**arguments: object) -> object:
        hosts.append(str(arguments["host"]))
        return connect(**arguments)  # type: ignore[call-overload]

    monkeypatch.setattr(pymysql, "connect", record)
    MariaDB().close(MariaDB().connect(address))
    assert hosts == ["a", "b"]


@needs_postgresql
def test_cockroachdb_is_refused() -> None:
    server = running_server("postgresql")
    name = server.create()
    server.run(
        f"CREATE FUNCTION {name}.version() RETURNS text LANGUAGE sql "
        "AS $$ SELECT 'CockroachDB CCL v25.2.0 (x86_64-pc-linux-gnu)' $$"
    )
    with pytest.raises(StorageError, match="CockroachDB cannot be used"):
        ServerEngine.at(server.address(name).replace(name, f"{name}%2Cpg_catalog"))


# A standby answers reads and rejects writes: the next connection may be to the primary.
def test_server_that_only_reads_counts_as_lost() -> None:
    assert PostgreSQL().classify(psycopg.errors.ReadOnlySqlTransaction()) == "lost"
    assert MariaDB().classify(pymysql.OperationalError(1290, "read-only")) == "lost"


# A node that left its cluster does not know whether the others committed.
def test_error_during_commit_on_galera_is_unknown() -> None:
    assert MariaDB().classify(pymysql.OperationalError(1180, "error 6 during COMMIT")) == "lost"
