"""How a table is billed: what changes when capacity is reserved, raised, lowered or given up."""

from __future__ import annotations

from msgspec.structs import replace

from singletable.engine.control.states import billing_mode
from singletable.engine.control.throughput import provisioned
from singletable.engine.control.under_way import Change, under_way
from singletable.engine.control.warm import warmed_on_demand
from singletable.engine.table_record import TableRecord


def change_billing(record: TableRecord, change: Change) -> TableRecord:
    """Reserve other capacity, or none; a table that goes on demand or comes back loses limits."""
    units, asked = change.request.provisioned_throughput, change.request.billing_mode
    before = billing_mode(record)
    if units is None and asked is None:
        return record
    if units is not None:
        record = provisioned(record, units, change.now)
    if asked is not None and asked != before:
        record = _unlimited(replace(record, billing_mode=asked))
        if asked == "PAY_PER_REQUEST":
            record = _on_demand(replace(record, on_demand_since=change.now))
    record = under_way(record, "IOPS", change)
    # AWS shows the old capacity until it is changed, but the first capacity at once.
    return record if before == "PROVISIONED" else replace(record, former=None)


def _unlimited(record: TableRecord) -> TableRecord:
    indexes = [replace(index, on_demand_throughput=None) for index in record.global_indexes]
    return replace(record, on_demand_throughput=None, global_indexes=tuple(indexes))


def _on_demand(record: TableRecord) -> TableRecord:
    indexes = [
        warmed_on_demand(replace(index, provisioned_throughput=None))
        for index in record.global_indexes
    ]
    return warmed_on_demand(
        replace(record, provisioned_throughput=None, global_indexes=tuple(indexes))
    )
