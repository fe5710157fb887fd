"""An index as AWS shows it, and its capacity."""

from __future__ import annotations

from typing import TypeAlias

from msgspec.structs import asdict, replace

from singletable.engine.control.states import index_status, is_allocating
from singletable.engine.control.throughput import decreases_today
from singletable.engine.table_record import IndexRecord, TableRecord
from singletable.operations import (
    GlobalSecondaryIndexDescription,
    LocalSecondaryIndexDescription,
    ProvisionedThroughputDescription,
    TableStatus,
    WarmThroughputDescription,
)

Count: TypeAlias = tuple[int, int]  # items, and the sum of their sizes


def describe_local_index(
    index: IndexRecord, count: Count, table_arn: str
) -> LocalSecondaryIndexDescription:
    """A local secondary index: it has neither a state nor capacity of its own."""
    items, size = count
    return LocalSecondaryIndexDescription(
        index_name=index.name,
        key_schema=index.key_schema,
        projection=index.projection,
        index_size_bytes=size,
        item_count=items,
        index_arn=f"{table_arn}/index/{index.name}",
    )


def describe_global_index(
    table: TableRecord, index: IndexRecord, count: Count, table_arn: str, now: float
) -> GlobalSecondaryIndexDescription:
    """A global secondary index as it stands at a moment."""
    status = index_status(table, index, now)
    shown = index
    if status == "UPDATING" and index.former is not None:
        shown = replace(index, **asdict(index.former))
    # Only an index that is added to a table is filled; one created with its table is just empty.
    filling = status == "CREATING" and index.created_by > now
    items, size = count
    return GlobalSecondaryIndexDescription(
        index_name=index.name,
        key_schema=index.key_schema,
        projection=index.projection,
        index_status=status,
        provisioned_throughput=describe_throughput(shown, now),
        index_size_bytes=size,
        item_count=items,
        index_arn=f"{table_arn}/index/{index.name}",
        backfilling=not is_allocating(index, now) if filling else None,
        on_demand_throughput=index.on_demand_throughput,
        warm_throughput=describe_warm(shown, status, changing=status == "UPDATING"),
    )


def describe_throughput(
    record: TableRecord | IndexRecord, now: float
) -> ProvisionedThroughputDescription:
    """The capacity that is reserved: zero on demand."""
    units = record.provisioned_throughput
    return ProvisionedThroughputDescription(
        number_of_decreases_today=decreases_today(record, now),
        read_capacity_units=0 if units is None else units.read_capacity_units,
        write_capacity_units=0 if units is None else units.write_capacity_units,
        last_increase_date_time=record.last_increase,
        last_decrease_date_time=record.last_decrease,
    )


def describe_warm(
    record: TableRecord | IndexRecord, status: TableStatus, *, changing: bool
) -> WarmThroughputDescription | None:
    """What can be borne at once; not known while it is being created."""
    if status == "CREATING":
        return None
    return WarmThroughputDescription(
        record.warm_read, record.warm_write, "UPDATING" if changing else "ACTIVE"
    )
