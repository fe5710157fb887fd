"""Oversized requests are rejected by their lengths, without reading them to the end."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from msgspec import json

from dynamodb_engine.engine import request_expressions
from dynamodb_engine.errors import OperationError
from dynamodb_engine.expressions import parser
from dynamodb_engine.operations import Operation
from dynamodb_engine.wire import read_request, write_error
from tools.testing.fuzz.call_budget import limit_calls
from tools.testing.fuzz.sandbox import Sandbox
from tools.testing.fuzz.valid_requests import target_of

MANY = 60_000  # more than the calls that any request may cause
LONG = 2**20
KEY = {"pk": {"S": "a"}}
BALLOT = {"pk": {"S": "election#1"}, "sk": {"S": "ballot#1"}}  # of an item in the sandbox
TABLE = {"TableName": "votes"}
NUMBERS = [str(number) for number in range(210_000)]
TOO_LARGE = "Item size has exceeded the maximum allowed size"

# The operation, the body, and a part of AWS's message.
LISTS: dict[str, tuple[str, object, str]] = {
    "actions": ("TransactWriteItems", {"TransactItems": [{}] * MANY}, "equal to 100"),
    "puts": (
        "TransactWriteItems",
        {"TransactItems": [{"Put": {**TABLE, "Item": KEY}}] * MANY},
        "equal to 100",
    ),
    "gets": ("TransactGetItems", {"TransactItems": [{}] * MANY}, "^$"),
    "keys": ("BatchGetItem", {"RequestItems": {"votes": {"Keys": [KEY] * MANY}}}, "equal to 100"),
    "tables to read": (
        "BatchGetItem",
        {"RequestItems": {f"t{number:05}": {"Keys": [KEY]} for number in range(MANY)}},
        "equal to 100",
    ),
    "tables to write": (
        "BatchWriteItem",
        {"RequestItems": {f"t{number:05}": [] for number in range(MANY)}},
        "equal to 25",
    ),
    "writes": ("BatchWriteItem", {"RequestItems": {"votes": [{}] * MANY}}, "equal to 25"),
    "attributes": ("GetItem", {**TABLE, "Key": KEY, "AttributesToGet": ["a"] * MANY}, "to 255"),
    "number set": ("PutItem", {**TABLE, "Item": {**KEY, "n": {"NS": NUMBERS}}}, TOO_LARGE),
    "nested number set": (
        "PutItem",
        {**TABLE, "Item": {**KEY, "n": {"L": [{"M": {"n": {"NS": NUMBERS}}}]}}},
        TOO_LARGE,
    ),
    "string set": ("PutItem", {**TABLE, "Item": {**KEY, "n": {"SS": NUMBERS * 2}}}, TOO_LARGE),
    "value": (
        "UpdateItem",
        {
            **TABLE,
            "Key": KEY,
            "UpdateExpression": "ADD n :n",
            "ExpressionAttributeValues": {":n": {"NS": NUMBERS}},
        },
        TOO_LARGE,
    ),
    "batched item": (
        "BatchWriteItem",
        {"RequestItems": {"votes": [{"PutRequest": {"Item": {"n": {"NS": NUMBERS}}}}] * 2}},
        TOO_LARGE,
    ),
}


@pytest.mark.parametrize(("operation", "body", "message"), LISTS.values(), ids=LISTS)
def test_too_long_list_is_rejected_without_walking_it(
    sandbox: Sandbox, operation: str, body: object, message: str
) -> None:
    raw = json.encode(body)
    with pytest.raises(OperationError, match=message) as raised, limit_calls(0):
        sandbox.engine.execute(read_request(target_of(operation), raw))
    status, response = write_error(raised.value)
    assert status == 400
    assert len(response) < LONG // 2


def _long_texts(number: int) -> Iterator[Operation[object]]:
    """Yield requests with a long text in each place, different for each number."""
    text = f"{number:_<{LONG}}"
    scan, update = {**TABLE, "FilterExpression": "a = :a"}, {**TABLE, "Key": KEY}
    bodies: list[tuple[str, dict[str, object]]] = [
        ("PutItem", {"TableName": text, "Item": KEY}),
        ("PutItem", {"TableName": f"arn:aws:dynamodb:us-east-1:1:table/{text}", "Item": KEY}),
        ("BatchGetItem", {"RequestItems": {text: {"Keys": [KEY]}}}),
        ("Query", {**TABLE, "IndexName": text}),
        ("PutItem", {**TABLE, "Item": KEY, "ReturnValues": text}),
        ("PutItem", {**TABLE, "Item": KEY, "ConditionExpression": f"a = {text}"}),
        ("PutItem", {**TABLE, "Item": {**KEY, "n": {"N": text}}}),
        ("GetItem", {**update, "AttributesToGet": [text]}),
        ("GetItem", {**update, "ProjectionExpression": text}),
        (
            "GetItem",
            {
                **update,
                "ProjectionExpression": "#a",
                "ExpressionAttributeNames": {"#a": text},
            },
        ),
        (
            "GetItem",
            {
                **update,
                "ProjectionExpression": "#a",
                "ExpressionAttributeNames": {f"#{text}": "a"},
            },
        ),
        ("Scan", {**scan, "ExpressionAttributeValues": {f":{text}": {"S": "a"}}}),
        ("UpdateItem", {**update, "UpdateExpression": f"REMOVE {text}"}),
        ("TransactWriteItems", {"TransactItems": [], "ClientRequestToken": text}),
    ]
    for operation, body in bodies:
        yield read_request(target_of(operation), json.encode(body))


def test_long_texts_are_rejected_and_not_kept(sandbox: Sandbox) -> None:
    def reject_all(number: int) -> None:
        for operation in _long_texts(number):
            with pytest.raises(OperationError):
                sandbox.engine.execute(operation)

    reject_all(0)
    with _keeps_little():
        reject_all(1)


def _long_names(number: int) -> Iterator[Operation[object]]:
    """Yield requests with the longest attribute names, different for each number."""
    name = f"{number:_<65535}"
    bodies: list[tuple[str, dict[str, object]]] = [
        ("GetItem", {"AttributesToGet": [name]}),
        ("GetItem", {"ProjectionExpression": "#a"}),
        ("UpdateItem", {"UpdateExpression": "REMOVE #a"}),
        ("UpdateItem", {"UpdateExpression": "SET #a.b = #a"}),
        ("UpdateItem", {"AttributeUpdates": {name: {"Action": "DELETE"}}}),
        ("DeleteItem", {"ConditionExpression": "attribute_exists(#a)"}),
        ("DeleteItem", {"Expected": {name: {"Exists": True, "Value": {"S": "a"}}}}),
    ]
    for operation, body in bodies:
        names = {"ExpressionAttributeNames": {"#a": name}} if "#a" in str(body) else {}
        raw = json.encode({**TABLE, "Key": BALLOT, **body, **names})
        yield read_request(target_of(operation), raw)


def test_long_attribute_names_are_not_kept(sandbox: Sandbox) -> None:
    def execute_all(number: int) -> None:
        for operation in _long_names(number):
            with suppress(OperationError):
                sandbox.engine.execute(operation)

    execute_all(0)
    with _keeps_little():
        for number in range(1, 21):
            execute_all(number)


def _long_expression(operation: str, number: int, length: int) -> Operation[object]:
    """Return a request with the largest parsed form of an expression of this length."""
    names = (f"a{number}_{each}" for each in range(length))
    body: dict[str, object] = {**TABLE}
    if operation == "Scan":
        text = ",".join(f"{name}.a.a.a.a.a.a.a.a" for name in names)[:length]
        body["ProjectionExpression"] = text.rpartition(",")[0]
    else:
        text = "SET " + ",".join(f"{name}=:v" for name in names)[: length - 4]
        body |= {"Key": BALLOT, "UpdateExpression": text.rpartition(",")[0]}
        body["ExpressionAttributeValues"] = {":v": {"N": "1"}}
    return read_request(target_of(operation), json.encode(body))


# Otherwise clients could fill hundreds of megabytes with long expressions.
@pytest.mark.parametrize("operation", ["Scan", "UpdateItem"])
def test_caches_of_parsed_expressions_stay_below_200_megabytes(
    sandbox: Sandbox, operation: str
) -> None:
    kept: list[int] = []
    longest = parser.MAX_EXPRESSION_SIZE
    for length in (longest, min(longest, request_expressions.MAX_CACHED_LENGTH - 2)):
        requests = [_long_expression(operation, number, length) for number in range(4)]
        sandbox.engine.execute(requests.pop())
        with _traced_memory() as sizes:
            for request in requests:
                sandbox.engine.execute(request)
        kept.append(sizes[0] // len(requests))
    parsed, cached = kept
    total = parsed * parser.CACHE_SIZE + cached * request_expressions.CACHE_SIZE
    assert total < 200 * LONG


@contextmanager
def _keeps_little() -> Iterator[None]:
    """Fail if the block keeps more than a fraction of a long text in memory."""
    with _traced_memory() as kept:
        yield
    assert kept[0] < LONG // 2


@contextmanager
def _traced_memory() -> Iterator[list[int]]:
    """Yield a list that has the bytes allocated and kept by the block after it ends."""
    kept: list[int] = []
    gc.collect()
    tracemalloc.start()
    try:
        yield kept
        gc.collect()
        kept.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
