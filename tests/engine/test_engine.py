"""The driver itself: two faces, the clock, the states of a failed request."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from singletable.engine import AsyncEngine, Engine, Settings
from singletable.errors import (
    EngineClosed,
    OperationError,
    ResourceNotFound,
    SingleTableError,
    ValidationError,
)
from singletable.operations import (
    AttributeDefinition,
    CreateTable,
    DeleteTable,
    DescribeTable,
    GetItem,
    KeySchemaElement,
    ListTables,
    Operation,
    PutItem,
    Scan,
    UpdateItem,
)


def things() -> CreateTable:
    return CreateTable(
        "things",
        [AttributeDefinition("pk", "S")],
        [KeySchemaElement("pk", "HASH")],
        billing_mode="PAY_PER_REQUEST",
    )


def test_the_async_face_gives_what_the_sync_face_gives(tmp_path: Path) -> None:
    async def run(engine: Engine) -> None:
        async with AsyncEngine(engine) as driver:
            await driver.execute(things())
            puts = [PutItem("things", {"pk": {"S": str(n)}}) for n in range(50)]
            await asyncio.gather(*[driver.execute(put) for put in puts])
            assert (await driver.execute(Scan("things"))).count == 50
            with pytest.raises(ValidationError):
                await driver.execute(GetItem("things", {}))

    asyncio.run(run(Engine.in_memory()))
    asyncio.run(run(Engine.on_file(tmp_path / "things.db")))


def test_concurrent_counters_lose_no_increment(tmp_path: Path) -> None:
    with Engine.on_file(tmp_path / "counter.db") as engine:
        engine.execute(things())
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


def test_tables_and_items_are_there_after_reopening(tmp_path: Path) -> None:
    with Engine.on_file(tmp_path / "kept.db") as engine:
        engine.execute(things())
        engine.execute(PutItem("things", {"pk": {"S": "ada"}}))
    with Engine.on_file(tmp_path / "kept.db") as engine:
        assert engine.execute(ListTables()).table_names == ["things"]
        assert engine.execute(GetItem("things", {"pk": {"S": "ada"}})).item == {"pk": {"S": "ada"}}


# A table whose making failed must not be half there: in the catalog but not in the database.
def test_a_refused_creation_leaves_no_table() -> None:
    with Engine.in_memory() as engine:
        engine.execute(things())
        with pytest.raises(OperationError):
            engine.execute(things())
        assert engine.execute(ListTables()).table_names == ["things"]


def test_account_and_region_are_in_the_resource_name() -> None:
    settings = Settings(account="123456789012", region="eu-west-2", clock=lambda: 1000.0)
    with Engine.in_memory(settings) as engine:
        engine.execute(things())
        table = engine.execute(DescribeTable("things")).table
        assert table.table_arn == "arn:aws:dynamodb:eu-west-2:123456789012:table/things"
        assert table.creation_date_time == 1000.0
        # DynamoDB takes the resource name wherever it takes the table's.
        engine.execute(PutItem(table.table_arn, {"pk": {"S": "by arn"}}))
        assert engine.execute(Scan(table.table_arn)).count == 1


def test_a_closed_engine_says_so() -> None:
    engine = Engine.in_memory()
    engine.close()
    with pytest.raises(EngineClosed):
        engine.execute(ListTables())


def test_what_is_no_operation_of_ours_is_refused_clearly() -> None:
    class Strange(Operation[None], frozen=True):
        pass

    with Engine.in_memory() as engine, pytest.raises(SingleTableError, match="Strange"):
        engine.execute(Strange())


# For an instant after a commit a reader may know tables that are gone from the file; it is told so
# as of any table that is not there.
def test_readers_bear_with_tables_that_come_and_go(tmp_path: Path) -> None:
    with Engine.on_file(tmp_path / "busy.db", Settings(durable=False)) as engine:
        done = threading.Event()
        surprises: list[Exception] = []

        def read() -> None:
            while not done.is_set():
                try:
                    engine.execute(Scan("things"))
                except ResourceNotFound:
                    pass
                except Exception as error:  # anything else is what this looks for
                    surprises.append(error)

        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        for _ in range(40):
            engine.execute(things())
            engine.execute(DeleteTable("things"))
        done.set()
        for reader in readers:
            reader.join(30)
        assert surprises == []


# A traceback names the class of an error: one that is not in singletable.errors says nothing.
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
    ids=["a large put", "a large update", "a bad value"],
)
def test_a_refusal_is_of_a_public_class(operation: Operation[object]) -> None:
    with Engine.in_memory() as engine:
        engine.execute(things())
        with pytest.raises(ValidationError) as refused:
            engine.execute(operation)
    assert type(refused.value) is ValidationError
