"""The documents' tables in few words: all have the keys PK and SK and are billed by request."""

from __future__ import annotations

from collections.abc import Sequence

from singletable.operations import (
    AttributeDefinition,
    CreateTable,
    GlobalSecondaryIndex,
    KeySchemaElement,
    Projection,
)
from singletable.values import Item

KEY = ("PK", "SK")


def table(name: str, *indexes: GlobalSecondaryIndex, numbers: Sequence[str] = ()) -> CreateTable:
    """A table with its indexes; key attributes are strings but for those named as numbers."""
    schemas = [_schema(KEY[:1], KEY[1:]), *(index.key_schema for index in indexes)]
    names = dict.fromkeys(element.attribute_name for schema in schemas for element in schema)
    return CreateTable(
        table_name=name,
        attribute_definitions=[
            AttributeDefinition(name, "N" if name in numbers else "S") for name in names
        ],
        key_schema=schemas[0],
        global_secondary_indexes=list(indexes) or None,
        billing_mode="PAY_PER_REQUEST",
    )


def index(
    name: str, partition: Sequence[str], sort: Sequence[str], *, include: Sequence[str] = ()
) -> GlobalSecondaryIndex:
    """An index that carries whole items, or its keys and what is to be included."""
    projection = Projection("INCLUDE", list(include)) if include else Projection("ALL")
    return GlobalSecondaryIndex(name, _schema(partition, sort), projection)


def key(partition: str, sort: str) -> Item:
    """The key of one item."""
    return {"PK": {"S": partition}, "SK": {"S": sort}}


def _schema(partition: Sequence[str], sort: Sequence[str]) -> list[KeySchemaElement]:
    return [
        *(KeySchemaElement(name, "HASH") for name in partition),
        *(KeySchemaElement(name, "RANGE") for name in sort),
    ]
