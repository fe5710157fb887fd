"""How AWS reports violations in operations on one item (observed in eu-west-2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from singletable.operations import (
    AttributeValueUpdate,
    DeleteItem,
    ExpectedAttributeValue,
    GetItem,
    Operation,
    PutItem,
    UpdateItem,
)

Claim: TypeAlias = tuple[Operation[object], str]

LIKE: Any = "LIKE"
MUL: Any = "MUL"
KEY: Any = {"pk": {"S": "a"}}
LONG = "a" * 256
TWO = {"a": ExpectedAttributeValue(exists=False), "b": ExpectedAttributeValue(exists=False)}

FAILED = "failed to satisfy constraint: Member must"
NO_NAME = (
    "1 validation error detected: Value at 'TableName' failed to satisfy constraint: "
    "Member must have length greater than or equal to 1"
)
CAPACITY = (
    "Value 'INVALID' at 'returnConsumedCapacity' failed to satisfy constraint: "
    "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
)
METRICS = (
    "Value 'INVALID' at 'returnItemCollectionMetrics' failed to satisfy constraint: "
    "Member must satisfy enum value set: [SIZE, NONE]"
)
RETURNED = (
    "Failed to satisfy constraint: "
    "Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
)
RETURNED_OF_OLD = (
    "Value 'INVALID' at 'returnValues' failed to satisfy constraint: Member must satisfy enum "
    "value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
)
OPERATOR = "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"
OPERATOR_OF_OLD = (
    "Value 'XOR' at 'conditionalOperator' failed to satisfy constraint: "
    "Member must satisfy enum value set: [OR, AND]"
)
NO_KEY = "Value null at 'key' failed to satisfy constraint: Member must not be null"
EMPTY_NAME = f"Value '' at 'tableName' {FAILED} have length greater than or equal to 1"


# A member that is missing on the wire is None at run time, whatever its type.
def put(table_name: Any = "tab", item: Any = KEY, **fields: Any) -> PutItem:
    return PutItem(table_name, item, **fields)


def get(table_name: Any = "tab", key: Any = KEY, **fields: Any) -> GetItem:
    return GetItem(table_name, key, **fields)


def update(table_name: Any = "tab", key: Any = KEY, **fields: Any) -> UpdateItem:
    return UpdateItem(table_name, key, **fields)


def delete(table_name: Any = "tab", key: Any = KEY, **fields: Any) -> DeleteItem:
    return DeleteItem(table_name, key, **fields)


def deep(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"S": "leaf"}
    for _ in range(levels):
        value = {"M": {"x": value}}
    return value


def expected(levels: int) -> dict[str, ExpectedAttributeValue]:
    value: Any = deep(levels)
    return {"a": ExpectedAttributeValue(value=value), "b": ExpectedAttributeValue(exists=False)}


PUTS: list[Claim] = [
    (
        put(table_name=None),
        "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: "
        "Member must not be null",
    ),
    (put(table_name=""), NO_NAME),
    (put(table_name="", item={}), NO_NAME),
    (put(table_name="", return_values="INVALID"), NO_NAME),
    (
        put(table_name=LONG),
        f"1 validation error detected: Value '{LONG}' at 'tableName' failed to satisfy "
        "constraint: Member must have length less than or equal to 255",
    ),
    (
        put(table_name="bad table!@#"),
        "1 validation error detected: Value 'bad table!@#' at 'tableName' failed to satisfy "
        "constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
    ),
    (
        put(
            return_consumed_capacity="INVALID",
            return_item_collection_metrics="INVALID",
            return_values="INVALID",
        ),
        f"3 validation errors detected: {CAPACITY}; {RETURNED}; {METRICS}",
    ),
    (put(conditional_operator="XOR", expected=TWO), f"1 validation error detected: {OPERATOR}"),
    (
        put(item=None),
        "1 validation error detected: Value null at 'item' failed to satisfy constraint: "
        "Member must not be null",
    ),
    (
        put(return_values_on_condition_check_failure="ALL_NEW"),
        "1 validation error detected: Value 'ALL_NEW' at 'returnValuesOnConditionCheckFailure' "
        "failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, NONE]",
    ),
    (
        put(expected={"Ab": ExpectedAttributeValue(comparison_operator=LIKE)}),
        "1 validation error detected: Value 'LIKE' at 'expected.Ab.member.comparisonOperator' "
        "failed to satisfy constraint: Member must satisfy enum value set: [IN, NULL, BETWEEN, LT, "
        "NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]",
    ),
]
GETS: list[Claim] = [
    (get(table_name=""), NO_NAME),
    (get(key=None), f"1 validation error detected: {NO_KEY}"),
    (get(return_consumed_capacity="INVALID"), f"1 validation error detected: {CAPACITY}"),
    (
        get(attributes_to_get=[]),
        "1 validation error detected: Value at 'AttributesToGet' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1",
    ),
]
# UpdateItem reports an invalid ReturnValues alone; others list it with the rest.
UPDATES: list[Claim] = [
    (update(table_name="", key={}), NO_NAME),
    (
        update(return_consumed_capacity="INVALID", return_values="INVALID"),
        f"1 validation error detected: {RETURNED}",
    ),
    (update(return_consumed_capacity="INVALID"), f"1 validation error detected: {CAPACITY}"),
    (
        update(table_name="", key=None, update_expression="SET a = :a"),
        f"2 validation errors detected: {EMPTY_NAME}; {NO_KEY}",
    ),
    (
        update(
            table_name="", key=None, return_consumed_capacity="INVALID", return_values="INVALID"
        ),
        f"4 validation errors detected: {CAPACITY}; {EMPTY_NAME}; {RETURNED_OF_OLD}; {NO_KEY}",
    ),
    (
        update(key=None, conditional_operator="XOR", expected=TWO),
        f"2 validation errors detected: {OPERATOR_OF_OLD}; {NO_KEY}",
    ),
    (
        update(attribute_updates={"n": AttributeValueUpdate(action=MUL)}),
        "1 validation error detected: Value 'MUL' at 'attributeUpdates.n.member.action' failed to "
        "satisfy constraint: Member must satisfy enum value set: [ADD, PUT, DELETE]",
    ),
]
DELETES: list[Claim] = [
    (delete(table_name="", key={}), NO_NAME),
    (
        delete(return_consumed_capacity="INVALID", return_values="INVALID"),
        f"2 validation errors detected: {CAPACITY}; {RETURNED}",
    ),
]
# Requests nested too deeply for the newer checks go through the legacy ones.
DEEP: list[Claim] = [
    (
        put(conditional_operator="XOR", expected=expected(40)),
        f"1 validation error detected: {OPERATOR}",
    ),
    (
        put(conditional_operator="XOR", expected=expected(100)),
        f"1 validation error detected: {OPERATOR_OF_OLD}",
    ),
    (
        update(conditional_operator="XOR", expected=expected(100)),
        f"1 validation error detected: {OPERATOR_OF_OLD}",
    ),
    (
        delete(return_values="INVALID", expected=expected(63)),
        f"1 validation error detected: {RETURNED_OF_OLD}",
    ),
    (
        delete(return_values="INVALID", expression_attribute_values={":a": deep(63)}),
        f"1 validation error detected: {RETURNED_OF_OLD}",
    ),
    (
        delete(return_values="INVALID", expression_attribute_values={":a": deep(61)}),
        f"1 validation error detected: {RETURNED}",
    ),
    (
        delete(return_values="INVALID", key={"pk": deep(100)}),
        f"1 validation error detected: {RETURNED_OF_OLD}",
    ),
    (
        delete(return_values="INVALID", key={"pk": deep(20_000)}),
        f"1 validation error detected: {RETURNED_OF_OLD}",
    ),
]


@pytest.mark.parametrize(("operation", "message"), PUTS + GETS + UPDATES + DELETES + DEEP)
def test_item_violations_are_reported_as_at_aws(
    operation: Operation[object], message: str, message_of: Callable[[Operation[object]], str]
) -> None:
    assert message_of(operation) == message


# AWS lists no more than ten.
def test_at_most_ten_violations_are_listed(message_of: Callable[[Operation[object]], str]) -> None:
    many = {f"a{n}": ExpectedAttributeValue(comparison_operator=LIKE) for n in range(12)}
    message = message_of(put(expected=many))
    assert message.startswith("10 validation errors detected: ")
    assert message.count("comparisonOperator") == 10
