"""Conflicts of transactions: canceled, refused or said to be still at work, and nothing changed."""

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
from tests.faults.votes import contents, engine_with_votes, key, put, transact_put

ONGOING = "Transaction is ongoing for the item"


@pytest.mark.parametrize(
    "write",
    [put(), UpdateItem("votes", key()), DeleteItem("votes", key())],
    ids=["PutItem", "UpdateItem", "DeleteItem"],
)
def test_a_single_write_meets_a_transaction(write: Operation[object]) -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(conflict=Next(1)))
        with pytest.raises(TransactionConflict, match=ONGOING) as refused:
            driver.execute(write)
        assert refused.value.code == "TransactionConflictException"
        assert contents(engine) == {}
        driver.execute(write)


def test_a_transaction_names_the_actions_that_met_another() -> None:
    transaction = TransactWriteItems([transact_put(name) for name in ("ada", "bob", "eve")])
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(conflict=Next(1)))
        with pytest.raises(TransactionCanceled) as refused:
            driver.execute(transaction)
        assert len(refused.value.reasons) == 3
        assert CancellationReason("TransactionConflict", ONGOING) in refused.value.reasons
        assert {reason.code for reason in refused.value.reasons} <= {"None", "TransactionConflict"}
        assert contents(engine) == {}
        driver.execute(transaction)
        assert len(contents(engine)) == 3


def test_a_reading_transaction_meets_one_too() -> None:
    reading = TransactGetItems([TransactGetItem(Get("votes", key()))])
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(conflict=1))
        with pytest.raises(TransactionCanceled) as refused:
            driver.execute(reading)
        assert refused.value.reasons == (CancellationReason("TransactionConflict", ONGOING),)


def test_a_conflict_is_about_the_key_that_was_named() -> None:
    transaction = TransactWriteItems([transact_put("ada"), transact_put("bob")])
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(conflict=1, keys=("ELECTION#2",)))
        driver.execute(transaction)


# A client that lost the answer asks again with its token, while the first request is at work.
def test_a_transaction_is_still_at_work() -> None:
    transaction = TransactWriteItems([transact_put("ada")], client_request_token="token")
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(in_progress=Next(1)))
        with pytest.raises(TransactionInProgress) as refused:
            driver.execute(transaction)
        assert refused.value.message == "Transaction from previous request is still in progress"
        driver.execute(transaction)
        assert len(contents(engine)) == 1
