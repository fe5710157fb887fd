"""What an action of UpdateTable makes of a table's record: an index comes, changes or goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from singletable.engine.control.definitions import merged
from singletable.engine.control.index_actions import Action
from singletable.engine.control.on_demand import merged_limits
from singletable.engine.control.records import new_index
from singletable.engine.control.throughput import provisioned
from singletable.engine.control.under_way import index_under_way
from singletable.engine.control.warm import warmed
from singletable.engine.settings import Delays
from singletable.engine.table_record import IndexRecord, TableRecord
from singletable.operations import (
    AttributeDefinition,
    CreateGlobalSecondaryIndexAction,
    DeleteGlobalSecondaryIndexAction,
    UpdateGlobalSecondaryIndexAction,
)


def change_index(
    record: TableRecord,
    action: Action,
    definitions: Sequence[AttributeDefinition],
    now: float,
    delays: Delays,
) -> TableRecord:
    """The record with one index more, one less, or one that has changed."""
    match action:
        case CreateGlobalSecondaryIndexAction():
            return _with_index(record, action, definitions, now, delays)
        case UpdateGlobalSecondaryIndexAction():
            until = now + delays.update_table
            return _each(record, action, lambda index: _changed(index, action, now, until))
        case DeleteGlobalSecondaryIndexAction():
            until = now + delays.delete_index
            return _each(record, action, lambda index: replace(index, deleted_by=until))


def _with_index(
    record: TableRecord,
    action: CreateGlobalSecondaryIndexAction,
    definitions: Sequence[AttributeDefinition],
    now: float,
    delays: Delays,
) -> TableRecord:
    # AWS first makes room for an index, which takes as long as any change, and then fills it.
    allocated = now + delays.update_table
    index = replace(
        new_index(action, record.next_index),
        allocated_by=allocated,
        created_by=allocated + delays.create_index,
    )
    return replace(
        record,
        attribute_definitions=merged(record.attribute_definitions, definitions, action.key_schema),
        next_index=record.next_index + 1,
        global_indexes=(*record.global_indexes, index),
    )


def _each(
    record: TableRecord, action: Action, change: Callable[[IndexRecord], IndexRecord]
) -> TableRecord:
    indexes = [
        change(index) if index.name == action.index_name else index
        for index in record.global_indexes
    ]
    return replace(record, global_indexes=tuple(indexes))


def _changed(
    index: IndexRecord, action: UpdateGlobalSecondaryIndexAction, now: float, until: float
) -> IndexRecord:
    new = index
    if action.provisioned_throughput is not None:
        new = provisioned(new, action.provisioned_throughput, now)
    new = warmed(new, action.warm_throughput)
    limits = merged_limits(new.on_demand_throughput, action.on_demand_throughput)
    new = index_under_way(replace(new, on_demand_throughput=limits), index, now, until)
    # AWS shows the old capacity until it is changed, but the first capacity at once.
    first = action.provisioned_throughput is not None and index.provisioned_throughput is None
    return replace(new, former=None) if first else new
