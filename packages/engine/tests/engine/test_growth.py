"""What a request costs does not depend on how many items its table has.

The cost is counted in steps of SQLite's virtual machine, which are the same on every computer.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any, NamedTuple, TypeAlias, cast

import apsw
import pytest
from msgspec import json

from dynamodb_engine import BatchWriteItem, Engine, Item, Settings
from dynamodb_engine.engine.handlers import HANDLERS
from dynamodb_engine.engine.settings import StreamShards
from dynamodb_engine.operations import PutRequest, WriteRequest
from dynamodb_engine.wire import read_request
from dynamodb_engine.wire.requests import TARGETS

TABLE = "growing"
TARGET = {target.partition(".")[2]: target for target in TARGETS}
# A block of changes ends with work for all of them, so repeated requests fill more than one.
REPEATED = 70
EXPIRED = 100
NOW = 2_000_000_000
KINESIS = "arn:aws:kinesis:us-east-1:123456789012:stream/growing"

Body: TypeAlias = dict[str, Any]


def item(number: int) -> Item:
    """Return an item; ten share a partition, and a few have expired."""
    expires = NOW - 1 if number < EXPIRED else NOW + 1_000_000
    return {
        **key(number),
        "team": {"S": f"TEAM#{number % 89}"},
        "name": {"S": f"Name {number}"},
        "expires": {"N": str(expires)},
    }


def key(number: int) -> Item:
    """Return the key of an item."""
    return {"pk": {"S": f"USER#{number // 10}"}, "sk": {"S": f"ENTRY#{number % 10}"}}


class Growing:
    """A table of some size, with everything that a table can have."""

    def __init__(self, engine: Engine, size: int) -> None:
        self.engine, self.size = engine, size
        self.steps = 0
        self.execute("CreateTable", create_table(TABLE))
        self.execute("UpdateTimeToLive", ttl(enabled=True))
        numbers = range(size)
        for start in numbers[::25]:
            writes = [WriteRequest(PutRequest(item(each))) for each in numbers[start : start + 25]]
            engine.execute(BatchWriteItem({TABLE: writes}))
        table = self.execute("DescribeTable", {"TableName": TABLE}).table
        self.arn, self.stream = table.table_arn, table.latest_stream_arn
        described = self.execute("DescribeStream", {"StreamArn": self.stream})
        self.shard = described.stream_description.shards[0].shard_id
        self.iterator = self.execute("GetShardIterator", iterator(self, 0)).shard_iterator
        database = cast(Any, engine)._database
        database._connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, self._count)

    def execute(self, operation: str, body: Body) -> Any:
        """Execute an operation."""
        return self.engine.execute(read_request(TARGET[operation], json.encode(body)))

    def _count(self, event: dict[str, Any]) -> None:
        self.steps += event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]

    def cost(self, row: Row) -> int:
        """Execute the requests of a row and return their steps."""
        self.steps = 0
        for number in range(REPEATED if row.repeat else 1):
            # Spread over the table, and never one that has expired.
            place = EXPIRED + number * 7_919 % (self.size - EXPIRED)
            self.execute(row.operation, row.body(self, place))
        return self.steps


class Row(NamedTuple):
    """A request for each place in the table, and why its cost grows with the table, if it does."""

    operation: str
    body: Callable[[Growing, int], Body]
    grows: str = ""
    repeat: bool = True


def create_table(name: str) -> Body:
    """Return a request for a table with indexes and a stream."""
    return {
        "TableName": name,
        "AttributeDefinitions": texts("pk", "sk", "team", "name"),
        "KeySchema": schema("pk", "sk"),
        "BillingMode": "PAY_PER_REQUEST",
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        "GlobalSecondaryIndexes": [index("by_team", "team", "sk")],
        "LocalSecondaryIndexes": [index("by_name", "pk", "name")],
    }


def texts(*names: str) -> list[Body]:
    """Return the definitions of key attributes."""
    return [{"AttributeName": name, "AttributeType": "S"} for name in names]


def schema(partition: str, sort: str) -> list[Body]:
    """Return a key schema."""
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"},
    ]


def index(name: str, partition: str, sort: str) -> Body:
    """Return an index."""
    return {
        "IndexName": name,
        "KeySchema": schema(partition, sort),
        "Projection": {"ProjectionType": "ALL"},
    }


def ttl(*, enabled: bool) -> Body:
    """Return a request that enables or disables TTL."""
    setting = {"Enabled": enabled, "AttributeName": "expires"}
    return {"TableName": TABLE, "TimeToLiveSpecification": setting}


def iterator(table: Growing, _: int) -> Body:
    """Return a request for the oldest records of a shard."""
    return {
        "StreamArn": table.stream,
        "ShardId": table.shard,
        "ShardIteratorType": "TRIM_HORIZON",
    }


def named(**others: Any) -> Callable[[Growing, int], Body]:
    """Return the body with the name of the table and other members."""
    return lambda table, number: {"TableName": TABLE, **others}


def at(**others: Any) -> Callable[[Growing, int], Body]:
    """Return the body with the name of the table, the key of an item and other members."""
    return lambda table, number: {"TableName": TABLE, "Key": key(number), **others}


def query(**others: Any) -> Callable[[Growing, int], Body]:
    """Return a query of a partition."""
    return lambda table, number: {
        "TableName": TABLE,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": key(number)["pk"]},
        **others,
    }


def statement(text: str) -> Callable[[Growing, int], Body]:
    """Return a PartiQL statement whose parameters are a key."""
    return lambda table, number: {"Statement": text, "Parameters": list(key(number).values())}


def statements(member: str, text: str) -> Callable[[Growing, int], Body]:
    """Return a batch or transaction of one PartiQL statement."""
    one = statement(text)
    return lambda table, number: {member: [one(table, number)]}


CHANGED: Body = {
    "UpdateExpression": "SET team = :new",
    "ExpressionAttributeValues": {":new": {"S": "TEAM#new"}},
}
WHERE = "WHERE pk = ? AND sk = ?"
BY_TEAM = {
    "IndexName": "by_team",
    "KeyConditionExpression": "team = :team",
    "ExpressionAttributeValues": {":team": {"S": "TEAM#7"}},
    "Limit": 5,
}

ROWS = [
    Row("GetItem", at()),
    Row("PutItem", lambda table, n: {"TableName": TABLE, "Item": {**item(n), "v": {"S": "1"}}}),
    Row("PutItem", lambda table, n: {"TableName": TABLE, "Item": {**item(n), "pk": {"S": "new"}}}),
    Row("UpdateItem", at(**CHANGED)),
    Row("DeleteItem", at(ReturnValues="ALL_OLD", ReturnItemCollectionMetrics="SIZE")),
    Row("Query", query()),
    Row("Query", query(Select="COUNT", ScanIndexForward=False)),
    Row("Query", named(**BY_TEAM)),
    Row("Scan", named(Limit=5)),
    Row("Scan", named(Limit=5, Segment=3, TotalSegments=4)),
    Row("Scan", named(Select="COUNT"), "a page has up to 1 MB", repeat=False),
    Row(
        "BatchGetItem",
        lambda table, n: {"RequestItems": {TABLE: {"Keys": [key(n - 1), key(n - 11)]}}},
    ),
    Row(
        "BatchWriteItem",
        lambda table, n: {
            "RequestItems": {
                TABLE: [
                    {"PutRequest": {"Item": {**item(n), "v": {"S": "2"}}}},
                    {"DeleteRequest": {"Key": {**key(n), "sk": {"S": "missing"}}}},
                ]
            }
        },
    ),
    Row(
        "TransactGetItems",
        lambda table, n: {"TransactItems": [{"Get": {"TableName": TABLE, "Key": key(n)}}]},
    ),
    Row(
        "TransactWriteItems",
        lambda table, n: {
            "TransactItems": [{"Update": {"TableName": TABLE, "Key": key(n), **CHANGED}}]
        },
    ),
    Row("ExecuteStatement", statement(f'SELECT * FROM "{TABLE}" {WHERE}')),
    Row("ExecuteStatement", statement(f"UPDATE \"{TABLE}\" SET name = 'x' {WHERE}")),
    Row(
        "BatchExecuteStatement",
        statements("Statements", f"UPDATE \"{TABLE}\" SET name = 'y' {WHERE}"),
    ),
    Row(
        "ExecuteTransaction",
        statements("TransactStatements", f"UPDATE \"{TABLE}\" SET name = 'z' {WHERE}"),
    ),
    Row("CreateTable", lambda table, n: create_table("another"), repeat=False),
    Row("DescribeTable", named()),
    Row("UpdateTable", named(DeletionProtectionEnabled=True), repeat=False),
    Row("UpdateTable", named(DeletionProtectionEnabled=False), repeat=False),
    Row(
        "UpdateTable",
        named(
            AttributeDefinitions=texts("name", "pk"),
            GlobalSecondaryIndexUpdates=[{"Create": index("wide", "name", "pk")}],
        ),
        "adds every item to the new index",
        repeat=False,
    ),
    Row("ListTables", lambda table, n: {}),
    Row("DescribeTimeToLive", named()),
    Row(
        "UpdateContinuousBackups",
        named(PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": False}),
        repeat=False,
    ),
    Row("DescribeContinuousBackups", named()),
    Row("EnableKinesisStreamingDestination", named(StreamArn=KINESIS), repeat=False),
    Row(
        "UpdateKinesisStreamingDestination",
        named(
            StreamArn=KINESIS,
            UpdateKinesisStreamingConfiguration={
                "ApproximateCreationDateTimePrecision": "MICROSECOND"
            },
        ),
        repeat=False,
    ),
    Row("DescribeKinesisStreamingDestination", named()),
    Row("DisableKinesisStreamingDestination", named(StreamArn=KINESIS), repeat=False),
    Row(
        "TagResource",
        lambda table, n: {"ResourceArn": table.arn, "Tags": [{"Key": "k", "Value": str(n)}]},
    ),
    Row("ListTagsOfResource", lambda table, n: {"ResourceArn": table.arn}),
    Row("UntagResource", lambda table, n: {"ResourceArn": table.arn, "TagKeys": ["k"]}),
    Row("DescribeLimits", lambda table, n: {}),
    Row("DescribeEndpoints", lambda table, n: {}),
    Row("ListStreams", named()),
    Row("DescribeStream", lambda table, n: {"StreamArn": table.stream}),
    Row("GetShardIterator", iterator),
    Row("GetRecords", lambda table, n: {"ShardIterator": table.iterator, "Limit": 5}),
    Row("ReadChanges", named(After=100, Limit=5)),
    Row("ReadChanges", lambda table, n: {"After": 100, "Limit": 5}),
    Row("SweepExpired", named(Limit=64), repeat=False),
    Row("UpdateTimeToLive", lambda t, n: ttl(enabled=False), "clears all expiry times", False),
    Row("UpdateTimeToLive", lambda t, n: ttl(enabled=True), "stores all expiry times", False),
    Row("DeleteTable", named(), repeat=False),
]


def test_every_operation_has_a_row() -> None:
    assert {row.operation for row in ROWS} == {operation.__name__ for operation in HANDLERS}


def check_growth(few: int, many: int) -> None:
    """Raise AssertionError unless exactly the operations with a reason cost more."""
    settings = Settings(clock=lambda: NOW, stream_shards=StreamShards(records=many * 2))
    with Engine.in_memory(settings) as first, Engine.in_memory(settings) as second:
        small, large = Growing(first, few), Growing(second, many)
        costs = [(row, small.cost(row), large.cost(row)) for row in ROWS]
    factor = log(many) / log(few)
    wrong = [
        f"{row.operation}: {before} steps for {few} items, {after} for {many}; {row.grows}"
        for row, before, after in costs
        if (after > before * factor) != bool(row.grows)
    ]
    assert wrong == []


def test_no_operation_costs_more_in_a_larger_table() -> None:
    check_growth(400, 3_200)


@pytest.mark.rest
def test_no_operation_costs_more_in_a_large_table() -> None:
    check_growth(1_000, 100_000)
