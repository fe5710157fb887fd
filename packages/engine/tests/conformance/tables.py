"""Tables for the tests, and helpers that read them."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from dynamodb_engine.operations import (
    AttributeDefinition,
    CreateTable,
    Driver,
    GetItem,
    GlobalSecondaryIndex,
    KeySchemaElement,
    LocalSecondaryIndex,
    Projection,
    PutItem,
)
from dynamodb_engine.values import AttributeValue, Item, KeyType


@dataclass(frozen=True)
class Index:
    """A secondary index to create with a table; `include=None` projects everything."""

    name: str
    key: dict[str, KeyType]
    include: tuple[str, ...] | None
    is_global: bool


def global_index(name: str, *, include: tuple[str, ...] | None = None, **key: KeyType) -> Index:
    """Return a global secondary index with these key attributes, partition first."""
    return Index(name, key, include, is_global=True)


def local_index(name: str, *, include: tuple[str, ...] | None = None, **key: KeyType) -> Index:
    """Return a local secondary index with these key attributes, the table's partition key first."""
    return Index(name, key, include, is_global=False)


def table_request(*indexes: Index, **key: KeyType) -> CreateTable:
    """Return a request for a table with these key attributes, partition first."""
    types = dict(key)
    for index in indexes:
        types |= index.key
    return CreateTable(
        unused_name(),
        [AttributeDefinition(attribute, kind) for attribute, kind in types.items()],
        _schema(key),
        local_secondary_indexes=[
            LocalSecondaryIndex(index.name, _schema(index.key), _projection(index))
            for index in indexes
            if not index.is_global
        ]
        or None,
        global_secondary_indexes=[
            GlobalSecondaryIndex(index.name, _schema(index.key), _projection(index))
            for index in indexes
            if index.is_global
        ]
        or None,
        billing_mode="PAY_PER_REQUEST",
    )


def make_table(driver: Driver, *indexes: Index, **key: KeyType) -> str:
    """Create a table with these key attributes, partition first, and return its name."""
    return driver.execute(table_request(*indexes, **key)).table_description.table_name


# The attribute `grade` is a key of three indexes, and `year` of two.
INDEXES = (
    local_index("local_grade", pk="S", grade="S"),
    local_index("local_year", include=("grade",), pk="S", year="S"),
    global_index("by_grade", grade="S"),
    global_index("by_grade_and_year", include=("note",), grade="S", year="S"),
)


def make_indexed_table(driver: Driver) -> str:
    """Create a table with the key pk and sk and all of INDEXES."""
    return make_table(driver, *INDEXES, pk="S", sk="S")


def unused_name() -> str:
    """Return a name that no table has."""
    return f"_table-{uuid.uuid4().hex}"


def ada(**attributes: AttributeValue) -> Item:
    """Return an item with the partition key `ada` and these attributes."""
    return {"pk": {"S": "ada"}, **attributes}


def put(driver: Driver, table: str, *items: Item) -> None:
    """Store the items."""
    for item in items:
        driver.execute(PutItem(table, item))


def stored(driver: Driver, table: str, key: Item) -> Item | None:
    """Return the stored item, or None."""
    return driver.execute(GetItem(table, key, consistent_read=True)).item


def _schema(key: dict[str, KeyType]) -> list[KeySchemaElement]:
    partition, *sort = key
    return [
        KeySchemaElement(partition, "HASH"),
        *(KeySchemaElement(attribute, "RANGE") for attribute in sort),
    ]


def _projection(index: Index) -> Projection:
    if index.include is None:
        return Projection("ALL")
    return Projection("INCLUDE", list(index.include))
