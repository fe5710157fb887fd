"""Expressions on large items: work and memory are limited, however often a value is named."""

from __future__ import annotations

import cProfile
import tracemalloc
from collections.abc import Generator

import pytest
from msgspec import json

from dynamodb_engine import AttributeValue, Item, Settings, ValidationError
from dynamodb_engine.engine import Engine
from dynamodb_engine.errors import OperationError, TransactionCanceled
from dynamodb_engine.operations import Scan
from dynamodb_engine.wire import read_request
from tools.testing.app_client import VOTES

ELEMENTS = 1000
LIST: AttributeValue = {"L": [{"S": "x" * 350}] * ELEMENTS}
OTHER: AttributeValue = {"L": [*LIST["L"][:-1], {"S": "y" * 350}]}


def _key(number: int) -> Item:
    return {"pk": {"S": "poll"}, "sk": {"S": str(number)}}


def _execute(engine: Engine, operation: str, body: object) -> None:
    engine.execute(read_request(f"DynamoDB_20120810.{operation}", json.encode(body)))


@pytest.fixture
def engine() -> Generator[Engine]:
    with Engine.in_memory() as engine:
        _execute(engine, "CreateTable", VOTES)
        for number in range(20):
            _execute(engine, "PutItem", {"TableName": "votes", "Item": {**_key(number), "l": LIST}})
        yield engine


COPIES = ", ".join(f"c{number} = l" for number in range(300))
APPENDED = ", ".join(f"c{number} = list_append(l, l)" for number in range(99))


@pytest.mark.parametrize(
    ("operation", "expressions"),
    [
        ("UpdateItem", {"UpdateExpression": f"SET {COPIES}"}),
        ("UpdateItem", {"UpdateExpression": f"SET {APPENDED}"}),
        (
            "DeleteItem",
            {
                "ConditionExpression": f"l IN ({', '.join([':other'] * 100)})",
                "ExpressionAttributeValues": {":other": OTHER},
            },
        ),
    ],
    ids=["copies", "appended lists", "options"],
)
def test_an_expression_reads_a_large_value_only_a_few_times(
    engine: Engine, operation: str, expressions: dict[str, object]
) -> None:
    profile = cProfile.Profile()
    with profile, pytest.raises(OperationError):
        _execute(engine, operation, {"TableName": "votes", "Key": _key(0), **expressions})
    calls = sum(entry.callcount for entry in profile.getstats())
    assert calls < 100 * ELEMENTS  # including those that parse the expression


def test_an_update_builds_no_more_lists_than_fit_into_an_item(engine: Engine) -> None:
    empty: AttributeValue = {"L": [{"S": ""}] * 200_000}
    _execute(engine, "PutItem", {"TableName": "votes", "Item": {**_key(0), "l": empty}})
    update = {"TableName": "votes", "Key": _key(0), "UpdateExpression": f"SET {APPENDED}"}
    tracemalloc.start()
    with pytest.raises(ValidationError, match="Item size to update has exceeded"):
        _execute(engine, "UpdateItem", update)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000_000  # 99 lists would take 300 MB


def test_a_transaction_decodes_one_item_at_a_time(engine: Engine) -> None:
    numbers = list(range(20))
    many: AttributeValue = {"L": [{"S": ""}] * 10_000}
    for number in numbers:
        _execute(engine, "PutItem", {"TableName": "votes", "Item": {**_key(number), "l": many}})
    actions = [
        {
            "Update": {
                "TableName": "votes",
                "Key": _key(number),
                "UpdateExpression": "SET choice = :tea",
                "ConditionExpression": "attribute_exists(l)",
                "ExpressionAttributeValues": {":tea": {"S": "tea"}},
            }
        }
        for number in numbers
    ]
    peaks: list[int] = []
    for some in (actions[:1], actions):
        tracemalloc.start()
        _execute(engine, "TransactWriteItems", {"TransactItems": some})
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0] + 20 * 200_000  # the JSON of each item is read beforehand


def test_a_canceled_transaction_returns_four_megabytes_of_items(engine: Engine) -> None:
    checks = [
        {
            "ConditionCheck": {
                "TableName": "votes",
                "Key": _key(number),
                "ConditionExpression": "attribute_not_exists(l)",
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            }
        }
        for number in range(20)
    ]
    with pytest.raises(TransactionCanceled) as canceled:
        _execute(engine, "TransactWriteItems", {"TransactItems": checks})
    assert {reason.code for reason in canceled.value.reasons} == {"ConditionalCheckFailed"}
    items = [reason.item is not None for reason in canceled.value.reasons]
    assert items == [True] * 11 + [False] * 9  # of 351 KB each


def test_a_transaction_that_takes_too_long_is_rejected_and_changes_nothing() -> None:
    actions = [{"Put": {"TableName": "votes", "Item": _key(number)}} for number in range(2)]
    with Engine.in_memory(Settings(max_transaction_seconds=0)) as engine:
        _execute(engine, "CreateTable", VOTES)
        with pytest.raises(ValidationError, match="takes more than 0 s of processor time"):
            _execute(engine, "TransactWriteItems", {"TransactItems": actions})
        assert engine.execute(Scan("votes")).count == 0


def test_the_size_of_a_value_is_computed_once_for_all_indexes() -> None:
    indexes = [
        {
            "IndexName": f"by_voter_{number}",
            "KeySchema": [{"AttributeName": "voter", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["l", str(number)]},
        }
        for number in range(20)
    ]
    item: Item = {**_key(0), "voter": {"S": "ada"}, "l": LIST}
    calls: list[int] = []
    for some in (indexes[:1], indexes):
        with Engine.in_memory() as engine:
            _execute(engine, "CreateTable", VOTES | {"GlobalSecondaryIndexes": some})
            profile = cProfile.Profile()
            with profile:
                _execute(engine, "PutItem", {"TableName": "votes", "Item": item})
        calls.append(sum(entry.callcount for entry in profile.getstats()))
    assert calls[1] < calls[0] + 2 * ELEMENTS
