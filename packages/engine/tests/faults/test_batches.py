"""Some parts of a batch are returned unprocessed, and the others are applied."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.errors import ResourceNotFound, ValidationError
from dynamodb_engine.faults import Faults, FaultyDriver
from dynamodb_engine.operations import (
    BatchGetItem,
    BatchWriteItem,
    DeleteRequest,
    KeysAndAttributes,
    PutRequest,
    WriteRequest,
)
from tests.faults.votes_table import (
    ballot,
    batch_put,
    contents,
    create_engine,
    create_votes,
    key,
    put,
)

NAMES = [f"voter {number:02}" for number in range(25)]


@given(st.integers(2, 25), st.integers(0, 10_000))
def test_batch_write_is_partly_processed(size: int, seed: int) -> None:
    batch = batch_put(*NAMES[:size])
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(unprocessed=1, seed=seed))
        unprocessed = driver.execute(batch).unprocessed_items["votes"]
        processed = [write for write in batch.request_items["votes"] if write not in unprocessed]
        assert processed, "DynamoDB rejects a batch if it can process nothing"
        assert unprocessed
        items = [write.put_request.item for write in processed if write.put_request]
        assert sorted(contents(engine).values(), key=str) == sorted(items, key=str)
        assert len(contents(engine)) + len(unprocessed) == size


@given(st.integers(2, 25), st.integers(0, 10_000))
def test_batch_get_is_partly_processed(size: int, seed: int) -> None:
    wanted = KeysAndAttributes(
        [key(sort=name) for name in NAMES[:size]], projection_expression="SK", consistent_read=True
    )
    with create_engine() as engine:
        engine.execute(batch_put(*NAMES))
        driver = FaultyDriver(engine, Faults(unprocessed=1, seed=seed))
        output = driver.execute(BatchGetItem({"votes": wanted}))
        unprocessed = output.unprocessed_keys["votes"]
        assert output.responses["votes"]
        assert (unprocessed.projection_expression, unprocessed.consistent_read) == ("SK", True)
        read = [item["SK"]["S"] for item in output.responses["votes"]]
        assert sorted(read + [key_["SK"]["S"] for key_ in unprocessed.keys]) == NAMES[:size]


def test_resending_unprocessed_items_terminates() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(unprocessed=1))
        unprocessed, rounds = batch_put(*NAMES).request_items, 0
        while unprocessed:
            unprocessed, rounds = (
                driver.execute(BatchWriteItem(unprocessed)).unprocessed_items,
                rounds + 1,
            )
        assert rounds <= len(NAMES)
        assert len(contents(engine)) == len(NAMES)


def test_unprocessed_items_are_grouped_by_table() -> None:
    with create_engine() as engine:
        engine.execute(create_votes("others"))
        writes = batch_put("ada", "bob").request_items["votes"]
        driver = FaultyDriver(engine, Faults(unprocessed=1, tables=("others",)))
        unprocessed = driver.execute(BatchWriteItem({"votes": writes, "others": writes}))
        assert set(unprocessed.unprocessed_items) == {"others"}
        assert len(contents(engine)) == 2


def test_only_selected_key_is_unprocessed() -> None:
    writes = [WriteRequest(PutRequest(ballot(f"ELECTION#{n}"))) for n in (1, 2)]
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(unprocessed=1, keys=("ELECTION#1",)))
        unprocessed = driver.execute(BatchWriteItem({"votes": writes})).unprocessed_items
        assert unprocessed == {"votes": writes[:1]}


def test_unprocessed_deletes_are_unchanged() -> None:
    writes = [WriteRequest(delete_request=DeleteRequest(key(sort=name))) for name in NAMES[:2]]
    with create_engine() as engine:
        engine.execute(batch_put(*NAMES[:2]))
        driver = FaultyDriver(engine, Faults(unprocessed=1))
        (unprocessed,) = driver.execute(BatchWriteItem({"votes": writes})).unprocessed_items[
            "votes"
        ]
        assert unprocessed in writes
        assert len(contents(engine)) == 1


# If the whole batch is invalid, no part may be applied, even if it is valid by itself.
@pytest.mark.parametrize(
    "writes",
    [
        batch_put("ada", "bob", "ada").request_items["votes"],
        batch_put(*NAMES, "one too many").request_items["votes"],
        [*batch_put("ada", "bob").request_items["votes"], WriteRequest(PutRequest(key(sort="")))],
        [
            *batch_put("ada", "bob").request_items["votes"],
            WriteRequest(PutRequest({**key(), "voter": {"N": "1"}})),
        ],
    ],
    ids=["duplicate key", "too many items", "empty key", "wrong type of index key"],
)
@pytest.mark.parametrize("seed", range(8))
def test_invalid_batch_is_rejected_as_a_whole(writes: list[WriteRequest], seed: int) -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(unprocessed=1, seed=seed))
        with pytest.raises(ValidationError):
            driver.execute(BatchWriteItem({"votes": writes}))
        assert contents(engine) == {}


def test_batch_with_missing_table_is_rejected_as_a_whole() -> None:
    writes = batch_put("ada", "bob").request_items["votes"]
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(unprocessed=1))
        with pytest.raises(ResourceNotFound):
            driver.execute(BatchWriteItem({"votes": writes, "nowhere": writes}))
        assert contents(engine) == {}


def test_what_is_no_batch_is_unprocessed_alone() -> None:
    with create_engine() as engine:
        FaultyDriver(engine, Faults(unprocessed=1)).execute(put())
        assert len(contents(engine)) == 1
