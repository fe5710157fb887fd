"""Create and update the stored records of tables and indexes.

The response of UpdateTable shows its change as pending, even if it takes no time. So
`update_record` runs twice: for the stored record, and with endless delays for the response.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from msgspec.structs import replace

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.control import capacity
from dynamodb_engine.engine.control.indexes import (
    IndexAction,
    attribute_names,
    sort_definitions,
    sort_projection,
)
from dynamodb_engine.engine.control.settings import enabled_encryption, enabled_stream
from dynamodb_engine.engine.control.state import existing_indexes
from dynamodb_engine.engine.settings import Delays, Settings
from dynamodb_engine.engine.stream_shards import new_label
from dynamodb_engine.engine.table_record import (
    FormerIndex,
    FormerTable,
    IndexRecord,
    PendingChange,
    StoredStream,
    TableRecord,
)
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.values import INVALID

FOREVER = Delays(inf, inf, inf, inf, inf, inf)


def new_table(
    request: ops.CreateTable,
    name: str,
    settings: Settings,
    now: float,
    former_streams: tuple[StoredStream, ...] = (),
) -> TableRecord:
    """Return the record of a new table; former tables of that name may have had streams."""
    local_indexes = _new_indexes(request.local_secondary_indexes or (), 1)
    first = 1 + len(local_indexes)
    global_indexes = _new_indexes(request.global_secondary_indexes or (), first)
    on_demand = request.billing_mode == "PAY_PER_REQUEST"
    initial = request.provisioned_throughput or capacity.INITIAL_ON_DEMAND
    stream = enabled_stream(request.stream_specification)
    record = TableRecord(
        name=name,
        id=settings.new_id(),
        created=now,
        attribute_definitions=sort_definitions(request.attribute_definitions),
        key_schema=request.key_schema,
        next_index=first + len(global_indexes),
        local_indexes=local_indexes,
        global_indexes=global_indexes,
        billing_mode=request.billing_mode,
        on_demand_since=now if on_demand else None,
        provisioned_throughput=request.provisioned_throughput,
        on_demand_throughput=capacity.drop_removed_limits(request.on_demand_throughput),
        warm_read=initial.read_capacity_units,
        warm_write=initial.write_capacity_units,
        stream=stream,
        streams=former_streams,
        sse=enabled_encryption(request.sse_specification),
        table_class=request.table_class,
        deletion_protection=bool(request.deletion_protection_enabled),
        tags=tuple(request.tags or ()),
        created_by=now + settings.delays.create_table,
    )
    if stream is not None:
        record = replace(record, stream_label=new_label(record, now))
    return capacity.increase_warm_throughput(record, request.warm_throughput)


def _new_indexes(
    indexes: Sequence[ops.LocalSecondaryIndex | ops.GlobalSecondaryIndex], first: int
) -> tuple[IndexRecord, ...]:
    return tuple(_new_index(index, number) for number, index in enumerate(indexes, first))


def _new_index(
    index: ops.LocalSecondaryIndex
    | ops.GlobalSecondaryIndex
    | ops.CreateGlobalSecondaryIndexAction,
    number: int,
) -> IndexRecord:
    record = IndexRecord(
        number, index.index_name, index.key_schema, sort_projection(index.projection)
    )
    if isinstance(index, ops.LocalSecondaryIndex):
        return record
    initial = index.provisioned_throughput or capacity.INITIAL_ON_DEMAND
    record = replace(
        record,
        provisioned_throughput=index.provisioned_throughput,
        on_demand_throughput=capacity.drop_removed_limits(index.on_demand_throughput),
        warm_read=initial.read_capacity_units,
        warm_write=initial.write_capacity_units,
    )
    return capacity.increase_warm_throughput(record, index.warm_throughput)


@dataclass(frozen=True, slots=True)
class TableUpdate:
    """An UpdateTable, the record before it, and when it starts and is complete."""

    request: ops.UpdateTable
    before: TableRecord
    now: float
    until: float


def update_record(
    record: TableRecord,
    request: ops.UpdateTable,
    actions: Sequence[IndexAction],
    now: float,
    delays: Delays,
) -> TableRecord:
    """Return the record with every change that the request makes."""
    update = TableUpdate(request, record, now, now + delays.update_table)
    for step in _STEPS:
        record = step(record, update)
    for action in actions:
        record = _update_index(record, action, request.attribute_definitions or (), now, delays)
    return record


def to_stored(record: TableRecord, now: float) -> TableRecord:
    """Return the record to store, without deleted indexes and removed limits."""
    indexes = [
        replace(
            index, on_demand_throughput=capacity.drop_removed_limits(index.on_demand_throughput)
        )
        for index in record.global_indexes
    ]
    limits = capacity.drop_removed_limits(record.on_demand_throughput)
    record = replace(record, global_indexes=tuple(indexes), on_demand_throughput=limits)
    return drop_deleted_indexes(record, now)


def drop_deleted_indexes(record: TableRecord, now: float) -> TableRecord:
    """Return the record without deleted indexes and the definitions that only they used."""
    return replace(
        record,
        attribute_definitions=used_definitions(record, now),
        global_indexes=tuple(existing_indexes(record, now)),
    )


def used_definitions(record: TableRecord, now: float) -> list[ops.AttributeDefinition]:
    """Return the definitions of attributes in a key of the table or of an index."""
    indexes = [*record.local_indexes, *existing_indexes(record, now)]
    schemas = [record.key_schema, *(index.key_schema for index in indexes)]
    used = {name for key_schema in schemas for name in attribute_names(key_schema)}
    return [d for d in record.attribute_definitions if d.attribute_name in used]


def _mark_pending(record: TableRecord, kind: PendingChange, update: TableUpdate) -> TableRecord:
    """Return the updated record, which shows its former values until the change is complete."""
    before = update.before
    former = FormerTable(
        provisioned_throughput=before.provisioned_throughput,
        warm_read=before.warm_read,
        warm_write=before.warm_write,
        decreases=capacity.decreases_today(before, update.now),
        billing_mode=before.billing_mode,
        on_demand_since=before.on_demand_since,
        table_class=before.table_class,
        class_changed=before.class_changed,
        sse=before.sse,
    )
    return replace(record, changing=kind, updated_by=update.until, former=former)


def _update_billing(record: TableRecord, update: TableUpdate) -> TableRecord:
    units, mode = update.request.provisioned_throughput, update.request.billing_mode
    mode_before = capacity.billing_mode(record)
    if units is None and mode is None:
        return record
    if units is not None:
        record = capacity.set_throughput(record, units, update.now)
    if mode is not None and mode != mode_before:
        record = _drop_limits(replace(record, billing_mode=mode))
        if mode == "PAY_PER_REQUEST":
            record = _to_on_demand(replace(record, on_demand_since=update.now))
    record = _mark_pending(record, "IOPS", update)
    # AWS shows the old capacity until it is changed, but the first capacity at once.
    return record if mode_before == "PROVISIONED" else replace(record, former=None)


def _drop_limits(record: TableRecord) -> TableRecord:
    """Return the record without on-demand limits: a change of billing mode removes them."""
    indexes = [replace(index, on_demand_throughput=None) for index in record.global_indexes]
    return replace(record, on_demand_throughput=None, global_indexes=tuple(indexes))


def _to_on_demand(record: TableRecord) -> TableRecord:
    indexes = [
        capacity.ensure_on_demand_warm_throughput(replace(index, provisioned_throughput=None))
        for index in record.global_indexes
    ]
    record = replace(record, provisioned_throughput=None, global_indexes=tuple(indexes))
    return capacity.ensure_on_demand_warm_throughput(record)


def _update_limits(record: TableRecord, update: TableUpdate) -> TableRecord:
    limits = capacity.merge_limits(record.on_demand_throughput, update.request.on_demand_throughput)
    return replace(record, on_demand_throughput=limits)


def _update_warm_throughput(record: TableRecord, update: TableUpdate) -> TableRecord:
    warm = update.request.warm_throughput
    if warm is None:
        return record
    return _mark_pending(capacity.increase_warm_throughput(record, warm), "WARM", update)


def _update_stream(record: TableRecord, update: TableUpdate) -> TableRecord:
    specification = update.request.stream_specification
    if specification is None:
        return record
    stream = enabled_stream(specification)
    label = record.stream_label if stream is None else new_label(record, update.now)
    return _mark_pending(replace(record, stream=stream, stream_label=label), "STREAM", update)


def _update_encryption(record: TableRecord, update: TableUpdate) -> TableRecord:
    specification = update.request.sse_specification
    if specification is None:
        return record
    return _mark_pending(replace(record, sse=enabled_encryption(specification)), "SSE", update)


def _update_class(record: TableRecord, update: TableUpdate) -> TableRecord:
    table_class = update.request.table_class
    if table_class is None:
        return record
    if table_class != (record.table_class or "STANDARD"):
        record = replace(record, table_class=table_class, class_changed=update.now)
    return _mark_pending(record, "CLASS", update)


def _update_protection(record: TableRecord, update: TableUpdate) -> TableRecord:
    protected = update.request.deletion_protection_enabled
    return record if protected is None else replace(record, deletion_protection=protected)


_STEPS: tuple[Callable[[TableRecord, TableUpdate], TableRecord], ...] = (
    _update_billing,
    _update_limits,
    _update_warm_throughput,
    _update_stream,
    _update_encryption,
    _update_class,
    _update_protection,
)


def _update_index(
    record: TableRecord,
    action: IndexAction,
    definitions: Sequence[ops.AttributeDefinition],
    now: float,
    delays: Delays,
) -> TableRecord:
    match action:
        case ops.CreateGlobalSecondaryIndexAction():
            return _add_index(record, action, definitions, now, delays)
        case ops.UpdateGlobalSecondaryIndexAction():
            until = now + delays.update_table
            return _replace_index(
                record, action, lambda index: _update_index_record(index, action, now, until)
            )
        case ops.DeleteGlobalSecondaryIndexAction():
            until = now + delays.delete_index
            return _replace_index(record, action, lambda index: replace(index, deleted_by=until))


def _add_index(
    record: TableRecord,
    action: ops.CreateGlobalSecondaryIndexAction,
    definitions: Sequence[ops.AttributeDefinition],
    now: float,
    delays: Delays,
) -> TableRecord:
    # AWS first allocates resources, which takes as long as any change, and then backfills.
    allocated = now + delays.update_table
    index = replace(
        _new_index(action, record.next_index),
        allocated_by=allocated,
        created_by=allocated + delays.create_index,
    )
    stored = record.attribute_definitions
    _check_types_kept(record, action, definitions)
    needed = {*attribute_names(action.key_schema)} - {*attribute_names(stored)}
    new = {d.attribute_name: d for d in definitions if d.attribute_name in needed}
    return replace(
        record,
        attribute_definitions=sort_definitions([*stored, *new.values()]),
        next_index=record.next_index + 1,
        global_indexes=(*record.global_indexes, index),
    )


def _check_types_kept(
    record: TableRecord,
    action: ops.CreateGlobalSecondaryIndexAction,
    definitions: Sequence[ops.AttributeDefinition],
) -> None:
    """Raise if a key attribute of the new index has another type in the table or in an index."""
    old = {d.attribute_name: d.attribute_type for d in record.attribute_definitions}
    new = old | {d.attribute_name: d.attribute_type for d in definitions}
    changed = [
        name for name in attribute_names(action.key_schema) if old.get(name, new[name]) != new[name]
    ]
    indexes = (*record.local_indexes, *record.global_indexes)
    for schema in (record.key_schema, *(index.key_schema for index in indexes)):
        if changed and changed[0] in attribute_names(schema):
            raise ValidationError(
                f"{INVALID}Attributes cannot be redefined. Please check that your attribute has "
                "the same type as previously defined. "
                f"Existing schema: {_schema_text(schema, old)} "
                f"New schema: {_schema_text(action.key_schema, new)}"
            )


def _schema_text(schema: Sequence[ops.KeySchemaElement], types: Mapping[str, str]) -> str:
    elements = [f"{e.attribute_name}:{types[e.attribute_name]}:{e.key_type}" for e in schema]
    return f"Schema:[{', '.join(f'SchemaElement: key{{{element}}}' for element in elements)}]"


def _replace_index(
    record: TableRecord, action: IndexAction, change: Callable[[IndexRecord], IndexRecord]
) -> TableRecord:
    indexes = [
        change(index) if index.name == action.index_name else index
        for index in record.global_indexes
    ]
    return replace(record, global_indexes=tuple(indexes))


def _update_index_record(
    before: IndexRecord, action: ops.UpdateGlobalSecondaryIndexAction, now: float, until: float
) -> IndexRecord:
    index, units = before, action.provisioned_throughput
    if units is not None:
        index = capacity.set_throughput(index, units, now)
    index = capacity.increase_warm_throughput(index, action.warm_throughput)
    limits = capacity.merge_limits(index.on_demand_throughput, action.on_demand_throughput)
    former = FormerIndex(
        provisioned_throughput=before.provisioned_throughput,
        warm_read=before.warm_read,
        warm_write=before.warm_write,
        decreases=capacity.decreases_today(before, now),
    )
    # AWS shows the old capacity until it is changed, but the first capacity at once.
    is_first = units is not None and before.provisioned_throughput is None
    return replace(
        index,
        on_demand_throughput=limits,
        updated_by=until,
        former=None if is_first else former,
    )
