"""What runs after a commit: it cannot fail the writes, which are done."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pymysql
import pytest

from drills.ledger_workload import side_table
from dynamodb_engine import DeleteTable, ListTables, PutItem, Scan
from dynamodb_engine.engine import Retention, Settings, server_catalog
from dynamodb_engine.engine.server_engine import ServerEngine
from dynamodb_engine.engine.storage.server.dialect import ResultRows, Statement
from dynamodb_engine.errors import EngineClosed, ServiceUnavailable
from tools.testing.sql_servers import KINDS, new_address, open_engine

FAILURES: list[Exception] = [
    KeyError(7),
    EngineClosed("closed"),
    ServiceUnavailable("down"),
    psycopg.OperationalError("No answer for 30 seconds"),
    pymysql.OperationalError(2013, "Lost connection to MySQL server during query"),
]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: type(failure).__module__)
@pytest.mark.parametrize("kind", KINDS)
def test_failure_after_commit_fails_no_write(
    kind: str, failure: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise failure

    with open_engine(kind=kind) as engine:
        engine._server.after_commit = fail
        engine.execute(side_table("side"))
        engine.execute(PutItem("side", {"pk": {"S": "a"}}))
        assert engine.execute(Scan("side")).count == 1
        engine.execute(DeleteTable("side"))
        assert engine.execute(ListTables()).table_names == []
    assert len(caplog.records) >= 3


# The answers of a connection that is used again would be those to earlier statements.
@pytest.mark.parametrize("kind", KINDS)
def test_connection_that_failed_after_commit_is_not_used_again(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_catalog, "BLOCK", 1)
    failed = list[Any]()
    with open_engine(kind=kind) as engine:
        engine.execute(side_table("side"))
        dialect = engine._server.dialect
        run = dialect.run

        def failing(connection: Any, statements: Sequence[Statement]) -> list[ResultRows]:
            if "sum(coalesce" in statements[0][0]:  # the sizes of the changes
                failed.append(connection)
                raise dialect.errors[0]
            return run(connection, statements)

        monkeypatch.setattr(dialect, "run", failing)
        for name in ("a", "b"):
            engine.execute(PutItem("side", {"pk": {"S": name}}))
        assert failed
        assert not set(map(id, failed)) & set(map(id, engine._server._pool._idle))
        assert engine.execute(Scan("side")).count == 2


@pytest.mark.parametrize("kind", KINDS)
def test_tables_are_created_and_deleted_while_the_feed_is_trimmed(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_catalog, "BLOCK", 1)
    address = new_address(kind)
    settings = Settings(retention=Retention(records=1))

    def run_process(number: int) -> None:
        with ServerEngine.at(address, settings) as engine, ThreadPoolExecutor(3) as threads:
            works = [create_and_delete, create_and_delete, put_many]
            list(threads.map(lambda work: work(engine, number), works))

    def put_many(engine: ServerEngine, number: int) -> None:
        engine.execute(side_table(f"filled-{number}"))
        for count in range(40):
            engine.execute(PutItem(f"filled-{number}", {"pk": {"S": str(count)}}))

    def create_and_delete(engine: ServerEngine, number: int) -> None:
        name = f"table-{number}-{next(numbers)}"
        for _ in range(5):
            engine.execute(side_table(name))
            engine.execute(PutItem(name, {"pk": {"S": "a"}}))
            engine.execute(DeleteTable(name))

    numbers = iter(range(10))
    with ThreadPoolExecutor(2) as processes:
        list(processes.map(run_process, range(2)))
    with ServerEngine.at(address) as engine:
        assert engine.execute(ListTables()).table_names == ["filled-0", "filled-1"]


# A thread that others see before it has started cannot be joined.
def test_filler_is_known_after_it_has_started(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[object]()
    start: Callable[[Any], None] = threading.Thread.start

    with open_engine(kind=KINDS[0]) as engine:

        def observed(thread: Any) -> None:
            if thread.name == "singletable-fill":
                seen.append(engine._filler)
            start(thread)

        monkeypatch.setattr(threading.Thread, "start", observed)
        monkeypatch.setattr(engine, "_unfilled", lambda: iter([object()] if not seen else []))
        engine._start_filling()
        assert seen == [None]
        assert engine._filler is not None
