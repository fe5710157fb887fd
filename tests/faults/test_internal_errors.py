"""Errors on DynamoDB's side: whether a write took effect, the error does not tell."""

from __future__ import annotations

import pytest

from singletable.engine import Engine
from singletable.errors import ConditionFailed, InternalError, ServiceUnavailable
from singletable.faults import Faults, FaultyDriver, Next
from singletable.operations import (
    GetItem,
    PutItem,
    TransactWriteItem,
    TransactWriteItems,
    Update,
    UpdateItem,
)
from singletable.values import Item
from tests.faults.votes import ballot, contents, engine_with_votes, get, key, put

COUNT = "ADD hits :one"
ONE: Item = {":one": {"N": "1"}}


def hits(engine: Engine) -> object:
    item = engine.execute(get(consistent=True)).item
    return None if item is None else item["hits"]


def test_an_internal_error_before_the_write_changes_nothing() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(internal=1))
        with pytest.raises(InternalError) as failed:
            driver.execute(put())
        assert (failed.value.code, failed.value.message) == (
            "InternalServerError",
            "Internal server error",
        )
        assert contents(engine) == {}


def test_an_internal_error_after_the_write_has_changed_it() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(internal_after=1))
        with pytest.raises(InternalError):
            driver.execute(put())
        assert len(contents(engine)) == 1


# The trap: a retried counter counts twice, and a transaction with a token counts once.
def test_what_is_not_idempotent_happens_twice() -> None:
    update = UpdateItem("votes", key(), update_expression=COUNT, expression_attribute_values=ONE)
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(internal_after=Next(1)))
        with pytest.raises(InternalError):
            driver.execute(update)
        driver.execute(update)
        assert hits(engine) == {"N": "2"}


def test_a_transaction_with_a_token_happens_once() -> None:
    action = TransactWriteItem(
        update=Update("votes", key(), COUNT, expression_attribute_values=ONE)
    )
    transaction = TransactWriteItems([action], client_request_token="token")
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(internal_after=Next(1)))
        with pytest.raises(InternalError):
            driver.execute(transaction)
        driver.execute(transaction)
        assert hits(engine) == {"N": "1"}


# What never took effect is refused as ever; there is no success to lose the answer of.
def test_a_refusal_is_not_hidden_by_an_error_after_it() -> None:
    create = PutItem("votes", ballot(), condition_expression="attribute_exists(PK)")
    with engine_with_votes() as engine, pytest.raises(ConditionFailed):
        FaultyDriver(engine, Faults(internal_after=1)).execute(create)


def test_reads_fail_too() -> None:
    with engine_with_votes() as engine, pytest.raises(InternalError):
        FaultyDriver(engine, Faults(internal=1)).execute(GetItem("votes", key()))


def test_the_service_may_be_away() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(unavailable=Next(1)))
        with pytest.raises(ServiceUnavailable) as failed:
            driver.execute(put())
        assert failed.value.code == "ServiceUnavailable"
        assert contents(engine) == {}
        driver.execute(put())
