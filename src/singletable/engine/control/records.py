"""New records: what is kept of a table or an index when it is created."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from singletable.engine.control.definitions import sorted_definitions
from singletable.engine.control.encryption import kept_encryption
from singletable.engine.control.on_demand import kept_limits
from singletable.engine.control.projections import kept_projection
from singletable.engine.control.streams import stream_label
from singletable.engine.control.warm import ON_DEMAND, warmed
from singletable.engine.settings import Settings
from singletable.engine.table_record import IndexRecord, TableRecord
from singletable.operations import (
    CreateGlobalSecondaryIndexAction,
    CreateTable,
    GlobalSecondaryIndex,
    LocalSecondaryIndex,
    StreamSpecification,
)


def new_table(request: CreateTable, name: str, settings: Settings, now: float) -> TableRecord:
    """The record of a table that is being created."""
    local = _numbered(request.local_secondary_indexes or (), 1)
    wide = _numbered(request.global_secondary_indexes or (), 1 + len(local))
    on_demand = request.billing_mode == "PAY_PER_REQUEST"
    initial = request.provisioned_throughput or ON_DEMAND
    stream = kept_stream(request.stream_specification)
    record = TableRecord(
        name=name,
        id=settings.new_id(),
        created=now,
        attribute_definitions=sorted_definitions(request.attribute_definitions),
        key_schema=request.key_schema,
        next_index=1 + len(local) + len(wide),
        local_indexes=tuple(local),
        global_indexes=tuple(wide),
        billing_mode=request.billing_mode,
        on_demand_since=now if on_demand else None,
        provisioned_throughput=request.provisioned_throughput,
        on_demand_throughput=kept_limits(request.on_demand_throughput),
        warm_read=initial.read_capacity_units,
        warm_write=initial.write_capacity_units,
        stream=stream,
        stream_label=None if stream is None else stream_label(now),
        sse=kept_encryption(request.sse_specification),
        table_class=request.table_class,
        deletion_protection=bool(request.deletion_protection_enabled),
        tags=tuple(request.tags or ()),
        resource_policy=request.resource_policy,
        created_by=now + settings.delays.create_table,
    )
    return warmed(record, request.warm_throughput)


def new_index(
    index: LocalSecondaryIndex | GlobalSecondaryIndex | CreateGlobalSecondaryIndexAction,
    number: int,
) -> IndexRecord:
    """The record of an index that is created with its table, or is about to be filled."""
    record = IndexRecord(
        number, index.index_name, index.key_schema, kept_projection(index.projection)
    )
    if isinstance(index, LocalSecondaryIndex):
        return record
    initial = index.provisioned_throughput or ON_DEMAND
    record = replace(
        record,
        provisioned_throughput=index.provisioned_throughput,
        on_demand_throughput=kept_limits(index.on_demand_throughput),
        warm_read=initial.read_capacity_units,
        warm_write=initial.write_capacity_units,
    )
    return warmed(record, index.warm_throughput)


def kept_stream(stream: StreamSpecification | None) -> StreamSpecification | None:
    """What is kept of a stream: nothing if it is disabled."""
    return stream if stream is not None and stream.stream_enabled else None


def _numbered(
    indexes: Sequence[LocalSecondaryIndex | GlobalSecondaryIndex], first: int
) -> list[IndexRecord]:
    return [new_index(index, number) for number, index in enumerate(indexes, first)]
