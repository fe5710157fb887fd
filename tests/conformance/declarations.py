"""Requests to make tables and indexes, said briefly."""

from __future__ import annotations

from msgspec.structs import replace

from singletable.operations import (
    AttributeDefinition,
    CreateGlobalSecondaryIndexAction,
    CreateTable,
    DescribeTable,
    Driver,
    GlobalSecondaryIndex,
    GlobalSecondaryIndexDescription,
    GlobalSecondaryIndexUpdate,
    KeySchemaElement,
    LocalSecondaryIndex,
    Projection,
    ProvisionedThroughput,
    TableDescription,
    UpdateTable,
)
from singletable.values import KeyType
from tests.conformance.tables import unused_name

ALL = Projection("ALL")
KEYS_ONLY = Projection("KEYS_ONLY")
FIVE = ProvisionedThroughput(5, 5)
TEN = ProvisionedThroughput(10, 10)


def typed(**types: KeyType) -> list[AttributeDefinition]:
    """Attribute definitions: `typed(pk="S", sk="N")`."""
    return [AttributeDefinition(name, kind) for name, kind in types.items()]


def hashed(*names: str) -> list[KeySchemaElement]:
    """Attributes that partition."""
    return [KeySchemaElement(name, "HASH") for name in names]


def ranged(*names: str) -> list[KeySchemaElement]:
    """Attributes that sort."""
    return [KeySchemaElement(name, "RANGE") for name in names]


def on_demand(**changes: object) -> CreateTable:
    """A table on demand with the key `pk`, but for the changes."""
    base = CreateTable(unused_name(), typed(pk="S"), hashed("pk"), billing_mode="PAY_PER_REQUEST")
    return replace(base, **changes)


def provisioned(**changes: object) -> CreateTable:
    """A table of five read and five write units with the key `pk`, but for the changes."""
    return on_demand(**{"billing_mode": None, "provisioned_throughput": FIVE, **changes})


def sorted_table(**changes: object) -> CreateTable:
    """A table on demand with the keys `pk` and `sk`, but for the changes."""
    key = [*hashed("pk"), *ranged("sk")]
    defaults = {"attribute_definitions": typed(pk="S", sk="S"), "key_schema": key}
    return on_demand(**{**defaults, **changes})


def wide(
    name: str = "by-g", keys: list[KeySchemaElement] | None = None, **changes: object
) -> GlobalSecondaryIndex:
    """A global secondary index on `g`, but for the changes."""
    return replace(GlobalSecondaryIndex(name, keys or hashed("g"), ALL), **changes)


def local(
    name: str = "by-l", keys: list[KeySchemaElement] | None = None, **changes: object
) -> LocalSecondaryIndex:
    """A local secondary index on `pk` and `l`, but for the changes."""
    keys = keys or [*hashed("pk"), *ranged("l")]
    return replace(LocalSecondaryIndex(name, keys, ALL), **changes)


def added(
    name: str = "by-g", keys: list[KeySchemaElement] | None = None, **changes: object
) -> GlobalSecondaryIndexUpdate:
    """The addition of a global secondary index on `g`, but for the changes."""
    action = CreateGlobalSecondaryIndexAction(name, keys or hashed("g"), ALL)
    return GlobalSecondaryIndexUpdate(create=replace(action, **changes))


def add_index(table: str, index: GlobalSecondaryIndexUpdate, **types: KeyType) -> UpdateTable:
    """A request to add an index, with the types of its key attributes."""
    return UpdateTable(table, typed(**types), global_secondary_index_updates=[index])


def made(driver: Driver, request: CreateTable) -> str:
    """Make the table and give its name."""
    return driver.execute(request).table_description.table_name


def described(driver: Driver, table: str) -> TableDescription:
    """The table as it stands."""
    return driver.execute(DescribeTable(table)).table


def shown(driver: Driver, request: CreateTable) -> TableDescription:
    """Make the table and describe it."""
    return described(driver, made(driver, request))


def indexes(table: TableDescription) -> list[GlobalSecondaryIndexDescription]:
    """The global secondary indexes of a table, in order."""
    return table.global_secondary_indexes or []
