"""The engine: sync and async, threads, reopening, copies, and idempotency tokens."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from drills.concurrency import frequent_switches, run_table_changes
from dynamodb_engine.engine import AsyncEngine, Engine, Settings
from dynamodb_engine.engine.handlers import HANDLERS
from dynamodb_engine.engine.storage import Execute
from dynamodb_engine.engine.storage.sqlite.writer import WriteGroup
from dynamodb_engine.errors import (
    ConditionFailed,
    EngineClosed,
    EngineError,
    IdempotentParameterMismatch,
    OperationError,
    ResourceNotFound,
    ValidationError,
)
from dynamodb_engine.operations import (
    AttributeDefinition,
    CreateTable,
    DescribeTable,
    GetItem,
    KeySchemaElement,
    ListTables,
    Operation,
    Put,
    PutItem,
    ReadChanges,
    Scan,
    TransactWriteItem,
    TransactWriteItems,
    UpdateItem,
)
from dynamodb_engine.values import Item
from tests.conformance.requests import number
from tests.conformance.tables import make_table, put, stored
from tests.conformance.transaction_actions import key, updating
from tools.testing.clock import NOON, Clock
from tools.testing.processes import create_table, with_table

THINGS = create_table("things")
VOTES = CreateTable(
    "vote_data",
    [AttributeDefinition("PK", "S"), AttributeDefinition("SK", "S")],
    [KeySchemaElement("PK", "HASH"), KeySchemaElement("SK", "RANGE")],
    billing_mode="PAY_PER_REQUEST",
)
QUICK = Settings(durable=False)


def test_async_engine_executes_operations(tmp_path: Path) -> None:
    async def run(engine: Engine) -> None:
        async with AsyncEngine(engine) as driver:
            await driver.execute(THINGS)
            puts = [PutItem("things", {"pk": {"S": str(n)}}) for n in range(50)]
            await asyncio.gather(*[driver.execute(put) for put in puts])
            assert (await driver.execute(Scan("things"))).count == 50
            with pytest.raises(ValidationError):
                await driver.execute(GetItem("things", {}))

    asyncio.run(run(Engine.in_memory()))
    asyncio.run(run(Engine.on_file(tmp_path / "things.db")))


def test_concurrent_counters_lose_no_increment(tmp_path: Path) -> None:
    with Engine.on_file(tmp_path / "counter.db") as engine:
        engine.execute(THINGS)
        add = UpdateItem(
            "things",
            {"pk": {"S": "counter"}},
            update_expression="ADD hits :one",
            expression_attribute_values={":one": {"N": "1"}},
        )

        def work() -> None:
            for _ in range(25):
                engine.execute(add)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        item = engine.execute(GetItem("things", {"pk": {"S": "counter"}})).item
        assert item is not None
        assert item["hits"] == {"N": "100"}


def test_tables_and_items_are_stored_across_reopening(tmp_path: Path) -> None:
    with Engine.on_file(tmp_path / "kept.db") as engine:
        engine.execute(THINGS)
        engine.execute(PutItem("things", {"pk": {"S": "ada"}}))
    with Engine.on_file(tmp_path / "kept.db") as engine:
        assert engine.execute(ListTables()).table_names == ["things"]
        assert engine.execute(GetItem("things", {"pk": {"S": "ada"}})).item == {"pk": {"S": "ada"}}


# A table whose creation failed must not be in the catalog without being in the database.
def test_failed_table_creation_leaves_no_table() -> None:
    with Engine.in_memory() as engine:
        engine.execute(THINGS)
        with pytest.raises(OperationError):
            engine.execute(THINGS)
        assert engine.execute(ListTables()).table_names == ["things"]


def test_table_arn_has_account_and_region() -> None:
    settings = Settings(account="123456789012", region="eu-west-2", clock=lambda: 1000.0)
    with Engine.in_memory(settings) as engine:
        engine.execute(THINGS)
        table = engine.execute(DescribeTable("things")).table
        assert table.table_arn == "arn:aws:dynamodb:eu-west-2:123456789012:table/things"
        assert table.creation_date_time == 1000.0
        # DynamoDB accepts the ARN wherever it accepts the name.
        engine.execute(PutItem(table.table_arn, {"pk": {"S": "by arn"}}))
        assert engine.execute(Scan(table.table_arn)).count == 1


def test_closed_engine_raises_engine_closed() -> None:
    engine = Engine.in_memory()
    engine.close()
    with pytest.raises(EngineClosed):
        engine.execute(ListTables())


def test_unknown_operation_is_rejected() -> None:
    class UnknownOperation(Operation[None], frozen=True):
        pass

    with Engine.in_memory() as engine, pytest.raises(EngineError, match="UnknownOperation"):
        engine.execute(UnknownOperation())


# A reader may look up a table in memory that another thread has dropped, or not yet created, in the
# file. It must get the same error as for any missing table.
def test_reading_while_tables_are_created_and_dropped_raises_resource_not_found_only(
    tmp_path: Path,
) -> None:
    with frequent_switches(), Engine.on_file(tmp_path / "busy.db", QUICK) as engine:
        assert run_table_changes(engine, turns=60) == []


# After a schema change, a read waits for the write lock, which a backfill can hold for a long time.
def test_event_loop_answers_while_a_read_waits_for_a_long_write(tmp_path: Path) -> None:
    async def run(engine: Engine) -> None:
        engine.execute(THINGS)
        rows = "items_1"
        ((schema,),) = engine._database.read(
            lambda execute: list(execute("SELECT sql FROM sqlite_schema WHERE name = ?", (rows,)))
        )
        engine._database.write(lambda execute: execute(f"DROP TABLE {rows}"))
        began, go_on = threading.Event(), threading.Event()

        def create_slowly(execute: Execute) -> None:
            began.set()
            assert go_on.wait(30)
            execute(str(schema))

        writing = asyncio.create_task(asyncio.to_thread(engine._database.write, create_slowly))
        await asyncio.to_thread(began.wait, 30)
        reading = asyncio.create_task(engine.execute_async(Scan("things")))
        await asyncio.sleep(0)  # the read begins, and does not find the rows
        assert (await engine.execute_async(ListTables())).table_names == ["things"]
        assert not reading.done()
        go_on.set()
        await writing
        assert (await reading).count == 0

    with Engine.on_file(tmp_path / "things.db", QUICK) as engine:
        asyncio.run(run(engine))


@pytest.mark.parametrize(("length", "is_long"), [(100, False), (600, True)])
def test_write_with_a_long_expression_does_not_block_the_event_loop(
    tmp_path: Path, length: int, is_long: bool
) -> None:
    threads: list[int] = []

    def clock() -> float:
        threads.append(threading.get_ident())
        return NOON

    settings = Settings(durable=False, clock=clock)
    update = UpdateItem("things", key("a"), update_expression="REMOVE x".ljust(length))
    with Engine.on_file(tmp_path / "things.db", settings) as engine:
        engine.execute(THINGS)
        asyncio.run(engine.execute_async(update))
    assert (threads[-1] != threading.get_ident()) == is_long


# An interrupt between the writes of a group and its commit must undo them in memory, too.
def test_table_whose_creation_was_interrupted_does_not_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: WriteGroup) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    with Engine.on_file(tmp_path / "things.db", QUICK) as engine:
        monkeypatch.setattr(WriteGroup, "commit", interrupt)
        with pytest.raises(KeyboardInterrupt):
            engine.execute(THINGS)
        with pytest.raises(ResourceNotFound):
            engine.execute(PutItem("things", {"pk": {"S": "a"}}))
        engine.execute(THINGS)
        engine.execute(PutItem("things", {"pk": {"S": "a"}}))
        assert [change.position for change in engine.execute(ReadChanges(0)).changes] == [1]


# A traceback shows the class of an error, so it must be one of dynamodb_engine.errors.
@pytest.mark.parametrize(
    "operation",
    [
        PutItem("things", {"pk": {"S": "a"}, "text": {"S": "x" * 500_000}}),
        UpdateItem(
            "things",
            {"pk": {"S": "a"}},
            update_expression="SET #t = :t",
            expression_attribute_names={"#t": "text"},
            expression_attribute_values={":t": {"S": "x" * 500_000}},
        ),
        Scan(
            "things",
            filter_expression="pk = :a",
            expression_attribute_values={":a": {"NS": []}},
        ),
    ],
    ids=["large put", "large update", "invalid value"],
)
def test_validation_error_is_of_the_public_class(operation: Operation[object]) -> None:
    with Engine.in_memory() as engine:
        engine.execute(THINGS)
        with pytest.raises(ValidationError) as raised:
            engine.execute(operation)
    assert type(raised.value) is ValidationError


ADA: Item = {"PK": {"S": "ada"}, "SK": {"S": "1"}}
BEN: Item = {"PK": {"S": "ben"}, "SK": {"S": "1"}}


@pytest.fixture(params=["memory", "file"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    on_disk = Settings(durable=False)
    file = request.param == "file"
    with Engine.on_file(tmp_path / "t.db", on_disk) if file else Engine.in_memory() as engine:
        engine.execute(VOTES)
        engine.execute(PutItem("vote_data", ADA))
        yield engine


def test_copy_has_the_items_and_changes_of_the_engine(engine: Engine) -> None:
    with engine.copy() as copy:
        assert copy.execute(GetItem("vote_data", ADA)).item == ADA
        assert len(copy.execute(ReadChanges(0)).changes) == 1


def test_copies_are_independent(engine: Engine) -> None:
    with engine.copy() as copy, copy.copy() as third:
        copy.execute(PutItem("vote_data", BEN))
        engine.execute(PutItem("vote_data", {**ADA, "new": {"BOOL": True}}))
        assert engine.execute(GetItem("vote_data", BEN)).item is None
        assert third.execute(GetItem("vote_data", BEN)).item is None
        assert copy.execute(GetItem("vote_data", ADA)).item == ADA
        assert len(third.execute(ReadChanges(0)).changes) == 1


def test_copy_outlives_its_engine(tmp_path: Path) -> None:
    with Engine.on_file(tmp_path / "t.db") as engine:
        engine.execute(VOTES)
        copy = engine.copy()
    with copy:
        copy.execute(PutItem("vote_data", ADA))
        assert copy.execute(GetItem("vote_data", ADA)).item == ADA


def test_token_used_in_a_copy_is_unused_elsewhere(engine: Engine) -> None:
    action = Put("vote_data", BEN, condition_expression="attribute_not_exists(PK)")
    once = TransactWriteItems([TransactWriteItem(put=action)], client_request_token="one")
    with engine.copy() as copy, engine.copy() as other:
        copy.execute(once)
        copy.execute(once)
        other.execute(once)
        assert other.execute(GetItem("vote_data", BEN)).item == BEN
        with pytest.raises(ConditionFailed):
            other.execute(
                PutItem("vote_data", BEN, condition_expression="attribute_not_exists(PK)")
            )


def test_copy_can_grow(engine: Engine) -> None:
    with engine.copy() as copy:
        for count in range(300):
            copied: Item = {"PK": {"S": "x"}, "SK": {"S": f"{count:04}"}}
            copy.execute(PutItem("vote_data", {**copied, "text": {"S": "x" * 50_000}}))
        last = copy.execute(GetItem("vote_data", {"PK": {"S": "x"}, "SK": {"S": "0299"}}))
        assert last.item is not None


@pytest.mark.parametrize(("later", "counted"), [(0, 1), (599, 1), (600, 2), (601, 2)])
def test_idempotency_token_is_stored_for_ten_minutes(later: float, counted: int) -> None:
    clock = Clock()
    with Engine.in_memory(Settings(clock=clock)) as engine:
        table = make_table(engine, pk="S")
        put(engine, table, key("a") | {"n": number(0)})
        action = updating(table, key("a"), "SET n = n + :one", one=number(1))
        request = TransactWriteItems([action], client_request_token="token")
        engine.execute(request)
        clock.now += later
        engine.execute(request)
        assert stored(engine, table, key("a")) == key("a") | {"n": number(counted)}


# Tokens are for callers that repeat a request because the process died.
def test_idempotency_token_survives_reopening(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    with Engine.on_file(path) as engine:
        table = make_table(engine, pk="S")
        action = updating(table, key("a"), "ADD n :one", one=number(1))
        request = TransactWriteItems([action], client_request_token="token")
        engine.execute(request)
    with Engine.on_file(path) as engine:
        engine.execute(request)
        assert stored(engine, table, key("a")) == key("a") | {"n": number(1)}
        other = updating(table, key("a"), "ADD n :two", two=number(2))
        with pytest.raises(IdempotentParameterMismatch):
            engine.execute(TransactWriteItems([other], client_request_token="token"))


# Such a read has no transaction, so that only one statement sees a snapshot.
@pytest.mark.parametrize("operation", [o for o, h in HANDLERS.items() if h.one_statement])
def test_read_without_a_transaction_executes_one_statement(operation: type) -> None:
    engine = with_table(Engine.in_memory())
    request = operation("things", {"pk": {"S": "a"}}, return_consumed_capacity="INDEXES")
    handler, statements = HANDLERS[operation], list[str]()

    def work(execute: Execute) -> None:
        def count(statement: str, *bindings: Any) -> Iterator[tuple[Any, ...]]:
            statements.append(statement)
            return execute(statement, *bindings)

        handler.run(handler.check(request), engine._session(count, request, handler))

    engine._database.read(work)
    engine.close()
    assert len(statements) == 1
