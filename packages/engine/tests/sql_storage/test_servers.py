"""What only SQL servers do: conflicts, lost connections, replicas, pools, estimates, addresses."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import psycopg
import pymysql
import pytest

from dynamodb_engine import AddressError, StorageError, addresses
from dynamodb_engine.addresses import hide_password
from dynamodb_engine.engine.server_engine import ServerEngine
from dynamodb_engine.engine.storage.server import database as database_module
from dynamodb_engine.engine.storage.server import pipeline as pipeline_module
from dynamodb_engine.engine.storage.server import rows as rows_module
from dynamodb_engine.engine.storage.server.dialect import FORMAT, ResultRows, Statement
from dynamodb_engine.errors import (
    EngineClosed,
    InternalError,
    ServiceUnavailable,
    TransactionConflict,
)
from dynamodb_engine.operations import (
    AttributeDefinition,
    BatchGetItem,
    BatchWriteItem,
    CreateTable,
    DescribeTable,
    Get,
    GetItem,
    KeysAndAttributes,
    KeySchemaElement,
    ListTables,
    PutItem,
    PutRequest,
    ReadChanges,
    Scan,
    TransactGetItem,
    TransactGetItems,
    TransactWriteItem,
    TransactWriteItems,
    Update,
    WriteRequest,
)
from dynamodb_engine.values import Item
from tools.testing.sql_servers import KINDS, TemporaryEngine, open_engine

TABLE = "votes"
KEY: Item = {"pk": {"S": "a"}}
ADD = TransactWriteItems(
    [
        TransactWriteItem(
            update=Update(
                TABLE, KEY, "ADD n :one", expression_attribute_values={":one": {"N": "1"}}
            )
        )
    ],
    client_request_token="token",
)
CONFLICTS: dict[str, Exception] = {
    "postgresql": psycopg.errors.DeadlockDetected("deadlock detected"),
    "mariadb": pymysql.OperationalError(1213, "Deadlock found"),
}
LOST: dict[str, Exception] = {
    "postgresql": psycopg.OperationalError("server closed the connection unexpectedly"),
    "mariadb": pymysql.OperationalError(2013, "Lost connection to MySQL server"),
}


@pytest.fixture(params=KINDS)
def engine(request: pytest.FixtureRequest) -> Iterator[TemporaryEngine]:
    """Return an engine with a table on each server."""
    with open_engine(kind=request.param) as engine:
        engine.execute(
            CreateTable(
                table_name=TABLE,
                key_schema=[KeySchemaElement("pk", "HASH")],
                attribute_definitions=[AttributeDefinition("pk", "S")],
                billing_mode="PAY_PER_REQUEST",
            )
        )
        yield engine


def fail(
    engine: TemporaryEngine,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    times: int,
    *,
    when: Callable[[Sequence[Statement]], bool],
    after: bool = False,
) -> list[int]:
    """Raise an error for the next round trips that `when` chooses; return a list that counts."""
    dialect, failures = engine._server.dialect, list[int]()
    run = dialect.run

    def failing(connection: Any, statements: Sequence[Statement]) -> list[ResultRows]:
        if len(failures) == times or not when(statements):
            return run(connection, statements)
        failures.append(1)
        if after:
            run(connection, statements)
        raise error

    monkeypatch.setattr(dialect, "run", failing)
    return failures


def begins(statements: Sequence[Statement]) -> bool:
    """Return whether a round trip begins a transaction."""
    return statements[0][0].startswith(("BEGIN", "START"))


def commits(statements: Sequence[Statement]) -> bool:
    """Return whether a round trip ends with COMMIT."""
    return statements[-1][0] == "COMMIT"


def value(engine: ServerEngine) -> str | None:
    """Return the number in the item."""
    item = engine.execute(GetItem(TABLE, KEY, consistent_read=True)).item
    return None if item is None else item["n"]["N"]


@pytest.mark.parametrize("where", [begins, commits])
def test_conflicts_are_repeated_and_then_reported(
    engine: TemporaryEngine,
    monkeypatch: pytest.MonkeyPatch,
    where: Callable[[Sequence[Statement]], bool],
) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    failures = fail(engine, monkeypatch, CONFLICTS[engine.server.kind], 3, when=where)
    engine.execute(ADD)
    assert (len(failures), value(engine)) == (3, "1")
    monkeypatch.undo()
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    fail(engine, monkeypatch, CONFLICTS[engine.server.kind], 99, when=where)
    with pytest.raises(TransactionConflict):
        engine.execute(PutItem(TABLE, KEY))
    assert value(engine) == "1"


@pytest.mark.parametrize("is_applied", [True, False])
def test_lost_commit_has_unknown_outcome(
    engine: TemporaryEngine, monkeypatch: pytest.MonkeyPatch, is_applied: bool
) -> None:
    error = LOST[engine.server.kind]
    fail(engine, monkeypatch, error, 1, when=commits, after=is_applied)
    with pytest.raises(InternalError, match="may or may not") as raised:
        engine.execute(ADD)
    assert raised.value.outcome_unknown
    assert value(engine) == ("1" if is_applied else None)
    engine.execute(ADD)  # the token settles it
    assert value(engine) == "1"


def test_connection_lost_before_commit_is_replaced(
    engine: TemporaryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = fail(engine, monkeypatch, LOST[engine.server.kind], 2, when=begins, after=True)
    engine.execute(ADD)
    assert (len(failures), value(engine)) == (2, "1")


def test_connections_closed_by_the_server_are_replaced(engine: TemporaryEngine) -> None:
    engine.execute(ADD)
    if engine.server.kind == "postgresql":
        engine.server.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        )
    else:
        for number, *_ in engine.server.run("SHOW PROCESSLIST"):
            with suppress(pymysql.MySQLError):
                engine.server.run(f"KILL {number}")
    assert value(engine) == "1"
    engine.execute(PutItem(TABLE, KEY))


def test_exhausted_pool_is_unavailable(
    engine: TemporaryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_WAIT", 0.05)
    address = engine.server.address(engine.database_name)
    with ServerEngine.at(f"{address}&connections=2") as small:
        taken, go_on = threading.Semaphore(0), threading.Event()

        def hold() -> None:
            with small._server._pool.connection():
                taken.release()
                go_on.wait()

        holders = [threading.Thread(target=hold) for _ in range(2)]
        for holder in holders:
            holder.start()
        for _ in holders:
            taken.acquire()
        try:
            for operation in (GetItem(TABLE, KEY), PutItem(TABLE, KEY)):
                with pytest.raises(ServiceUnavailable, match="All connections"):
                    small.execute(operation)
        finally:
            go_on.set()
            for holder in holders:
                holder.join()
        small.execute(PutItem(TABLE, KEY))


def test_eventually_consistent_reads_use_the_replica(engine: TemporaryEngine) -> None:
    engine.execute(PutItem(TABLE, KEY | {"n": {"N": "1"}}))
    old = engine.server.copy(engine.database_name)
    engine.execute(PutItem(TABLE, KEY | {"n": {"N": "2"}}))
    replica = quote(engine.server.address(old), safe="")
    address = f"{engine.server.address(engine.database_name)}&replica={replica}"
    old_item, item = (KEY | {"n": {"N": number}} for number in ("1", "2"))
    with ServerEngine.at(address) as other:
        for consistent, expected in ((False, old_item), (None, old_item), (True, item)):
            assert other.execute(GetItem(TABLE, KEY, consistent_read=consistent)).item == expected
            assert other.execute(Scan(TABLE, consistent_read=consistent)).items == [expected]
        got = other.execute(TransactGetItems([TransactGetItem(Get(TABLE, KEY))])).responses
        assert [response.item for response in got] == [item]
        keys = {TABLE: KeysAndAttributes([KEY], consistent_read=True)}
        assert other.execute(BatchGetItem(keys)).responses == {TABLE: [item]}
    engine.server.used.append(old)


def test_replica_that_fails_is_replaced_by_the_primary_for_a_while(
    engine: TemporaryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.execute(PutItem(TABLE, KEY))
    scheme = "postgresql" if engine.server.kind == "postgresql" else "mysql"
    address = engine.server.address(engine.database_name)
    with ServerEngine.at(f"{address}&replica={scheme}://x@127.0.0.1:1/x") as other:
        assert other.execute(GetItem(TABLE, KEY)).item == KEY
        monkeypatch.delattr(other._server._replica, "dialect")  # using it again would fail
        assert other.execute(GetItem(TABLE, KEY)).item == KEY


def test_large_tables_are_counted_by_estimate(
    engine: TemporaryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows_module, "_EXACT_COUNT", 20)
    for number in range(15):
        engine.execute(PutItem(TABLE, {"pk": {"S": f"{number:02}"}}))
    described = engine.execute(DescribeTable(TABLE)).table
    assert (described.item_count, described.table_size_bytes) == (15, 60)
    for number in range(15, 40):
        engine.execute(PutItem(TABLE, {"pk": {"S": f"{number:02}"}}))
    engine.server.run(
        f"ANALYZE {'TABLE ' if engine.server.kind == 'mariadb' else ''}"
        f"{engine.database_name}.{engine._catalog.tables[TABLE].rows.name}"
    )
    described = engine.execute(DescribeTable(TABLE)).table
    assert described.item_count >= 21
    assert described.table_size_bytes == 4 * described.item_count


def test_prepared_statements_are_dropped_again_and_again(
    engine: TemporaryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline_module, "_MAX_PREPARED", 4)
    for number in range(60):
        engine.execute(PutItem(TABLE, KEY | {"n": {"N": str(number)}}))
        engine.execute(Scan(TABLE, limit=1 + number % 3))
        assert value(engine) == str(number)


# A statement for all rows would exceed the 16 MB that MariaDB accepts.
def test_batch_of_the_largest_items_is_written(engine: TemporaryEngine) -> None:
    items: list[Item] = [{"pk": {"S": f"{n}"}, "s": {"S": "'" * 390_000}} for n in range(25)]
    puts = [WriteRequest(PutRequest(item)) for item in items]
    engine.execute(BatchWriteItem({TABLE: puts}))
    for item in items:
        assert engine.execute(GetItem(TABLE, {"pk": item["pk"]})).item == item
    changes = engine.execute(ReadChanges(after=0, limit=100)).changes
    assert [change.position for change in changes] == list(range(1, 26))


def test_closed_engine_says_so(engine: TemporaryEngine) -> None:
    other = ServerEngine.at(engine.server.address(engine.database_name))
    other.close()
    other.close()
    with pytest.raises(EngineClosed):
        other.execute(GetItem(TABLE, KEY))


def test_closing_leaves_no_write_waiting(
    engine: TemporaryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = ServerEngine.at(engine.server.address(engine.database_name))
    dialect, begun, go_on = other._server.dialect, threading.Event(), threading.Event()
    run = dialect.run

    def waiting(connection: Any, statements: Sequence[Statement]) -> list[ResultRows]:
        if begins(statements):
            begun.set()
            go_on.wait()
        return run(connection, statements)

    monkeypatch.setattr(dialect, "run", waiting)
    with ThreadPoolExecutor(8) as threads:
        first = [threads.submit(other.execute, PutItem(TABLE, KEY)) for _ in range(6)]
        begun.wait()
        closing = threads.submit(other.close)
        while not other._server._writers._shutdown:
            time.sleep(0.001)
        last = threads.submit(other.execute, PutItem(TABLE, KEY))
        go_on.set()
        futures: list[Future[Any]] = [*first, last, closing]
        errors = [future.exception(timeout=20) for future in futures]
    assert all(error is None or isinstance(error, EngineClosed) for error in errors)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("postgresql:votes", "'postgresql:' needs a server and a database"),
        ("mysql://root@localhost", "The address needs a database"),
        ("mysql://root@localhost/x?speed=1", "Unknown option 'speed'"),
        ("mysql://root@localhost/x?tls=maybe", "Expected ?tls=required or ?tls=off"),
        ("postgresql://localhost/x?connections=1", "Expected 2 to 1000 connections"),
        ("mysql://localhost/x?timeout=0", "Expected 1 to 1000 seconds as the timeout"),
    ],
)
def test_bad_address_is_rejected(address: str, message: str) -> None:
    with pytest.raises(AddressError) as raised:
        addresses.open_engine(address)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    "address", ["postgresql://x:secret@127.0.0.1:1/x", "mysql://x:secret@127.0.0.1:1/x"]
)
def test_unreachable_server_is_reported_without_the_password(address: str) -> None:
    with pytest.raises(ServiceUnavailable, match="cannot be reached") as raised:
        addresses.open_engine(address)
    assert "secret" not in str(raised.value)
    assert "secret" not in hide_password(address)


@pytest.mark.parametrize("kind", KINDS)
def test_database_of_another_format_is_rejected(kind: str) -> None:
    with open_engine(kind=kind) as engine:
        engine.server.run(f"UPDATE {engine.database_name}.storage SET format = 99")
        with pytest.raises(StorageError, match="has format 99"):
            ServerEngine.at(engine.server.address(engine.database_name))
        engine.server.run(f"UPDATE {engine.database_name}.storage SET format = {FORMAT}")


def test_lease_is_given_to_one_engine_until_it_ends(engine: TemporaryEngine) -> None:
    with ServerEngine.at(engine.server.address(engine.database_name)) as other:
        assert [e._take_lease("job") for e in (engine, other, engine)] == [True, False, True]
        assert other._take_lease("another job")
        other._end_lease("job")
        assert not other._take_lease("job")
        engine._end_lease("job")
        assert [e._take_lease("job") for e in (other, engine)] == [True, False]
        table = f"{engine.database_name}.leases"
        engine.server.run(f"UPDATE {table} SET until = 1 WHERE name = 'job'")
        assert engine._take_lease("job")


# Ctrl-C in a thread that writes for others, too.
@pytest.mark.parametrize("kind", KINDS)
def test_interrupt_of_a_writer_leaves_others_an_unknown_outcome(kind: str) -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    with open_engine(kind=kind) as engine:
        database = engine._server
        other = database_module.ServerWrite.create(lambda _: None, lambda _: (), 1, math.inf)
        database._pending.append(other)
        with pytest.raises(KeyboardInterrupt):
            database.write(interrupt, lambda _: ())
        error = other.future.exception(10)
        assert isinstance(error, InternalError)
        assert error.outcome_unknown
        assert engine.execute(ListTables()).table_names == []
