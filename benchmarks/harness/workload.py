"""Items and requests that all benchmarks share.

Items have about 250 bytes and four attributes, in a thousand partitions. Requests are operations:
our drivers execute them, other contenders get their JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dynamodb_engine import (
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

PARTITIONS = 1_000
_NAME = "x" * 200


def nth_partition(number: int) -> str:
    """Return the partition key of an item."""
    return f"USER#{number % PARTITIONS}"


def nth_sort_key(number: int) -> str:
    """Return the sort key of an item; sort keys have the order of the numbers."""
    return f"SKILL#{number:09}"


def nth_key(number: int) -> Item:
    """Return the key of an item."""
    return key(nth_partition(number), nth_sort_key(number))


def nth_item(number: int) -> Item:
    """Return an item."""
    return item(nth_partition(number), nth_sort_key(number), str(number))


def key(partition: str, sort: str) -> Item:
    """Return a key."""
    return {"PK": {"S": partition}, "SK": {"S": sort}}


def item(partition: str, sort: str, years: str) -> Item:
    """Return an item with these keys."""
    return {
        "PK": {"S": partition},
        "SK": {"S": sort},
        "name": {"S": _NAME},
        "years": {"N": years},
    }


TABLE = "benchmark"
QUERIED = "queried"
INDEXED = "indexed"
COUNTED = "counted"
INDEX = "by_name"
BATCH = 25


def create(table: str = TABLE) -> CreateTable:
    """Create a table with a partition key and a sort key."""
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
    """Query all items of a partition."""
    return Query(
        table,
        key_condition_expression="PK = :partition",
        expression_attribute_values={":partition": {"S": partition}},
    )


def query_prefix(partition: str, prefix: str) -> Query:
    """Query the items of a partition whose sort key has a prefix."""
    return Query(
        TABLE,
        key_condition_expression="PK = :partition AND begins_with(SK, :prefix)",
        expression_attribute_values={":partition": {"S": partition}, ":prefix": {"S": prefix}},
    )


def query_index(name: str) -> Query:
    """Query the items with a name in the index."""
    return Query(
        INDEXED,
        INDEX,
        key_condition_expression="#name = :name",
        expression_attribute_names={"#name": "name"},
        expression_attribute_values={":name": {"S": name}},
    )


def count(partition: str, start: Item | None = None, table: str = TABLE) -> Query:
    """Count the items of a partition, one page at a time."""
    return Query(
        table,
        select="COUNT",
        exclusive_start_key=start,
        key_condition_expression="PK = :partition",
        expression_attribute_values={":partition": {"S": partition}},
    )


def update(partition: str, sort: str) -> UpdateItem:
    """Add one to the years of an item, with a condition."""
    return UpdateItem(
        TABLE,
        key(partition, sort),
        update_expression="SET years = years + :one",
        condition_expression="years < :most",
        expression_attribute_values={":one": {"N": "1"}, ":most": {"N": "1000000000"}},
    )


def transaction(new: Item, partition: str, sort: str) -> TransactWriteItems:
    """Put a new item and update another one in a transaction."""
    put = Put(TABLE, new, condition_expression="attribute_not_exists(PK)")
    add = Update(
        TABLE,
        key(partition, sort),
        "ADD years :one",
        expression_attribute_values={":one": {"N": "1"}},
    )
    return TransactWriteItems([TransactWriteItem(put=put), TransactWriteItem(update=add)])


def batch(items: Iterable[Item], table: str = TABLE) -> BatchWriteItem:
    """Put up to 25 items."""
    return BatchWriteItem({table: [WriteRequest(PutRequest(item)) for item in items]})


def batches(items: Iterable[Item], table: str = TABLE) -> Iterator[BatchWriteItem]:
    """Put any number of items, 25 at a time."""
    pending: list[Item] = []
    for item in items:
        pending.append(item)
        if len(pending) == BATCH:
            yield batch(pending, table)
            pending = []
    if pending:
        yield batch(pending, table)
