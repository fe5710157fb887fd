"""What a description goes on to show while a change is under way."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from singletable.engine.control.throughput import decreases_today
from singletable.engine.table_record import (
    Changing,
    FormerIndex,
    FormerTable,
    IndexRecord,
    TableRecord,
)
from singletable.operations import UpdateTable


@dataclass(frozen=True, slots=True)
class Change:
    """What is asked of a table, what the table was before, and when the change is made."""

    request: UpdateTable
    before: TableRecord
    now: float
    until: float


def under_way(record: TableRecord, what: Changing, change: Change) -> TableRecord:
    """The changed record of a table, which still shows what there was before."""
    before = change.before
    former = FormerTable(
        provisioned_throughput=before.provisioned_throughput,
        warm_read=before.warm_read,
        warm_write=before.warm_write,
        decreases=decreases_today(before, change.now),
        billing_mode=before.billing_mode,
        on_demand_since=before.on_demand_since,
        table_class=before.table_class,
        class_changed=before.class_changed,
        sse=before.sse,
    )
    return replace(record, changing=what, updated_by=change.until, former=former)


def index_under_way(
    index: IndexRecord, before: IndexRecord, now: float, until: float
) -> IndexRecord:
    """The changed record of an index, which still shows what there was before."""
    former = FormerIndex(
        provisioned_throughput=before.provisioned_throughput,
        warm_read=before.warm_read,
        warm_write=before.warm_write,
        decreases=decreases_today(before, now),
    )
    return replace(index, updated_by=until, former=former)
