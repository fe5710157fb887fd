"""Unprocessed parts of batches: handed back undone, while the rest is really done."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import ResourceNotFound, ValidationError
from singletable.faults import Faults, FaultyDriver
from singletable.operations import (
    BatchGetItem,
    BatchWriteItem,
    DeleteRequest,
    KeysAndAttributes,
    PutRequest,
    WriteRequest,
)
from tests.faults.votes import (
    ballot,
    batch_of,
    contents,
    engine_with_votes,
    key,
    put,
    votes,
)

NAMES = [f"voter {number:02}" for number in range(25)]


@given(st.integers(2, 25), st.integers(0, 10_000))
def test_a_part_of_a_batch_of_writes_is_done_and_the_rest_handed_back(size: int, seed: int) -> None:
    batch = batch_of(*NAMES[:size])
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(unprocessed=1, seed=seed))
        left = driver.execute(batch).unprocessed_items["votes"]
        done = [write for write in batch.request_items["votes"] if write not in left]
        assert done, "a batch of which nothing could be done is refused instead"
        assert left
        items = [write.put_request.item for write in done if write.put_request]
        assert sorted(contents(engine).values(), key=str) == sorted(items, key=str)
        assert len(contents(engine)) + len(left) == size


@given(st.integers(2, 25), st.integers(0, 10_000))
def test_a_part_of_a_batch_of_gets_is_done_and_the_rest_handed_back(size: int, seed: int) -> None:
    wanted = KeysAndAttributes(
        [key(sort=name) for name in NAMES[:size]], projection_expression="SK", consistent_read=True
    )
    with engine_with_votes() as engine:
        engine.execute(batch_of(*NAMES))
        driver = FaultyDriver(engine, Faults(unprocessed=1, seed=seed))
        got = driver.execute(BatchGetItem({"votes": wanted}))
        left = got.unprocessed_keys["votes"]
        assert got.responses["votes"]
        assert (left.projection_expression, left.consistent_read) == ("SK", True)
        read = [item["SK"]["S"] for item in got.responses["votes"]]
        assert sorted(read + [one["SK"]["S"] for one in left.keys]) == NAMES[:size]


def test_whoever_asks_again_is_done_after_as_many_rounds_as_there_are_writes() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(unprocessed=1))
        left, rounds = batch_of(*NAMES).request_items, 0
        while left:
            left, rounds = driver.execute(BatchWriteItem(left)).unprocessed_items, rounds + 1
        assert rounds <= len(NAMES)
        assert len(contents(engine)) == len(NAMES)


def test_several_tables_are_handed_back_by_name() -> None:
    with engine_with_votes() as engine:
        engine.execute(votes("others"))
        writes = batch_of("ada", "bob").request_items["votes"]
        driver = FaultyDriver(engine, Faults(unprocessed=1, tables=("others",)))
        left = driver.execute(BatchWriteItem({"votes": writes, "others": writes}))
        assert set(left.unprocessed_items) == {"others"}
        assert len(contents(engine)) == 2


def test_only_the_key_that_is_named_is_handed_back() -> None:
    writes = [WriteRequest(PutRequest(ballot(f"ELECTION#{n}"))) for n in (1, 2)]
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(unprocessed=1, keys=("ELECTION#1",)))
        left = driver.execute(BatchWriteItem({"votes": writes})).unprocessed_items
        assert left == {"votes": writes[:1]}


def test_deletes_are_handed_back_as_they_came() -> None:
    writes = [WriteRequest(delete_request=DeleteRequest(key(sort=name))) for name in NAMES[:2]]
    with engine_with_votes() as engine:
        engine.execute(batch_of(*NAMES[:2]))
        driver = FaultyDriver(engine, Faults(unprocessed=1))
        (left,) = driver.execute(BatchWriteItem({"votes": writes})).unprocessed_items["votes"]
        assert left in writes
        assert len(contents(engine)) == 1


# Half of a batch may be right although the whole is wrong; then no half may be done.
@pytest.mark.parametrize(
    "writes",
    [
        batch_of("ada", "bob", "ada").request_items["votes"],
        batch_of(*NAMES, "one too many").request_items["votes"],
        [*batch_of("ada", "bob").request_items["votes"], WriteRequest(PutRequest(key(sort="")))],
        [
            *batch_of("ada", "bob").request_items["votes"],
            WriteRequest(PutRequest({**key(), "voter": {"N": "1"}})),
        ],
    ],
    ids=["twice the same", "too many", "empty key", "index key of another type"],
)
@pytest.mark.parametrize("seed", range(8))
def test_a_wrong_batch_is_refused_whole(writes: list[WriteRequest], seed: int) -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(unprocessed=1, seed=seed))
        with pytest.raises(ValidationError):
            driver.execute(BatchWriteItem({"votes": writes}))
        assert contents(engine) == {}


def test_a_batch_to_a_table_that_is_not_there_is_refused_whole() -> None:
    writes = batch_of("ada", "bob").request_items["votes"]
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(unprocessed=1))
        with pytest.raises(ResourceNotFound):
            driver.execute(BatchWriteItem({"votes": writes, "nowhere": writes}))
        assert contents(engine) == {}


def test_what_is_no_batch_is_left_alone() -> None:
    with engine_with_votes() as engine:
        FaultyDriver(engine, Faults(unprocessed=1)).execute(put())
        assert len(contents(engine)) == 1
