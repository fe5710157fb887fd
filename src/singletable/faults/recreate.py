"""The request that makes an empty table like one that is described."""

from __future__ import annotations

from singletable.operations import (
    CreateTable,
    GlobalSecondaryIndex,
    LocalSecondaryIndex,
    TableDescription,
)


def recreated(table: TableDescription) -> CreateTable:
    """What makes a table with the same keys and indexes, and no limit on its throughput."""
    local_indexes = [
        LocalSecondaryIndex(index.index_name, index.key_schema, index.projection)
        for index in table.local_secondary_indexes or ()
    ]
    global_indexes = [
        GlobalSecondaryIndex(index.index_name, index.key_schema, index.projection)
        for index in table.global_secondary_indexes or ()
    ]
    schemas = [
        table.key_schema,
        *(index.key_schema for index in local_indexes),
        *(index.key_schema for index in global_indexes),
    ]
    in_use = {part.attribute_name for schema in schemas for part in schema}
    return CreateTable(
        table.table_name,
        # A table is refused if it defines an attribute that no key has.
        [one for one in table.attribute_definitions if one.attribute_name in in_use],
        table.key_schema,
        local_secondary_indexes=local_indexes or None,
        global_secondary_indexes=global_indexes or None,
        billing_mode="PAY_PER_REQUEST",
    )
