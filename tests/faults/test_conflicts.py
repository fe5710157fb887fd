"""Transaction conflicts raise DynamoDB's errors and change nothing."""

from __future__ import annotations

import pytest

from singletable.errors import (
    CancellationReason,
    TransactionCanceled,
    TransactionConflict,
    TransactionInProgress,
)
from singletable.faults import Faults, FaultyDriver, Next
from singletable.operations import (
    DeleteItem,
    Get,
    Operation,
    TransactGetItem,
    TransactGetItems,
    TransactWriteItems,
    UpdateItem,
)
from tests.faults.votes_table import contents, create_engine, key, put, transact_put

ONGOING = "Transaction is ongoing for the item"


@pytest.mark.parametrize(
    "write",
    [put(), UpdateItem("votes", key()), DeleteItem("votes", key())],
    ids=["PutItem", "UpdateItem", "DeleteItem"],
)
def test_write_conflicts_with_transaction(write: Operation[object]) -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(conflict=Next(1)))
        with pytest.raises(TransactionConflict, match=ONGOING) as raised:
            driver.execute(write)
        assert raised.value.code == "TransactionConflictException"
        assert contents(engine) == {}
        driver.execute(write)


def test_canceled_transaction_has_conflict_reasons() -> None:
    transaction = TransactWriteItems([transact_put(name) for name in ("ada", "bob", "eve")])
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(conflict=Next(1)))
        with pytest.raises(TransactionCanceled) as raised:
            driver.execute(transaction)
        assert len(raised.value.reasons) == 3
        assert CancellationReason("TransactionConflict", ONGOING) in raised.value.reasons
        assert {reason.code for reason in raised.value.reasons} <= {"None", "TransactionConflict"}
        assert contents(engine) == {}
        driver.execute(transaction)
        assert len(contents(engine)) == 3


def test_read_transaction_conflicts() -> None:
    transaction = TransactGetItems([TransactGetItem(Get("votes", key()))])
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(conflict=1))
        with pytest.raises(TransactionCanceled) as raised:
            driver.execute(transaction)
        assert raised.value.reasons == (CancellationReason("TransactionConflict", ONGOING),)


def test_conflict_applies_to_selected_key_only() -> None:
    transaction = TransactWriteItems([transact_put("ada"), transact_put("bob")])
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(conflict=1, keys=("ELECTION#2",)))
        driver.execute(transaction)


# A client that lost the response retries with its token while the first request is in progress.
def test_transaction_in_progress_can_be_retried() -> None:
    transaction = TransactWriteItems([transact_put("ada")], client_request_token="token")
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(in_progress=Next(1)))
        with pytest.raises(TransactionInProgress) as raised:
            driver.execute(transaction)
        assert raised.value.message == "Transaction from previous request is still in progress"
        driver.execute(transaction)
        assert len(contents(engine)) == 1
