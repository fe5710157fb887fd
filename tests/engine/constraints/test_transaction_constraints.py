"""How AWS reports violations in transactions (observed in eu-west-2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from singletable.operations import (
    ConditionCheck,
    Delete,
    Get,
    Operation,
    Put,
    TransactGetItem,
    TransactGetItems,
    TransactWriteItem,
    TransactWriteItems,
    Update,
)

Claim: TypeAlias = tuple[Operation[object], str]

ONE = "1 validation error detected: "
FAILED = "failed to satisfy constraint: Member must"
CAPACITY = (
    "Value 'BOGUS' at 'returnConsumedCapacity' failed to satisfy constraint: "
    "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
)
METRICS = (
    "Value 'BOGUS2' at 'returnItemCollectionMetrics' failed to satisfy constraint: "
    "Member must satisfy enum value set: [SIZE, NONE]"
)
TOKEN = f"{ONE}Value at 'ClientRequestToken' {FAILED} have length less than or equal to 36"
KEY: Any = {"pk": {"S": "a"}}
NOTHING: Any = None
BOGUS: Any = "BOGUS"
PUT = TransactWriteItem(put=Put("tab", KEY))
GET = TransactGetItem(Get("tab", KEY))


def write(transact_items: Any, **fields: Any) -> TransactWriteItems:
    return TransactWriteItems(transact_items, **fields)


def get(transact_items: Any, **fields: Any) -> TransactGetItems:
    return TransactGetItems(transact_items, **fields)


def misspelt(number: int, action: str) -> str:
    return (
        f"{ONE}Value 'bad!name' at 'transactItems.{number}.member.{action}.tableName' {FAILED} "
        "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
    )


def missing(path: str) -> str:
    return f"{ONE}Value null at 'transactItems{path}' {FAILED} not be null"


BAD_PUT = TransactWriteItem(put=Put("bad!name", KEY))
BAD_UPDATE = TransactWriteItem(update=Update("bad!name", KEY, "SET a = :a"))
BAD_DELETE = TransactWriteItem(delete=Delete("bad!name", KEY))
BAD_CHECK = TransactWriteItem(condition_check=ConditionCheck("bad!name", KEY, "a = :a"))
UNTOLD = TransactWriteItem(put=Put("tab", KEY, return_values_on_condition_check_failure=BOGUS))

CLAIMS: list[Claim] = [
    (write([]), f"{ONE}Value at 'TransactItems' {FAILED} have length greater than or equal to 1"),
    (
        write([PUT] * 101),
        f"{ONE}Value at 'TransactItems' {FAILED} have length less than or equal to 100",
    ),
    (write(None), missing("")),
    (write([PUT], client_request_token="x" * 37), TOKEN),
    (write([PUT], client_request_token="x" * 37, return_consumed_capacity="BOGUS"), TOKEN),
    (
        write([PUT], client_request_token=""),
        f"{ONE}Value at 'ClientRequestToken' {FAILED} have length greater than or equal to 1",
    ),
    (write([PUT], return_consumed_capacity="BOGUS"), ONE + CAPACITY),
    (write([PUT], return_item_collection_metrics="BOGUS2"), ONE + METRICS),
    (
        write([PUT], return_consumed_capacity="BOGUS", return_item_collection_metrics="BOGUS2"),
        f"2 validation errors detected: {CAPACITY}; {METRICS}",
    ),
    (write([BAD_PUT]), misspelt(1, "put")),
    (write([PUT, BAD_UPDATE]), misspelt(2, "update")),
    (write([PUT, BAD_DELETE]), misspelt(2, "delete")),
    (write([BAD_CHECK, PUT]), misspelt(1, "conditionCheck")),
    (
        write([TransactWriteItem(put=Put("", KEY))]),
        f"{ONE}Value at 'TransactItems.1.member.Put.TableName' {FAILED} "
        "have length greater than or equal to 1",
    ),
    (
        write([UNTOLD]),
        f"{ONE}Value 'BOGUS' at 'transactItems.1.member.put.returnValuesOnConditionCheckFailure' "
        f"{FAILED} satisfy enum value set: [ALL_OLD, NONE]",
    ),
    (write([TransactWriteItem(put=Put("tab", NOTHING))]), missing(".1.member.put.item")),
    (
        write([TransactWriteItem(update=Update("tab", NOTHING, "SET a = :a"))]),
        missing(".1.member.update.key"),
    ),
    (write([TransactWriteItem(delete=Delete("tab", NOTHING))]), missing(".1.member.delete.key")),
    (
        write([PUT, TransactWriteItem(condition_check=ConditionCheck("tab", KEY, NOTHING))]),
        missing(".2.member.conditionCheck.conditionExpression"),
    ),
    (
        write([PUT, TransactWriteItem(), TransactWriteItem()]),
        f"{ONE}Value '' at 'transactItems' failed to satisfy constraint: "
        "TransactWriteRequest should contain Delete or Put or Update or ConditionCheck",
    ),
    (get([]), f"{ONE}Value at 'TransactItems' {FAILED} have length greater than or equal to 1"),
    (
        get([GET] * 101),
        f"{ONE}Value at 'TransactItems' {FAILED} have length less than or equal to 100",
    ),
    (get([GET, TransactGetItem(Get("bad!name", KEY))]), misspelt(2, "get")),
    (get([TransactGetItem(NOTHING)]), missing(".1.member.get")),
    (get([TransactGetItem(Get("tab", NOTHING))]), missing(".1.member.get.key")),
    (get([GET], return_consumed_capacity="BOGUS"), ONE + CAPACITY),
]


@pytest.mark.parametrize(("operation", "message"), CLAIMS)
def test_transaction_violations_are_reported_as_at_aws(
    operation: Operation[object], message: str, message_of: Callable[[Operation[object]], str]
) -> None:
    assert message_of(operation) == message
