"""Client request tokens: a transaction that is sent twice is applied once."""

from __future__ import annotations

from uuid import uuid4

import pytest
from msgspec.structs import replace

from dynamodb_engine.errors import IdempotentParameterMismatch, TransactionCanceled
from dynamodb_engine.operations import ConsumedCapacity, Driver, TransactWriteItems
from dynamodb_engine.values import Item
from tests.conformance.errors import validation_error
from tests.conformance.requests import number, text
from tests.conformance.tables import make_table, put, stored
from tests.conformance.transaction_actions import checking, deleting, key, putting, updating


@pytest.fixture
def table(driver: Driver) -> str:
    """Create a table with an item `counter` whose value is 0."""
    name = make_table(driver, pk="S")
    put(driver, name, key("counter") | {"n": number(0)})
    return name


def counting(table: str, token: str | None) -> TransactWriteItems:
    """Return a transaction that adds one to the counter."""
    action = updating(table, key("counter"), "SET n = n + :one", one=number(1))
    return TransactWriteItems([action], client_request_token=token)


def count(driver: Driver, table: str) -> int:
    """Return the counter's value."""
    item = stored(driver, table, key("counter"))
    assert item is not None
    return int(item["n"]["N"])


def token() -> str:
    """Return a token that was never used."""
    return str(uuid4())


def test_same_request_with_same_token_is_applied_once(driver: Driver, table: str) -> None:
    asked = counting(table, token())
    for _ in range(3):
        driver.execute(asked)
    assert count(driver, table) == 1


@pytest.mark.parametrize("tokens", [(None, None), ("one", "two")])
def test_request_with_new_or_no_token_is_applied_again(
    driver: Driver, table: str, tokens: tuple[str | None, str | None]
) -> None:
    suffix = token()[:30]
    for one in tokens:
        driver.execute(counting(table, None if one is None else one + suffix))
    assert count(driver, table) == 2


# A token identifies one request; reusing it for another is an error of the caller.
@pytest.mark.parametrize("other", ["value", "put", "delete", "more", "check"])
def test_rejects_different_request_with_same_token(driver: Driver, table: str, other: str) -> None:
    asked = counting(table, token())
    driver.execute(asked)
    actions = {
        "value": [updating(table, key("counter"), "SET n = n + :one", one=number(2))],
        "put": [putting(table, key("counter"))],
        "delete": [deleting(table, key("counter"))],
        "more": [*asked.transact_items, putting(table, key("more"))],
        "check": [checking(table, key("counter"), "attribute_exists(pk)")],
    }[other]
    with pytest.raises(IdempotentParameterMismatch) as raised:
        driver.execute(replace(asked, transact_items=actions))
    assert raised.value.code == "IdempotentParameterMismatchException"
    assert count(driver, table) == 1


# Clients with hash maps may send attributes in another order when they retry.
def test_attribute_order_does_not_matter_for_idempotency(driver: Driver, table: str) -> None:
    item: Item = {
        "pk": text("a"),
        "x": {"M": {"y": number(1), "z": number(2)}},
        "w": text("w"),
    }
    turned: Item = {
        "w": text("w"),
        "x": {"M": {"z": number(2), "y": number(1)}},
        "pk": text("a"),
    }
    one = token()
    for same in (item, turned):
        driver.execute(TransactWriteItems([putting(table, same)], client_request_token=one))
    assert stored(driver, table, key("a")) == item


# Return options are not part of the request's identity.
def test_return_options_may_differ_in_a_replay(driver: Driver, table: str) -> None:
    asked = counting(table, token())
    driver.execute(asked)
    driver.execute(replace(asked, return_consumed_capacity="TOTAL"))
    assert count(driver, table) == 1


# A canceled transaction changed nothing, so its token can be used again.
def test_token_is_consumed_only_by_a_committed_transaction(driver: Driver, table: str) -> None:
    one = token()
    failing = TransactWriteItems(
        [putting(table, key("a"), "attribute_exists(pk)")], client_request_token=one
    )
    with pytest.raises(TransactionCanceled):
        driver.execute(failing)
    put(driver, table, key("a"))
    driver.execute(failing)
    with pytest.raises(IdempotentParameterMismatch):
        driver.execute(counting(table, one))


# A replay returns the past result without evaluating conditions again.
def test_replay_does_not_evaluate_conditions(driver: Driver, table: str) -> None:
    create = TransactWriteItems(
        [putting(table, key("once"), "attribute_not_exists(pk)")], client_request_token=token()
    )
    driver.execute(create)
    driver.execute(create)
    assert stored(driver, table, key("once")) == key("once")


def test_replay_does_not_undo_later_changes(driver: Driver, table: str) -> None:
    asked = TransactWriteItems([putting(table, key("a"))], client_request_token=token())
    driver.execute(asked)
    later: Item = key("a") | {"later": text("yes")}
    put(driver, table, later)
    driver.execute(asked)
    assert stored(driver, table, key("a")) == later


def consumed(driver: Driver, asked: TransactWriteItems) -> ConsumedCapacity:
    """Return the capacity the transaction consumed on its only table."""
    capacity = driver.execute(replace(asked, return_consumed_capacity="INDEXES")).consumed_capacity
    assert capacity is not None
    (entry,) = capacity
    return entry


# The first call writes; the replay only reads what the first one wrote, and is charged for that.
def test_replay_is_charged_as_a_read(driver: Driver, table: str) -> None:
    item: Item = key("a") | {"pad": text("x" * 1536)}
    asked = TransactWriteItems([putting(table, item)], client_request_token=token())
    first, replay = consumed(driver, asked), consumed(driver, asked)
    assert (first.write_capacity_units, first.read_capacity_units) == (4, None)
    assert (replay.read_capacity_units, replay.write_capacity_units) == (2, None)
    assert replay.capacity_units == 2
    assert replay.table is not None
    assert (replay.table.read_capacity_units, replay.table.write_capacity_units) == (2, None)


@pytest.mark.parametrize("length", [1, 36])
def test_token_has_up_to_36_characters(driver: Driver, table: str, length: int) -> None:
    driver.execute(counting(table, token()[:length]))
    assert count(driver, table) == 1


@pytest.mark.parametrize(
    ("length", "rule"), [(0, "greater than or equal to 1"), (37, "less than or equal to 36")]
)
def test_rejects_tokens_of_invalid_length(
    driver: Driver, table: str, length: int, rule: str
) -> None:
    assert validation_error(driver, counting(table, "t" * length)) == (
        "1 validation error detected: Value at 'ClientRequestToken' failed to satisfy constraint: "
        f"Member must have length {rule}"
    )
