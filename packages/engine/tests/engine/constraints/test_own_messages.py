"""Our own messages: for our own operations, and for values of other Python types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from dynamodb_engine import operations as ops

Claim: TypeAlias = tuple[ops.Operation[object], str]


def wrong(value: object) -> Any:
    return value


OURS: list[Claim] = [
    (ops.ReadChanges(after=-1), "After must have value greater than or equal to 0, but is '-1'"),
    (ops.ReadChanges(limit=0), "Limit must have value greater than or equal to 1, but is '0'"),
    (
        ops.ReadChanges(limit=1001),
        "Limit must have value less than or equal to 1000, but is '1001'",
    ),
    (ops.ReadChanges(limit=wrong(None)), "Limit must not be null"),
    (ops.SweepExpired(limit=0), "Limit must have value greater than or equal to 1, but is '0'"),
    (
        ops.SweepExpired("ab"),
        "TableName must have length greater than or equal to 3, but is 'ab'",
    ),
    (
        ops.ReadChanges(table_name="a b c"),
        "TableName must satisfy regular expression pattern: [a-zA-Z0-9_.-]+, but is 'a b c'",
    ),
]
# AWS has these messages too. boto3 cannot send the requests.
MISSING: list[Claim] = [
    (
        ops.BatchGetItem(wrong(None)),
        "1 validation error detected: Value null at 'requestItems' failed to satisfy constraint: "
        "Member must not be null",
    ),
    (ops.TagResource(wrong(None), []), "Invalid TableArn"),
    (ops.ListTagsOfResource(wrong(None)), "Invalid TableArn"),
    (
        ops.TagResource("arn", wrong(None)),
        "1 validation error detected: Value null at 'tags' failed to satisfy constraint: "
        "Member must not be null",
    ),
    (
        ops.UntagResource("arn", wrong(None)),
        "1 validation error detected: Value null at 'tagKeys' failed to satisfy constraint: "
        "Member must not be null",
    ),
]
# On the wire these are a SerializationException; only Python code can pass them.
TYPES: list[Claim] = [
    (ops.GetItem(wrong(5), {}), "TableName must be a string, but is of Python's type int"),
    (ops.GetItem(wrong(["t"]), {}), "TableName must be a string, but is of Python's type list"),
    (ops.GetItem("tab", wrong([])), "Key must be a map, but is of Python's type list"),
    (
        ops.GetItem("tab", {}, consistent_read=wrong("yes")),
        "ConsistentRead must be a boolean, but is of Python's type str",
    ),
    (
        ops.PutItem("tab", {}, return_values=wrong(["NONE"])),
        "ReturnValues must be a string, but is of Python's type list",
    ),
    (
        ops.PutItem("tab", {}, expression_attribute_names=wrong({"#a": 5})),
        "ExpressionAttributeNames.#a.member must be a string, but is of Python's type int",
    ),
    (
        ops.PutItem("tab", {}, expression_attribute_names=wrong({5: "a"})),
        "ExpressionAttributeNames.5.member must be named by a string, but is of Python's type int",
    ),
    (
        ops.PutItem("tab", {}, expected=wrong({"a": {"Exists": False}})),
        "Expected.a.member must be of type ExpectedAttributeValue, but is of Python's type dict",
    ),
    (ops.Query("tab", limit=wrong(True)), "Limit must be an integer, but is of Python's type bool"),
    (ops.Scan("tab", limit=wrong(1.5)), "Limit must be an integer, but is of Python's type float"),
    (
        ops.Scan("tab", limit=10**5000),
        "Limit must be an integer of 64 bits, but is of Python's type int",
    ),
    (
        ops.CreateTable("tab", wrong("pk"), []),
        "AttributeDefinitions must be a list, but is of Python's type str",
    ),
    (
        ops.BatchWriteItem(wrong({"tab": "x"})),
        "RequestItems.tab.member must be a list, but is of Python's type str",
    ),
    (
        ops.TransactGetItems(wrong([5])),
        "TransactItems.1.member must be of type TransactGetItem, but is of Python's type int",
    ),
    (ops.ReadChanges(after=wrong("0")), "After must be an integer, but is of Python's type str"),
]


@pytest.mark.parametrize(("operation", "message"), OURS + MISSING + TYPES)
def test_our_own_messages(
    operation: ops.Operation[object],
    message: str,
    message_of: Callable[[ops.Operation[object]], str],
) -> None:
    assert message_of(operation) == message
