"""An endpoint that measures what requests consume answers them as one that does not."""

from __future__ import annotations

import pytest
from msgspec import json

from singletable.server import Metrics, Observer
from tests.server.asking import BALLOT, KEY, desk

IN_VOTES = {"TableName": "votes"}
PUT = {"Put": {**IN_VOTES, "Item": {**BALLOT, "choice": {"S": "milk"}}}}
OF_POLL = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "poll"}}}
OF_ADA = {"KeyConditionExpression": "voter = :a", "ExpressionAttributeValues": {":a": {"S": "ada"}}}

REQUESTS: dict[str, tuple[str, dict[str, object]]] = {
    "get": ("GetItem", {**IN_VOTES, "Key": KEY}),
    "get nothing": ("GetItem", {**IN_VOTES, "Key": {**KEY, "sk": {"S": "bob"}}}),
    "put": ("PutItem", {**IN_VOTES, "Item": {**BALLOT, "day": {"S": "friday"}}}),
    "update": (
        "UpdateItem",
        {**IN_VOTES, "Key": KEY, "UpdateExpression": "REMOVE voter", "ReturnValues": "ALL_NEW"},
    ),
    "delete": ("DeleteItem", {**IN_VOTES, "Key": KEY, "ReturnItemCollectionMetrics": "SIZE"}),
    "query": ("Query", {**IN_VOTES, **OF_POLL}),
    "query of an index": ("Query", {**IN_VOTES, **OF_ADA, "IndexName": "by_voter"}),
    "query of a local index": ("Query", {**IN_VOTES, **OF_POLL, "IndexName": "by_day"}),
    "scan": ("Scan", {**IN_VOTES, "Select": "COUNT"}),
    "batch get": ("BatchGetItem", {"RequestItems": {"votes": {"Keys": [KEY]}}}),
    "batch write": (
        "BatchWriteItem",
        {"RequestItems": {"votes": [{"DeleteRequest": {"Key": KEY}}]}},
    ),
    "transaction that reads": (
        "TransactGetItems",
        {"TransactItems": [{"Get": {**IN_VOTES, "Key": KEY}}]},
    ),
    "transaction that writes": ("TransactWriteItems", {"TransactItems": [PUT]}),
    "transaction that is sent twice": (
        "TransactWriteItems",
        {"TransactItems": [PUT], "ClientRequestToken": "once"},
    ),
    "a refusal": (
        "PutItem",
        {**IN_VOTES, "Item": KEY, "ConditionExpression": "attribute_exists(x)"},
    ),
    "limits of the account": ("DescribeLimits", {}),
}
ASKED: list[object] = [None, "NONE", "TOTAL", "INDEXES", "SOME", 7]


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize(("operation", "body"), REQUESTS.values(), ids=list(REQUESTS))
def test_the_client_is_told_what_it_asked_for(
    operation: str, body: dict[str, object], asked: object
) -> None:
    if asked is not None:
        body = {**body, "ReturnConsumedCapacity": asked}
    with desk() as plain, desk(Observer(Metrics())) as measured:
        for _ in range(2):
            expected = plain.ask(operation, body)
            response = measured.ask(operation, body)
            assert (response.status, response.body) == (expected.status, expected.body)


@pytest.mark.parametrize("asked", [None, "NONE", "TOTAL", "INDEXES"])
def test_what_is_consumed_is_counted_whatever_the_client_asked(asked: str | None) -> None:
    metrics = Metrics()
    with desk(Observer(metrics)) as measured:
        metrics.units = {"read": {}, "write": {}}
        asking = {} if asked is None else {"ReturnConsumedCapacity": asked}
        measured.told("GetItem", {**IN_VOTES, "Key": KEY, **asking})
        measured.told("BatchGetItem", {"RequestItems": {"votes": {"Keys": [KEY]}}, **asking})
        measured.told("Query", {**IN_VOTES, **OF_ADA, "IndexName": "by_voter", **asking})
        measured.told("DeleteItem", {**IN_VOTES, "Key": KEY, **asking})
        measured.told("TransactWriteItems", {"TransactItems": [PUT], **asking})
    assert metrics.units == {
        "read": {("votes", ""): 1.0, ("votes", "by_voter"): 0.5},
        "write": {("votes", ""): 3.0, ("votes", "by_voter"): 2.0, ("votes", "by_day"): 2.0},
    }


# A transaction that is sent again reads back what it wrote, and is charged for reading.
def test_a_transaction_that_is_sent_again_reads() -> None:
    metrics = Metrics()
    with desk(Observer(metrics)) as measured:
        twice = {"TransactItems": [PUT], "ClientRequestToken": "once"}
        measured.told("TransactWriteItems", twice)
        written = dict(metrics.units["write"])
        measured.told("TransactWriteItems", twice)
    assert metrics.units["write"] == written
    assert metrics.units["read"] == {("votes", ""): 2.0}


# The total of a client that asked for the total is that of the parts we asked for.
def test_a_total_has_no_parts() -> None:
    with desk(Observer(Metrics())) as measured:
        body = {**IN_VOTES, "Key": KEY, "ReturnConsumedCapacity": "TOTAL"}
        told = json.decode(measured.ask("DeleteItem", body).body)
    assert told == {"ConsumedCapacity": {"TableName": "votes", "CapacityUnits": 3.0}}
