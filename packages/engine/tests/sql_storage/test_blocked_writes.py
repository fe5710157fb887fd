"""Locks that another session keeps: a frozen process, or a person who forgot to end a transaction.

Nothing here measures time: a lock is kept until the test ends it, so a write that waited for it
would fail.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from drills.ledger_workload import side_table
from dynamodb_engine import (
    DeleteTable,
    GetItem,
    Item,
    Operation,
    Put,
    PutItem,
    ReadChanges,
    ServiceUnavailable,
    TransactWriteItem,
    TransactWriteItems,
)
from dynamodb_engine.engine.server_engine import ServerEngine
from dynamodb_engine.engine.storage.server import database as database_module
from dynamodb_engine.engine.storage.server import mariadb, postgresql
from dynamodb_engine.engine.storage.server import transaction as transaction_module
from dynamodb_engine.engine.storage.server.dialect import ResultRows, Statement, application_name
from tools.testing.sql_servers import KINDS, TemporaryEngine, open_engine

TABLES = ("first", "second")


def item(key: str, value: str = "new") -> Item:
    return {"pk": {"S": key}, "value": {"S": value}}


# On Galera, locks of keys are also written: here on a server that is no cluster.
@pytest.fixture(params=[*KINDS, *(["mariadb, as on Galera"] if "mariadb" in KINDS else [])])
def engine(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Generator[TemporaryEngine]:
    """Return an engine with two tables of two items each."""
    kind, _, mode = request.param.partition(", ")
    if mode:
        monkeypatch.setattr(
            mariadb.MariaDB, "check_server", lambda dialect, _: dialect.use_galera()
        )
    with open_engine(kind=kind) as engine:
        for table in TABLES:
            engine.execute(side_table(table))
            for key in ("a", "b"):
                engine.execute(PutItem(table, item(key, "old")))
        yield engine


@contextmanager
def forgotten(engine: TemporaryEngine, statement: str) -> Generator[int]:
    """Keep a transaction of another client open within the block, and yield its number."""
    rows = {table: engine._catalog.tables[table].rows.name for table in TABLES}
    schema = engine.database_name
    names = {table: f"{schema}.{name}" for table, name in rows.items()}
    with engine.server._process.connect() as connection, connection.cursor() as cursor:
        function = "pg_backend_pid" if engine.server.kind == "postgresql" else "connection_id"
        cursor.execute(f"SELECT {function}()")
        ((number,),) = cursor.fetchall()
        if engine.server.kind == "mariadb":  # its default also locks the gaps between the items
            cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
        cursor.execute("BEGIN")
        cursor.execute(statement.format(schema=schema, **names))
        yield number
        cursor.execute("ROLLBACK")


def send(engine: ServerEngine, operations: Sequence[Operation[Any]]) -> list[BaseException | None]:
    """Send all at once; return the error of each, or None."""
    with ThreadPoolExecutor(len(operations)) as threads:
        futures: list[Future[Any]] = [threads.submit(engine.execute, o) for o in operations]
        return [future.exception(timeout=60) for future in futures]


def stored(engine: ServerEngine, table: str, key: str) -> str | None:
    found = engine.execute(GetItem(table, {"pk": {"S": key}}, consistent_read=True)).item
    return None if found is None else found["value"]["S"]


OTHERS: list[Operation[Any]] = [
    *(PutItem("second", item(key)) for key in "abcdef"),
    *(PutItem("first", item(key)) for key in "bcdef"),
]


def test_locked_item_is_left_out_and_all_others_are_written(
    engine: TemporaryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_BLOCKED_WAIT", 0.5)
    both = TransactWriteItems(
        [
            TransactWriteItem(put=Put(table, item(key)))
            for table, key in (("second", "x"), ("first", "a"))
        ]
    )
    blocked: list[Operation[Any]] = [PutItem("first", item("a")), both]
    locking = "SELECT * FROM {first} WHERE item LIKE '%\"a\"%' FOR UPDATE"
    if engine.server.kind == "postgresql":
        locking = "SELECT * FROM {first} WHERE encode(item, 'escape') LIKE '%\"a\"%' FOR UPDATE"
    with forgotten(engine, locking) as number:
        errors = send(engine, [*blocked, *OTHERS])
        assert errors[2:] == [None] * len(OTHERS)
        for error, place in zip(errors, ("The item", "Item 2 of the request"), strict=False):
            assert isinstance(error, ServiceUnavailable)
            assert f"{place} in table 'first' is locked" in str(error)
            assert f"process {number}," in str(error)
            assert "since" in str(error)
        # What is known to be locked does not keep later groups waiting.
        assert send(engine, OTHERS) == [None] * len(OTHERS)
    assert (stored(engine, "first", "a"), stored(engine, "second", "x")) == ("old", None)
    assert send(engine, blocked) == [None, None]


def test_locked_table_blocks_no_other(
    engine: TemporaryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_BLOCKED_WAIT", 0.5)
    is_postgresql = engine.server.kind == "postgresql"
    locking = "LOCK TABLE {first} IN SHARE MODE" if is_postgresql else "LOCK TABLES {first} READ"
    writes = [PutItem(table, item(key)) for key in "abc" for table in TABLES]
    with forgotten(engine, locking):
        errors = send(engine, writes)
        assert errors[1::2] == [None] * 3
        for error in errors[::2]:
            assert isinstance(error, ServiceUnavailable)
            assert "table 'first' is locked" in str(error)


def test_blocked_change_of_a_table_lets_writes_pass(
    engine: TemporaryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_BLOCKED_WAIT", 0.5)
    locking = engine._server.dialect.lock_catalog()[0].replace("feed", "{schema}.feed")
    with forgotten(engine, locking):
        changes = [DeleteTable("second"), side_table("third"), side_table("fourth")]
        errors = send(engine, [*changes, *OTHERS])
        assert errors[3:] == [None] * len(OTHERS)
        assert all(isinstance(error, ServiceUnavailable) for error in errors[:3])
    assert send(engine, changes) == [None] * 3


def test_write_waits_for_a_lock_and_is_applied_once(
    engine: TemporaryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    locking = "SELECT * FROM {first} FOR UPDATE"
    waits = threading.Event()
    let_wait = engine._server._let_wait

    def observed(*arguments: Any) -> None:
        let_wait(*arguments)
        waits.set()

    monkeypatch.setattr(engine._server, "_let_wait", observed)
    with ThreadPoolExecutor(1) as threads:
        with forgotten(engine, locking):
            future = threads.submit(engine.execute, PutItem("first", item("a")))
            assert waits.wait(30)
            assert not future.done()
        future.result(30)
    assert stored(engine, "first", "a") == "new"
    assert len(engine.execute(ReadChanges(after=4)).changes) == 1


@contextmanager
def frozen_process(engine: TemporaryEngine) -> Generator[Callable[[], Future[Any]]]:
    """Begin to write in another engine, which does not go on within the block."""
    begun, go_on = threading.Event(), threading.Event()
    with ServerEngine.at(engine.server.address(engine.database_name)) as other:
        run = other._server.dialect.run

        def freezing(connection: Any, statements: Sequence[Statement]) -> list[ResultRows]:
            results = run(connection, statements)
            if any("tables WHERE number" in sql for sql, _ in statements) and not begun.is_set():
                begun.set()
                go_on.wait(60)
            return results

        other._server.dialect.run = freezing  # type: ignore[method-assign]
        with ThreadPoolExecutor(1) as threads:
            future = threads.submit(other.execute, PutItem("first", item("a", "late")))
            assert begun.wait(30)

            def resume() -> Future[Any]:
                go_on.set()
                return future

            try:
                yield resume
            finally:
                go_on.set()


def test_frozen_process_loses_its_locks_and_writes_again(
    engine: TemporaryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(postgresql._SETTINGS, "idle_in_transaction_session_timeout", "1s")
    quick = mariadb._SET.replace("idle_transaction_timeout = 5", "idle_transaction_timeout = 1")
    monkeypatch.setattr(mariadb, "_SET", quick)
    with frozen_process(engine) as resume:
        writes = [PutItem("first", item("a")), *OTHERS]
        assert send(engine, writes) == [None] * len(writes)
        assert stored(engine, "first", "a") == "new"
        error = resume().exception(60)
    # The server closed the connection before the COMMIT, which PostgreSQL says.
    assert error is None or error.outcome_unknown  # type: ignore[attr-defined]
    assert stored(engine, "first", "a") == ("late" if error is None else "new")


def test_transaction_that_took_too_long_is_not_committed_but_repeated(
    engine: TemporaryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction_module, "IDLE_LIMIT", 0)
    with pytest.raises(ServiceUnavailable, match="overloaded, or was suspended"):
        engine.execute(PutItem("first", item("a")))
    assert stored(engine, "first", "a") == "old"


def test_sessions_have_a_name_and_limits(engine: TemporaryEngine) -> None:
    dialect = engine._server.dialect
    with engine._server._pool.connection() as connection:
        if engine.server.kind == "postgresql":
            settings = ("lock_timeout", "idle_in_transaction_session_timeout", "application_name")
            select = ", ".join(f"current_setting('{name}')" for name in settings)
            expected: tuple[Any, ...] = ("1s", "5s", application_name())
        else:
            names = ("innodb_lock_wait_timeout", "lock_wait_timeout", "idle_transaction_timeout")
            select = ", ".join(f"@@{name}" for name in names)
            expected = (1, 1, 5)
            assert connection._connect_attrs["program_name"] == application_name()
        assert dialect.run(connection, [(f"SELECT {select}", ())]) == [[expected]]


@pytest.mark.skipif("postgresql" not in KINDS, reason="another server is tested")
def test_limits_of_the_address_are_kept() -> None:
    with open_engine(kind="postgresql") as engine:
        address = engine.server.address(engine.database_name)
        with ServerEngine.at(f"{address}%20-clock_timeout%3D7s&application_name=votes") as other:
            select = "SELECT current_setting('lock_timeout'), current_setting('application_name')"
            with other._server._pool.connection() as connection:
                rows = other._server.dialect.run(connection, [(select, ())])
        assert rows == [[("7s", "votes")]]
