"""Declarations of existing tables, from their descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from dynamodb_engine import operations as ops
from singletable.schema.table import Binary, Index, KeyType, LocalIndex, Number, Provisioned, Table


def read_table(driver: ops.Driver, name: str) -> tuple[ops.TableDescription, Table]:
    """Describe an existing table, and return the description and its declaration."""
    described = driver.execute(ops.DescribeTable(name)).table
    ttl = driver.execute(ops.DescribeTimeToLive(name)).time_to_live_description
    enabled = ttl.time_to_live_status in ("ENABLED", "ENABLING")
    return described, table_from_description(described, ttl.attribute_name if enabled else None)


def table_from_description(described: ops.TableDescription, ttl: str | None) -> Table:
    """Return the declaration of a described table."""
    types = {one.attribute_name: one.attribute_type for one in described.attribute_definitions}

    def attribute(name: str) -> KeyType:
        if types[name] == "S":
            return name
        return Number(name) if types[name] == "N" else Binary(name)

    def keys(schema: Sequence[ops.KeySchemaElement], role: str) -> list[KeyType]:
        return [attribute(one.attribute_name) for one in schema if one.key_type == role]

    (pk,), sk = keys(described.key_schema, "HASH"), keys(described.key_schema, "RANGE")
    globals_ = [
        Index(
            one.index_name,
            pk=keys(one.key_schema, "HASH"),
            sk=keys(one.key_schema, "RANGE") or None,
            projection=_projects(one.projection),
        )
        for one in described.global_secondary_indexes or ()
    ]
    locals_ = [
        LocalIndex(
            one.index_name,
            sk=keys(one.key_schema, "RANGE")[0],
            projection=_projects(one.projection),
        )
        for one in described.local_secondary_indexes or ()
    ]
    return Table(
        described.table_name,
        pk=pk,
        sk=sk[0] if sk else None,
        indexes=[*globals_, *locals_],
        ttl=ttl,
        capacity=_capacity(described),
    )


def _projects(projection: ops.Projection) -> Literal["ALL", "KEYS_ONLY"] | list[str]:
    match projection.projection_type:
        case "KEYS_ONLY":
            return "KEYS_ONLY"
        case "INCLUDE":
            return projection.non_key_attributes or []
        case _:
            return "ALL"


def _capacity(described: ops.TableDescription) -> Provisioned | None:
    summary = described.billing_mode_summary
    units = described.provisioned_throughput
    if (summary is not None and summary.billing_mode == "PAY_PER_REQUEST") or (
        units.read_capacity_units == 0
    ):
        return None
    return Provisioned(units.read_capacity_units, units.write_capacity_units)
