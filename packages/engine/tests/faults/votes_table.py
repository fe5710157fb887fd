"""A table for fault injection tests, and requests to it."""

from __future__ import annotations

import time
from collections.abc import Callable

from dynamodb_engine.engine import Engine, Settings
from dynamodb_engine.operations import (
    AttributeDefinition,
    BatchWriteItem,
    BillingMode,
    CreateTable,
    Driver,
    GetItem,
    GlobalSecondaryIndex,
    KeySchemaElement,
    Projection,
    ProvisionedThroughput,
    Put,
    PutItem,
    PutRequest,
    Query,
    Scan,
    TransactWriteItem,
    WriteRequest,
)
from dynamodb_engine.values import Item

ARN = "arn:aws:dynamodb:eu-west-2:123456789012:table/votes"


def create_votes(name: str = "votes", billing_mode: BillingMode = "PAY_PER_REQUEST") -> CreateTable:
    throughput = ProvisionedThroughput(1, 1) if billing_mode == "PROVISIONED" else None
    return CreateTable(
        name,
        [AttributeDefinition(name, "S") for name in ("PK", "SK", "voter")],
        [KeySchemaElement("PK", "HASH"), KeySchemaElement("SK", "RANGE")],
        global_secondary_indexes=[
            GlobalSecondaryIndex(
                "by_voter",
                [KeySchemaElement("voter", "HASH")],
                Projection("ALL"),
                provisioned_throughput=throughput,
            )
        ],
        billing_mode=billing_mode,
        provisioned_throughput=throughput,
    )


def create_engine(
    billing_mode: BillingMode = "PAY_PER_REQUEST", clock: Callable[[], float] = time.time
) -> Engine:
    engine = Engine.in_memory(Settings(region="eu-west-2", account="123456789012", clock=clock))
    engine.execute(create_votes(billing_mode=billing_mode))
    return engine


def key(partition: str = "ELECTION#1", sort: str = "ada") -> Item:
    return {"PK": {"S": partition}, "SK": {"S": sort}}


def ballot(partition: str = "ELECTION#1", sort: str = "ada", choice: str = "yes") -> Item:
    return {**key(partition, sort), "voter": {"S": sort}, "choice": {"S": choice}}


def put(partition: str = "ELECTION#1", sort: str = "ada", choice: str = "yes") -> PutItem:
    return PutItem("votes", ballot(partition, sort, choice))


def get(partition: str = "ELECTION#1", sort: str = "ada", *, consistent: bool = False) -> GetItem:
    return GetItem("votes", key(partition, sort), consistent_read=consistent)


def query_partition(partition: str, *, consistent: bool = False) -> Query:
    return Query(
        "votes",
        key_condition_expression="PK = :pk",
        expression_attribute_values={":pk": {"S": partition}},
        consistent_read=consistent,
    )


def query_voter(voter: str) -> Query:
    return Query(
        "votes",
        "by_voter",
        key_condition_expression="voter = :voter",
        expression_attribute_values={":voter": {"S": voter}},
    )


def batch_put(*sorts: str) -> BatchWriteItem:
    return BatchWriteItem(
        {"votes": [WriteRequest(PutRequest(ballot(sort=sort))) for sort in sorts]}
    )


def transact_put(sort: str) -> TransactWriteItem:
    return TransactWriteItem(put=Put("votes", ballot(sort=sort)))


def contents(driver: Driver, table: str = "votes") -> dict[tuple[str, str], Item]:
    """Return all items of a table by key, read consistently."""
    items: list[Item] = []
    scan = Scan(table, consistent_read=True)
    while True:
        page = driver.execute(scan)
        items += page.items
        if page.last_evaluated_key is None:
            return {(item["PK"]["S"], item["SK"]["S"]): item for item in items}
        start = page.last_evaluated_key
        scan = Scan(table, exclusive_start_key=start, consistent_read=True)
