"""A client that retries reaches the same state as without faults."""

from __future__ import annotations

from typing import TypeVar
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.errors import (
    InternalError,
    ServiceUnavailable,
    Throttled,
    TransactionCanceled,
    TransactionConflict,
    TransactionInProgress,
)
from dynamodb_engine.faults import Faults, FaultyDriver
from dynamodb_engine.operations import (
    BatchGetItem,
    BatchWriteItem,
    DeleteItem,
    DeleteRequest,
    KeysAndAttributes,
    Operation,
    PutRequest,
    TransactWriteItem,
    TransactWriteItems,
    Update,
    UpdateItem,
    WriteRequest,
)
from dynamodb_engine.values import Item
from tests.faults.strategies import transient_faults
from tests.faults.votes_table import (
    ballot,
    contents,
    create_engine,
    key,
    put,
    transact_put,
)

R = TypeVar("R")

TRANSIENT = ("None", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded")

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


# Applying these twice gives the same state; the counter because of its client token.
idempotent_writes = st.one_of(
    st.builds(put, partitions, names, choices),
    st.builds(_delete, names),
    st.builds(_update, names, choices),
    st.dictionaries(names, st.none() | choices, min_size=1).map(
        lambda writes: BatchWriteItem({"votes": [_write(*write) for write in writes.items()]})
    ),
    st.builds(_transaction, names, st.uuids()),
)


def execute_with_retries(driver: FaultyDriver, operation: Operation[R]) -> R:
    """Retry until there is an output, as an SDK does."""
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
            if any(reason.code not in TRANSIENT for reason in canceled.reasons):
                raise
    raise AssertionError("a request failed every time")


def write_with_retries(driver: FaultyDriver, operation: Operation[object]) -> None:
    if not isinstance(operation, BatchWriteItem):
        execute_with_retries(driver, operation)
        return
    unprocessed = operation.request_items
    while unprocessed:
        output = execute_with_retries(driver, BatchWriteItem(unprocessed))
        unprocessed = output.unprocessed_items


@given(transient_faults, st.lists(idempotent_writes, max_size=15))
def test_retrying_client_reaches_the_same_state(
    faults: Faults, operations: list[Operation[object]]
) -> None:
    with create_engine() as plain, create_engine() as faulty:
        driver = FaultyDriver(faulty, faults)
        for operation in operations:
            plain.execute(operation)
            write_with_retries(driver, operation)
        assert contents(faulty) == contents(plain)


@given(transient_faults, st.lists(names, min_size=1, max_size=4, unique=True))
def test_retrying_reader_reads_everything(faults: Faults, wanted: list[str]) -> None:
    keys = [key(sort=name) for name in wanted]
    with create_engine() as engine:
        for name in wanted:
            engine.execute(put(sort=name))
        driver = FaultyDriver(engine, faults)
        unprocessed, read = {"votes": KeysAndAttributes(keys, consistent_read=True)}, list[str]()
        while unprocessed:
            output = execute_with_retries(driver, BatchGetItem(unprocessed))
            read += [item["SK"]["S"] for item in output.responses["votes"]]
            unprocessed = output.unprocessed_keys
        assert sorted(read) == sorted(wanted)
