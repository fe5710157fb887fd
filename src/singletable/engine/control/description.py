"""A table as AWS shows it: what was declared, which state it is in, how much is in it."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import asdict, replace

from singletable.engine.catalog import Session
from singletable.engine.control.definitions import definitions_in_use
from singletable.engine.control.encryption import describe_encryption
from singletable.engine.control.index_description import (
    Count,
    describe_global_index,
    describe_local_index,
    describe_throughput,
    describe_warm,
)
from singletable.engine.control.states import indexes_shown, is_changing, table_status
from singletable.engine.settings import Settings
from singletable.engine.table import Table
from singletable.engine.table_record import TableRecord
from singletable.operations import BillingModeSummary, TableClassSummary, TableDescription


class Counts(NamedTuple):
    """How much is in a table and in each of its indexes, by name."""

    table: Count
    indexes: dict[str, Count]


NOTHING = Counts((0, 0), {})


def counts_of(table: Table, session: Session) -> Counts:
    """How much is in a table; nothing in one that is being deleted or an index being filled."""
    if table.record.deleted_by is not None:
        return NOTHING
    return Counts(
        table.rows.count(session.execute),
        {
            index.name: index.rows.count(session.execute)
            for index in table.indexes
            if index.record.created_by <= session.now
        },
    )


def describe(
    record: TableRecord, counts: Counts, settings: Settings, now: float
) -> TableDescription:
    """The table as it stands at a moment."""
    status = table_status(record, now)
    changing = is_changing(record, now)
    shown = _shown(record, changing=changing)
    arn = settings.table_arn(record.name)
    local = [
        describe_local_index(index, counts.indexes.get(index.name, (0, 0)), arn)
        for index in record.local_indexes
    ]
    # A table that is being deleted has lost its global indexes first.
    wide = [
        describe_global_index(record, index, counts.indexes.get(index.name, (0, 0)), arn, now)
        for index in (indexes_shown(record, now) if status != "DELETING" else ())
    ]
    items, size = counts.table
    return TableDescription(
        attribute_definitions=definitions_in_use(record, now),
        table_name=record.name,
        key_schema=record.key_schema,
        table_status=status,
        creation_date_time=record.created,
        provisioned_throughput=describe_throughput(shown, now),
        table_size_bytes=size,
        item_count=items,
        table_arn=arn,
        table_id=record.id,
        deletion_protection_enabled=record.deletion_protection,
        billing_mode_summary=_billing(shown, creating=status == "CREATING"),
        local_secondary_indexes=local or None,
        global_secondary_indexes=wide or None,
        stream_specification=record.stream,
        latest_stream_label=record.stream_label,
        latest_stream_arn=record.stream_label and f"{arn}/stream/{record.stream_label}",
        sse_description=describe_encryption(
            shown.sse or record.sse, settings, changing=changing and record.changing == "SSE"
        ),
        table_class_summary=_class(shown),
        on_demand_throughput=record.on_demand_throughput,
        warm_throughput=describe_warm(
            shown, status, changing=changing and record.changing == "WARM"
        ),
    )


def _shown(record: TableRecord, *, changing: bool) -> TableRecord:
    if not changing or record.former is None:
        return record
    return replace(record, **asdict(record.former))


def _billing(record: TableRecord, *, creating: bool) -> BillingModeSummary | None:
    """How the table is billed, if it ever was on demand."""
    if record.on_demand_since is None:
        return None
    since = None if creating else record.on_demand_since
    return BillingModeSummary(record.billing_mode or "PROVISIONED", since)


def _class(record: TableRecord) -> TableClassSummary | None:
    if record.table_class is None:
        return None
    return TableClassSummary(record.table_class, record.class_changed)
