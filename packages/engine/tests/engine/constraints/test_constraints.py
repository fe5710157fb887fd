"""Violations in requests that are too deep or too long to be rows of the conformance tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from dynamodb_engine.operations import (
    BatchGetItem,
    BatchWriteItem,
    DeleteItem,
    DeleteRequest,
    ExpectedAttributeValue,
    KeysAndAttributes,
    Operation,
    PutItem,
    UpdateItem,
    WriteRequest,
)

MessageOf: TypeAlias = Callable[[Operation[object]], str]

KEY: Any = {"pk": {"S": "a"}}
INVALID: Any = "INVALID"
XOR: Any = "XOR"
ONE = "1 validation error detected: "
RETURN_VALUES = (
    f"{ONE}Failed to satisfy constraint: "
    "Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
)
OLDER_RETURN_VALUES = (
    f"{ONE}Value 'INVALID' at 'returnValues' failed to satisfy constraint: Member must satisfy "
    "enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
)
OPERATOR = f"{ONE}Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"
OLDER_OPERATOR = (
    f"{ONE}Value 'XOR' at 'conditionalOperator' failed to satisfy constraint: "
    "Member must satisfy enum value set: [OR, AND]"
)


def deep(levels: int) -> Any:
    value: Any = {"S": "leaf"}
    for _ in range(levels):
        value = {"M": {"x": value}}
    return value


def expected(levels: int) -> dict[str, ExpectedAttributeValue]:
    value = ExpectedAttributeValue(value=deep(levels))
    return {"a": value, "b": ExpectedAttributeValue(exists=False)}


def delete(key: Any = KEY, **fields: Any) -> DeleteItem:
    return DeleteItem("tab", key, return_values=INVALID, **fields)


# Requests nested too deeply for the newer checks go through the older ones.
@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (PutItem("tab", KEY, conditional_operator=XOR, expected=expected(40)), OPERATOR),
        (PutItem("tab", KEY, conditional_operator=XOR, expected=expected(100)), OLDER_OPERATOR),
        (UpdateItem("tab", KEY, conditional_operator=XOR, expected=expected(100)), OLDER_OPERATOR),
        (delete(expected=expected(63)), OLDER_RETURN_VALUES),
        (delete(expression_attribute_values={":a": deep(63)}), OLDER_RETURN_VALUES),
        (delete(expression_attribute_values={":a": deep(61)}), RETURN_VALUES),
        (delete({"pk": deep(100)}), OLDER_RETURN_VALUES),
        (delete({"pk": deep(20_000)}), OLDER_RETURN_VALUES),
    ],
)
def test_deep_requests_are_checked_as_by_the_older_validation(
    operation: Operation[object], message: str, message_of: MessageOf
) -> None:
    assert message_of(operation) == message


# AWS lists no more than ten.
def test_at_most_ten_violations_are_listed(message_of: MessageOf) -> None:
    like: Any = "LIKE"
    many = {f"a{n}": ExpectedAttributeValue(comparison_operator=like) for n in range(12)}
    message = message_of(PutItem("tab", KEY, expected=many))
    assert message.startswith("10 validation errors detected: ")
    assert message.count("comparisonOperator") == 10


# Sets, maps and lists are echoed as Java prints them, however deep they are.
def test_echoed_item_has_all_attributes(message_of: MessageOf) -> None:
    def write(item: Any) -> BatchWriteItem:
        return BatchWriteItem({"bad!": [WriteRequest(delete_request=DeleteRequest(item))]})

    nested: Any = {"S": "leaf"}
    for _ in range(5000):
        nested = {"M": {"x": {"L": [nested]}}}
    message = message_of(
        write(
            {
                "a": {"SS": ["x", "y"]},
                "b": {"L": [{"BOOL": True}]},
                "c": {"M": {"d": {"N": "1"}}},
            }
        )
    )
    assert "sS=[x, y]" in message
    assert "l=[AttributeValue(s=null" in message
    assert "bOOL=true" in message
    assert "m={d=AttributeValue(s=null, n=1" in message
    assert message_of(write({"k": nested}))
    assert message_of(BatchGetItem({"bad!": KeysAndAttributes([{"k": nested}])}))
