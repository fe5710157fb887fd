"""Whatever goes wrong, a patient client ends where it would have ended if nothing had."""

from __future__ import annotations

from typing import TypeVar
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import (
    InternalError,
    ServiceUnavailable,
    Throttled,
    TransactionCanceled,
    TransactionConflict,
    TransactionInProgress,
)
from singletable.faults import Faults, FaultyDriver
from singletable.operations import (
    BatchGetItem,
    BatchWriteItem,
    DeleteItem,
    DeleteRequest,
    KeysAndAttributes,
    Operation,
    PutRequest,
    Query,
    TransactWriteItem,
    TransactWriteItems,
    Update,
    UpdateItem,
    WriteRequest,
)
from singletable.values import Item
from tests.faults.strategies import passing_faults
from tests.faults.votes import ballot, contents, engine_with_votes, key, of_voter, put, transact_put

R = TypeVar("R")

PASSING = ("None", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded")

partitions = st.sampled_from(["ELECTION#1", "ELECTION#2"])
names = st.sampled_from(["ada", "bob", "eve", "fay"])
choices = st.sampled_from(["yes", "no"])


def _update(name: str, choice: str) -> UpdateItem:
    return UpdateItem(
        "votes",
        key(sort=name),
        update_expression="SET choice = :choice, voter = :voter",
        expression_attribute_values={":choice": {"S": choice}, ":voter": {"S": name}},
    )


def _write(name: str, choice: str | None) -> WriteRequest:
    if choice is None:
        return WriteRequest(delete_request=DeleteRequest(key(sort=name)))
    return WriteRequest(PutRequest(ballot(sort=name, choice=choice)))


def _delete(name: str) -> DeleteItem:
    return DeleteItem("votes", key(sort=name))


def _count() -> TransactWriteItem:
    hits: Item = {":one": {"N": "1"}}
    update = Update("votes", key("COUNT"), "ADD hits :one", expression_attribute_values=hits)
    return TransactWriteItem(update=update)


def _transaction(name: str, token: UUID) -> TransactWriteItems:
    return TransactWriteItems([transact_put(name), _count()], client_request_token=str(token))


# Each ends in the same state if it is done twice; the counter because its token says so.
idempotent_writes = st.one_of(
    st.builds(put, partitions, names, choices),
    st.builds(_delete, names),
    st.builds(_update, names, choices),
    st.dictionaries(names, st.none() | choices, min_size=1).map(
        lambda writes: BatchWriteItem({"votes": [_write(*write) for write in writes.items()]})
    ),
    st.builds(_transaction, names, st.uuids()),
)


def persist(driver: FaultyDriver, operation: Operation[R]) -> R:
    """Ask until there is an answer, as an SDK does."""
    for _ in range(10_000):
        try:
            return driver.execute(operation)
        except (
            Throttled,
            InternalError,
            ServiceUnavailable,
            TransactionConflict,
            TransactionInProgress,
        ):
            continue
        except TransactionCanceled as canceled:
            if any(reason.code not in PASSING for reason in canceled.reasons):
                raise
    raise AssertionError("no request may fail for ever")


def write_patiently(driver: FaultyDriver, operation: Operation[object]) -> None:
    if not isinstance(operation, BatchWriteItem):
        persist(driver, operation)
        return
    left = operation.request_items
    while left:
        written = persist(driver, BatchWriteItem(left))
        left = written.unprocessed_items


@given(passing_faults, st.lists(idempotent_writes, max_size=15))
def test_a_patient_client_ends_in_the_same_state(
    faults: Faults, operations: list[Operation[object]]
) -> None:
    with engine_with_votes() as calm, engine_with_votes() as stormy:
        driver = FaultyDriver(stormy, faults)
        for operation in operations:
            calm.execute(operation)
            write_patiently(driver, operation)
        assert contents(stormy) == contents(calm)


# Reads too: what is read consistently is what is there, once it is read at all.
@given(passing_faults, st.lists(names, min_size=1, max_size=4, unique=True))
def test_a_patient_reader_reads_everything(faults: Faults, wanted: list[str]) -> None:
    keys = [key(sort=name) for name in wanted]
    with engine_with_votes() as engine:
        for name in wanted:
            engine.execute(put(sort=name))
        driver = FaultyDriver(engine, faults)
        left, read = {"votes": KeysAndAttributes(keys, consistent_read=True)}, list[str]()
        while left:
            got = persist(driver, BatchGetItem(left))
            read += [item["SK"]["S"] for item in got.responses["votes"]]
            left = got.unprocessed_keys
        assert sorted(read) == sorted(wanted)


# An index catches up: once the writes cease, waiting is enough. Here they are behind by a count.
@given(st.integers(0, 5), st.integers(1, 5))
def test_an_index_sees_a_write_after_as_many_others(seed: int, behind: int) -> None:
    query: Query = of_voter("ada")
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(stale=1, behind=behind, seed=seed))
        driver.execute(put())
        for number in range(behind):
            assert driver.execute(query).count == 0
            driver.execute(put("ELECTION#2", f"voter {number}"))
        assert driver.execute(query).count == 1
