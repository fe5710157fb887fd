"""Short builders for CreateTable and UpdateTable requests."""

from __future__ import annotations

from msgspec.structs import replace

from dynamodb_engine import operations as ops
from dynamodb_engine.values import KeyType
from tests.conformance.tables import unused_name

ALL = ops.Projection("ALL")
KEYS_ONLY = ops.Projection("KEYS_ONLY")
FIVE = ops.ProvisionedThroughput(5, 5)
TEN = ops.ProvisionedThroughput(10, 10)
STREAM = ops.StreamSpecification(stream_enabled=True, stream_view_type="KEYS_ONLY")


def typed(**types: KeyType) -> list[ops.AttributeDefinition]:
    """Return attribute definitions: `typed(pk="S", sk="N")`."""
    return [ops.AttributeDefinition(name, kind) for name, kind in types.items()]


def hashed(*names: str) -> list[ops.KeySchemaElement]:
    """Return partition key elements."""
    return [ops.KeySchemaElement(name, "HASH") for name in names]


def ranged(*names: str) -> list[ops.KeySchemaElement]:
    """Return sort key elements."""
    return [ops.KeySchemaElement(name, "RANGE") for name in names]


def on_demand(**changes: object) -> ops.CreateTable:
    """Return an on-demand table with the key `pk`, with these changes."""
    base = ops.CreateTable(
        unused_name(), typed(pk="S"), hashed("pk"), billing_mode="PAY_PER_REQUEST"
    )
    return replace(base, **changes)


def provisioned(**changes: object) -> ops.CreateTable:
    """Return a table with 5 read and 5 write units and the key `pk`, with these changes."""
    return on_demand(**{"billing_mode": None, "provisioned_throughput": FIVE, **changes})


def sorted_table(**changes: object) -> ops.CreateTable:
    """Return an on-demand table with the keys `pk` and `sk`, with these changes."""
    key = [*hashed("pk"), *ranged("sk")]
    defaults = {"attribute_definitions": typed(pk="S", sk="S"), "key_schema": key}
    return on_demand(**{**defaults, **changes})


def wide(
    name: str = "by-g", keys: list[ops.KeySchemaElement] | None = None, **changes: object
) -> ops.GlobalSecondaryIndex:
    """Return a global secondary index on `g`, with these changes."""
    return replace(ops.GlobalSecondaryIndex(name, keys or hashed("g"), ALL), **changes)


def local(
    name: str = "by-l", keys: list[ops.KeySchemaElement] | None = None, **changes: object
) -> ops.LocalSecondaryIndex:
    """Return a local secondary index on `pk` and `l`, with these changes."""
    keys = keys or [*hashed("pk"), *ranged("l")]
    return replace(ops.LocalSecondaryIndex(name, keys, ALL), **changes)


def added(
    name: str = "by-g", keys: list[ops.KeySchemaElement] | None = None, **changes: object
) -> ops.GlobalSecondaryIndexUpdate:
    """Return an action that creates a global secondary index on `g`, with these changes."""
    action = ops.CreateGlobalSecondaryIndexAction(name, keys or hashed("g"), ALL)
    return ops.GlobalSecondaryIndexUpdate(create=replace(action, **changes))


def add_index(
    table: str, index: ops.GlobalSecondaryIndexUpdate, **types: KeyType
) -> ops.UpdateTable:
    """Return a request that adds an index, with the types of its key attributes."""
    return ops.UpdateTable(table, typed(**types), global_secondary_index_updates=[index])


def made(driver: ops.Driver, request: ops.CreateTable) -> str:
    """Create the table and return its name."""
    return driver.execute(request).table_description.table_name


def described(driver: ops.Driver, table: str) -> ops.TableDescription:
    """Return the table's current description."""
    return driver.execute(ops.DescribeTable(table)).table


def shown(driver: ops.Driver, request: ops.CreateTable) -> ops.TableDescription:
    """Create the table and return its description."""
    return described(driver, made(driver, request))


def indexes(table: ops.TableDescription) -> list[ops.GlobalSecondaryIndexDescription]:
    """Return the global secondary indexes of a table, in order."""
    return table.global_secondary_indexes or []
