"""The operation that makes a declared table."""

from __future__ import annotations

from singletable.operations import (
    AttributeDefinition,
    CreateTable,
    GlobalSecondaryIndex,
    KeySchemaElement,
    LocalSecondaryIndex,
    Projection,
    ProvisionedThroughput,
)
from singletable.schema.table import Index, KeyAttribute, Table


def create_operation(table: Table, name: str | None = None) -> CreateTable:
    """CreateTable for a table as it is declared, under its name or another."""
    keys = [*table.key_attributes]
    for index in table.indexes:
        keys += [*index.pk, *index.sk]
    throughput = _throughput(table)
    globals_ = [
        GlobalSecondaryIndex(
            index.name, _schema(index.pk, index.sk), _projection(index), throughput
        )
        for index in table.indexes
        if not index.local
    ]
    locals_ = [
        LocalSecondaryIndex(index.name, _schema(index.pk, index.sk), _projection(index))
        for index in table.indexes
        if index.local
    ]
    return CreateTable(
        name or table.name,
        [
            AttributeDefinition(attribute.name, attribute.type)
            for attribute in {attribute.name: attribute for attribute in keys}.values()
        ],
        _schema((table.pk,), () if table.sk is None else (table.sk,)),
        global_secondary_indexes=globals_ or None,
        local_secondary_indexes=locals_ or None,
        billing_mode="PAY_PER_REQUEST" if throughput is None else "PROVISIONED",
        provisioned_throughput=throughput,
    )


def _schema(pk: tuple[KeyAttribute, ...], sk: tuple[KeyAttribute, ...]) -> list[KeySchemaElement]:
    return [
        *(KeySchemaElement(attribute.name, "HASH") for attribute in pk),
        *(KeySchemaElement(attribute.name, "RANGE") for attribute in sk),
    ]


def _projection(index: Index) -> Projection:
    if index.projection == "ALL":
        return Projection("ALL")
    if index.projection == "KEYS_ONLY":
        return Projection("KEYS_ONLY")
    return Projection("INCLUDE", list(index.projection))


def _throughput(table: Table) -> ProvisionedThroughput | None:
    if table.capacity is None:
        return None
    return ProvisionedThroughput(table.capacity.read, table.capacity.write)
