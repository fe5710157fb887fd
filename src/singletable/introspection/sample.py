"""Samples of tables: their description as a declaration, and some of their items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from singletable.operations import (
    DescribeTable,
    DescribeTimeToLive,
    Driver,
    KeySchemaElement,
    Projection,
    Scan,
    TableDescription,
)
from singletable.schema import Binary, Index, LocalIndex, Number, Provisioned, Table
from singletable.schema.table import KeyType
from singletable.values import AttributeType, Item

# Pages of DynamoDB may have a megabyte; small ones let us report progress.
PAGE_SIZE = 250


@dataclass(frozen=True, slots=True)
class EntityHint:
    """A name for some items, and the templates of their keys if they are known.

    A template is written as `POLL#{poll_id}`. If there are no items, `attributes` has the types
    that their attributes would have.
    """

    name: str
    items: Sequence[Item]
    pk: str | None = None
    sk: str | None = None
    attributes: Mapping[str, AttributeType] = field(default_factory=dict[str, AttributeType])


@dataclass(frozen=True, slots=True)
class TableSample:
    """A table and some of its items; `complete` if these are all of them."""

    table: Table
    items: Sequence[Item]
    complete: bool = True
    hints: Sequence[EntityHint] = ()


def read_sample(
    driver: Driver, table: str, limit: int, on_progress: Callable[[int], None] = lambda _: None
) -> TableSample:
    """Describe the table and scan up to `limit` items; report their number to `on_progress`."""
    described = driver.execute(DescribeTable(table)).table
    ttl = driver.execute(DescribeTimeToLive(table)).time_to_live_description
    enabled = ttl.time_to_live_status in ("ENABLED", "ENABLING")
    items: list[Item] = []
    after: Item | None = None
    while len(items) < limit:
        size = min(PAGE_SIZE, limit - len(items))
        page = driver.execute(Scan(table, limit=size, exclusive_start_key=after))
        items += page.items or []
        on_progress(len(items))
        after = page.last_evaluated_key
        if after is None:
            break
    declared = table_from_description(described, ttl.attribute_name if enabled else None)
    return TableSample(declared, items, complete=after is None)


def table_from_description(described: TableDescription, ttl: str | None) -> Table:
    """Return the declaration of a described table."""
    types = {one.attribute_name: one.attribute_type for one in described.attribute_definitions}

    def attribute(name: str) -> KeyType:
        if types[name] == "S":
            return name
        return Number(name) if types[name] == "N" else Binary(name)

    def keys(schema: Sequence[KeySchemaElement], role: str) -> list[KeyType]:
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


def _projects(projection: Projection) -> Literal["ALL", "KEYS_ONLY"] | list[str]:
    match projection.projection_type:
        case "KEYS_ONLY":
            return "KEYS_ONLY"
        case "INCLUDE":
            return projection.non_key_attributes or []
        case _:
            return "ALL"


def _capacity(described: TableDescription) -> Provisioned | None:
    summary = described.billing_mode_summary
    units = described.provisioned_throughput
    if (summary is not None and summary.billing_mode == "PAY_PER_REQUEST") or (
        units.read_capacity_units == 0
    ):
        return None
    return Provisioned(units.read_capacity_units, units.write_capacity_units)
