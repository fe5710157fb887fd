"""Describe a table as AWS does: its declaration, its state, and how much is in it."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from msgspec.structs import asdict, replace

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.control.capacity import decreases_today
from dynamodb_engine.engine.control.records import used_definitions
from dynamodb_engine.engine.control.settings import describe_encryption
from dynamodb_engine.engine.control.state import (
    existing_indexes,
    index_status,
    is_allocating,
    is_changing,
    table_status,
)
from dynamodb_engine.engine.row_counts import Count
from dynamodb_engine.engine.settings import Settings
from dynamodb_engine.engine.table import Table
from dynamodb_engine.engine.table_record import IndexRecord, TableRecord
from dynamodb_engine.operations.registry import OPERATIONS


class ItemCounts(NamedTuple):
    """How much is in a table and in each of its indexes, by name."""

    table: Count
    indexes: dict[str, Count]


EMPTY = ItemCounts((0, 0), {})


def count_items(table: Table, session: Session) -> ItemCounts:
    """Count items; a table being deleted and an index being backfilled count as empty."""
    if table.record.deleted_by is not None:
        return EMPTY
    read = partial(
        session.catalog.counts.read,
        session.execute,
        uncommitted=OPERATIONS[session.operation].writes,
    )
    return ItemCounts(
        read(table.rows),
        {
            index.name: read(index.rows)
            for index in table.indexes
            if index.record.created_by <= session.control_time
        },
    )


def describe_table(
    record: TableRecord, counts: ItemCounts, settings: Settings, now: float
) -> ops.TableDescription:
    """Describe the table at a point in time."""
    status = table_status(record, now)
    changing = is_changing(record, now)
    shown = record
    if changing and record.former is not None:
        shown = replace(record, **asdict(record.former))
    arn = settings.table_arn(record.name)
    local_indexes = [
        _describe_local_index(index, counts.indexes.get(index.name, (0, 0)), arn)
        for index in record.local_indexes
    ]
    # A table that is being deleted loses its global indexes first.
    global_indexes = [
        _describe_global_index(record, index, counts.indexes.get(index.name, (0, 0)), arn, now)
        for index in (existing_indexes(record, now) if status != "DELETING" else ())
    ]
    items, size = counts.table
    return ops.TableDescription(
        attribute_definitions=used_definitions(record, now),
        table_name=record.name,
        key_schema=record.key_schema,
        table_status=status,
        creation_date_time=record.created,
        provisioned_throughput=_describe_throughput(shown, now),
        table_size_bytes=size,
        item_count=items,
        table_arn=arn,
        table_id=record.id,
        deletion_protection_enabled=record.deletion_protection,
        billing_mode_summary=_describe_billing(shown, creating=status == "CREATING"),
        local_secondary_indexes=local_indexes or None,
        global_secondary_indexes=global_indexes or None,
        stream_specification=record.stream,
        latest_stream_label=record.stream_label,
        latest_stream_arn=record.stream_label and f"{arn}/stream/{record.stream_label}",
        sse_description=describe_encryption(
            shown.sse or record.sse, settings, changing=changing and record.changing == "SSE"
        ),
        table_class_summary=shown.table_class
        and ops.TableClassSummary(shown.table_class, shown.class_changed),
        on_demand_throughput=record.on_demand_throughput,
        warm_throughput=_describe_warm_throughput(
            shown, status, changing=changing and record.changing == "WARM"
        ),
    )


def _describe_billing(record: TableRecord, *, creating: bool) -> ops.BillingModeSummary | None:
    """Return the billing mode if the table ever was on demand."""
    if record.on_demand_since is None:
        return None
    since = None if creating else record.on_demand_since
    return ops.BillingModeSummary(record.billing_mode or "PROVISIONED", since)


def _describe_local_index(
    index: IndexRecord, count: Count, table_arn: str
) -> ops.LocalSecondaryIndexDescription:
    """Describe a local secondary index, which has neither a state nor capacity of its own."""
    items, size = count
    return ops.LocalSecondaryIndexDescription(
        index_name=index.name,
        key_schema=index.key_schema,
        projection=index.projection,
        index_size_bytes=size,
        item_count=items,
        index_arn=f"{table_arn}/index/{index.name}",
    )


def _describe_global_index(
    table: TableRecord, index: IndexRecord, count: Count, table_arn: str, now: float
) -> ops.GlobalSecondaryIndexDescription:
    status = index_status(table, index, now)
    shown = index
    if status == "UPDATING" and index.former is not None:
        shown = replace(index, **asdict(index.former))
    # Only an index that is added to a table is backfilled; one created with its table is empty.
    is_added = status == "CREATING" and index.created_by > now
    items, size = count
    return ops.GlobalSecondaryIndexDescription(
        index_name=index.name,
        key_schema=index.key_schema,
        projection=index.projection,
        index_status=status,
        provisioned_throughput=_describe_throughput(shown, now),
        index_size_bytes=size,
        item_count=items,
        index_arn=f"{table_arn}/index/{index.name}",
        backfilling=not is_allocating(index, now) if is_added else None,
        on_demand_throughput=index.on_demand_throughput,
        warm_throughput=_describe_warm_throughput(shown, status, changing=status == "UPDATING"),
    )


def _describe_throughput(
    record: TableRecord | IndexRecord, now: float
) -> ops.ProvisionedThroughputDescription:
    """Return the provisioned capacity, which is zero on demand."""
    units = record.provisioned_throughput
    return ops.ProvisionedThroughputDescription(
        number_of_decreases_today=decreases_today(record, now),
        read_capacity_units=0 if units is None else units.read_capacity_units,
        write_capacity_units=0 if units is None else units.write_capacity_units,
        last_increase_date_time=record.last_increase,
        last_decrease_date_time=record.last_decrease,
    )


def _describe_warm_throughput(
    record: TableRecord | IndexRecord, status: ops.TableStatus, *, changing: bool
) -> ops.WarmThroughputDescription | None:
    """Return the warm throughput, which AWS does not show during creation."""
    if status == "CREATING":
        return None
    return ops.WarmThroughputDescription(
        record.warm_read, record.warm_write, "UPDATING" if changing else "ACTIVE"
    )
