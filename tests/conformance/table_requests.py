"""Short builders for CreateTable and UpdateTable requests."""

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
    StreamSpecification,
    TableDescription,
    UpdateTable,
)
from singletable.values import KeyType
from tests.conformance.tables import unused_name

ALL = Projection("ALL")
KEYS_ONLY = Projection("KEYS_ONLY")
FIVE = ProvisionedThroughput(5, 5)
TEN = ProvisionedThroughput(10, 10)
STREAM = StreamSpecification(stream_enabled=True, stream_view_type="KEYS_ONLY")


def typed(**types: KeyType) -> list[AttributeDefinition]:
    """Return attribute definitions: `typed(pk="S", sk="N")`."""
    return [AttributeDefinition(name, kind) for name, kind in types.items()]


def hashed(*names: str) -> list[KeySchemaElement]:
    """Return partition key elements."""
    return [KeySchemaElement(name, "HASH") for name in names]


def ranged(*names: str) -> list[KeySchemaElement]:
    """Return sort key elements."""
    return [KeySchemaElement(name, "RANGE") for name in names]


def on_demand(**changes: object) -> CreateTable:
    """Return an on-demand table with the key `pk`, with these changes."""
    base = CreateTable(unused_name(), typed(pk="S"), hashed("pk"), billing_mode="PAY_PER_REQUEST")
    return replace(base, **changes)


def provisioned(**changes: object) -> CreateTable:
    """Return a table with 5 read and 5 write units and the key `pk`, with these changes."""
    return on_demand(**{"billing_mode": None, "provisioned_throughput": FIVE, **changes})


def sorted_table(**changes: object) -> CreateTable:
    """Return an on-demand table with the keys `pk` and `sk`, with these changes."""
    key = [*hashed("pk"), *ranged("sk")]
    defaults = {"attribute_definitions": typed(pk="S", sk="S"), "key_schema": key}
    return on_demand(**{**defaults, **changes})


def wide(
    name: str = "by-g", keys: list[KeySchemaElement] | None = None, **changes: object
) -> GlobalSecondaryIndex:
    """Return a global secondary index on `g`, with these changes."""
    return replace(GlobalSecondaryIndex(name, keys or hashed("g"), ALL), **changes)


def local(
    name: str = "by-l", keys: list[KeySchemaElement] | None = None, **changes: object
) -> LocalSecondaryIndex:
    """Return a local secondary index on `pk` and `l`, with these changes."""
    keys = keys or [*hashed("pk"), *ranged("l")]
    return replace(LocalSecondaryIndex(name, keys, ALL), **changes)


def added(
    name: str = "by-g", keys: list[KeySchemaElement] | None = None, **changes: object
) -> GlobalSecondaryIndexUpdate:
    """Return an action that creates a global secondary index on `g`, with these changes."""
    action = CreateGlobalSecondaryIndexAction(name, keys or hashed("g"), ALL)
    return GlobalSecondaryIndexUpdate(create=replace(action, **changes))


def add_index(table: str, index: GlobalSecondaryIndexUpdate, **types: KeyType) -> UpdateTable:
    """Return a request that adds an index, with the types of its key attributes."""
    return UpdateTable(table, typed(**types), global_secondary_index_updates=[index])


def made(driver: Driver, request: CreateTable) -> str:
    """Create the table and return its name."""
    return driver.execute(request).table_description.table_name


def described(driver: Driver, table: str) -> TableDescription:
    """Return the table's current description."""
    return driver.execute(DescribeTable(table)).table


def shown(driver: Driver, request: CreateTable) -> TableDescription:
    """Create the table and return its description."""
    return described(driver, made(driver, request))


def indexes(table: TableDescription) -> list[GlobalSecondaryIndexDescription]:
    """Return the global secondary indexes of a table, in order."""
    return table.global_secondary_indexes or []
