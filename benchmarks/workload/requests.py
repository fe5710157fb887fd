"""The requests, each a value: ours are executed as they are, others are sent their JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchmarks.workload.items import key
from singletable import (
    AttributeDefinition,
    BatchWriteItem,
    CreateTable,
    GlobalSecondaryIndex,
    Item,
    KeySchemaElement,
    Projection,
    Put,
    PutRequest,
    Query,
    TransactWriteItem,
    TransactWriteItems,
    Update,
    UpdateItem,
    WriteRequest,
)

TABLE = "benchmark"
QUERIED = "queried"
INDEXED = "indexed"
COUNTED = "counted"
INDEX = "by_name"
BATCH = 25


def create(table: str = TABLE) -> CreateTable:
    """A table with a partition key and a sort key."""
    return CreateTable(
        table,
        [AttributeDefinition("PK", "S"), AttributeDefinition("SK", "S")],
        [KeySchemaElement("PK", "HASH"), KeySchemaElement("SK", "RANGE")],
        billing_mode="PAY_PER_REQUEST",
    )


CREATE_INDEXED = CreateTable(
    INDEXED,
    [AttributeDefinition(name, "S") for name in ("PK", "SK", "name")],
    [KeySchemaElement("PK", "HASH"), KeySchemaElement("SK", "RANGE")],
    global_secondary_indexes=[
        GlobalSecondaryIndex(
            INDEX,
            [KeySchemaElement("name", "HASH"), KeySchemaElement("SK", "RANGE")],
            Projection("ALL"),
        )
    ],
    billing_mode="PAY_PER_REQUEST",
)


def query(partition: str, table: str = TABLE) -> Query:
    """All items of a partition."""
    return Query(
        table,
        key_condition_expression="PK = :partition",
        expression_attribute_values={":partition": {"S": partition}},
    )


def query_prefix(partition: str, prefix: str) -> Query:
    """The items of a partition whose sort key begins so."""
    return Query(
        TABLE,
        key_condition_expression="PK = :partition AND begins_with(SK, :prefix)",
        expression_attribute_values={":partition": {"S": partition}, ":prefix": {"S": prefix}},
    )


def query_index(name: str) -> Query:
    """The items of an index that have a name."""
    return Query(
        INDEXED,
        INDEX,
        key_condition_expression="#name = :name",
        expression_attribute_names={"#name": "name"},
        expression_attribute_values={":name": {"S": name}},
    )


def count(partition: str, start: Item | None = None, table: str = TABLE) -> Query:
    """How many items a partition has; one page of the answer."""
    return Query(
        table,
        select="COUNT",
        exclusive_start_key=start,
        key_condition_expression="PK = :partition",
        expression_attribute_values={":partition": {"S": partition}},
    )


def update(partition: str, sort: str) -> UpdateItem:
    """One year more, unless there are very many."""
    return UpdateItem(
        TABLE,
        key(partition, sort),
        update_expression="SET years = years + :one",
        condition_expression="years < :most",
        expression_attribute_values={":one": {"N": "1"}, ":most": {"N": "1000000000"}},
    )


def transaction(new: Item, partition: str, sort: str) -> TransactWriteItems:
    """An item that must not be there yet, and one year more for one that is."""
    put = Put(TABLE, new, condition_expression="attribute_not_exists(PK)")
    add = Update(
        TABLE,
        key(partition, sort),
        "ADD years :one",
        expression_attribute_values={":one": {"N": "1"}},
    )
    return TransactWriteItems([TransactWriteItem(put=put), TransactWriteItem(update=add)])


def batch(items: Iterable[Item], table: str = TABLE) -> BatchWriteItem:
    """Store up to 25 items."""
    return BatchWriteItem({table: [WriteRequest(PutRequest(item)) for item in items]})


def batches(items: Iterable[Item], table: str = TABLE) -> Iterator[BatchWriteItem]:
    """Store any number of items, 25 at a time."""
    waiting: list[Item] = []
    for item in items:
        waiting.append(item)
        if len(waiting) == BATCH:
            yield batch(waiting, table)
            waiting = []
    if waiting:
        yield batch(waiting, table)
