"""Internal errors, unavailability and transaction conflicts."""

from __future__ import annotations

import pytest

from dynamodb_engine.engine import Engine
from dynamodb_engine.errors import (
    CancellationReason,
    ConditionFailed,
    InternalError,
    ServiceUnavailable,
    TransactionCanceled,
    TransactionConflict,
    TransactionInProgress,
)
from dynamodb_engine.faults import Faults, FaultyDriver, Next
from dynamodb_engine.operations import (
    DeleteItem,
    Get,
    GetItem,
    Operation,
    PutItem,
    TransactGetItem,
    TransactGetItems,
    TransactWriteItem,
    TransactWriteItems,
    Update,
    UpdateItem,
)
from dynamodb_engine.values import Item
from tests.faults.votes_table import ballot, contents, create_engine, get, key, put, transact_put

COUNT = "ADD hits :one"
ONE: Item = {":one": {"N": "1"}}


def hits(engine: Engine) -> object:
    item = engine.execute(get(consistent=True)).item
    return None if item is None else item["hits"]


def test_internal_error_before_write_changes_nothing() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(internal=1))
        with pytest.raises(InternalError) as raised:
            driver.execute(put())
        assert (raised.value.code, raised.value.message) == (
            "InternalServerError",
            "Internal server error",
        )
        assert contents(engine) == {}


def test_internal_error_after_write_applies_it() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(internal_after=1))
        with pytest.raises(InternalError):
            driver.execute(put())
        assert len(contents(engine)) == 1


# A retried counter counts twice; a transaction with a token counts once.
def test_retried_counter_counts_twice() -> None:
    update = UpdateItem("votes", key(), update_expression=COUNT, expression_attribute_values=ONE)
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(internal_after=Next(1)))
        with pytest.raises(InternalError):
            driver.execute(update)
        driver.execute(update)
        assert hits(engine) == {"N": "2"}


def test_retried_transaction_with_token_is_applied_once() -> None:
    action = TransactWriteItem(
        update=Update("votes", key(), COUNT, expression_attribute_values=ONE)
    )
    transaction = TransactWriteItems([action], client_request_token="token")
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(internal_after=Next(1)))
        with pytest.raises(InternalError):
            driver.execute(transaction)
        driver.execute(transaction)
        assert hits(engine) == {"N": "1"}


# A rejected write was not applied, so there is no response to lose.
def test_condition_failure_is_not_hidden_by_internal_after() -> None:
    create = PutItem("votes", ballot(), condition_expression="attribute_exists(PK)")
    with create_engine() as engine, pytest.raises(ConditionFailed):
        FaultyDriver(engine, Faults(internal_after=1)).execute(create)


def test_reads_get_internal_errors() -> None:
    with create_engine() as engine, pytest.raises(InternalError):
        FaultyDriver(engine, Faults(internal=1)).execute(GetItem("votes", key()))


def test_service_unavailable_changes_nothing() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(unavailable=Next(1)))
        with pytest.raises(ServiceUnavailable) as raised:
            driver.execute(put())
        assert raised.value.code == "ServiceUnavailable"
        assert contents(engine) == {}
        driver.execute(put())


# Transaction conflicts

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
