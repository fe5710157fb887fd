"""What UpdateTable makes of a table's record. Each step is one kind of change, and most do nothing.

The answer to UpdateTable shows the change under way however short it takes, so a record is changed
twice: once as it is kept, and once as if the change took for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from msgspec.structs import replace

from singletable.engine.control.billing import change_billing
from singletable.engine.control.definitions import tidied
from singletable.engine.control.encryption import kept_encryption
from singletable.engine.control.index_actions import Action
from singletable.engine.control.index_changes import change_index
from singletable.engine.control.on_demand import kept_limits, merged_limits
from singletable.engine.control.records import kept_stream
from singletable.engine.control.streams import stream_label
from singletable.engine.control.under_way import Change, under_way
from singletable.engine.control.warm import warmed
from singletable.engine.settings import Delays
from singletable.engine.table_record import TableRecord
from singletable.operations import UpdateTable

FOREVER = Delays(inf, inf, inf, inf, inf, inf)


def changed(
    record: TableRecord, request: UpdateTable, actions: Sequence[Action], now: float, delays: Delays
) -> TableRecord:
    """The record with every change that the request asks for."""
    change = Change(request, record, now, now + delays.update_table)
    for step in _STEPS:
        record = step(record, change)
    for action in actions:
        record = change_index(record, action, request.attribute_definitions or (), now, delays)
    return record


def kept(record: TableRecord, now: float) -> TableRecord:
    """What is kept of a changed record: no index that is gone, no limit that is none."""
    indexes = [
        replace(index, on_demand_throughput=kept_limits(index.on_demand_throughput))
        for index in record.global_indexes
    ]
    limits = kept_limits(record.on_demand_throughput)
    return tidied(replace(record, global_indexes=tuple(indexes), on_demand_throughput=limits), now)


def _change_limits(record: TableRecord, change: Change) -> TableRecord:
    limits = merged_limits(record.on_demand_throughput, change.request.on_demand_throughput)
    return replace(record, on_demand_throughput=limits)


def _change_warmth(record: TableRecord, change: Change) -> TableRecord:
    asked = change.request.warm_throughput
    return record if asked is None else under_way(warmed(record, asked), "WARM", change)


def _change_stream(record: TableRecord, change: Change) -> TableRecord:
    asked = change.request.stream_specification
    if asked is None:
        return record
    stream = kept_stream(asked)
    label = record.stream_label if stream is None else stream_label(change.now)
    return under_way(replace(record, stream=stream, stream_label=label), "STREAM", change)


def _change_encryption(record: TableRecord, change: Change) -> TableRecord:
    asked = change.request.sse_specification
    if asked is None:
        return record
    return under_way(replace(record, sse=kept_encryption(asked)), "SSE", change)


def _change_class(record: TableRecord, change: Change) -> TableRecord:
    asked = change.request.table_class
    if asked is None:
        return record
    if asked != (record.table_class or "STANDARD"):
        record = replace(record, table_class=asked, class_changed=change.now)
    return under_way(record, "CLASS", change)


def _change_protection(record: TableRecord, change: Change) -> TableRecord:
    asked = change.request.deletion_protection_enabled
    return record if asked is None else replace(record, deletion_protection=asked)


_STEPS: tuple[Callable[[TableRecord, Change], TableRecord], ...] = (
    change_billing,
    _change_limits,
    _change_warmth,
    _change_stream,
    _change_encryption,
    _change_class,
    _change_protection,
)
