"""The stored record of a table: its declaration, and when its pending changes are complete.

States are not stored but derived from the clock: `created_by`, `updated_by` and `deleted_by` are
times, and a table whose `created_by` is in the future is CREATING. So no background task has to end
a state. The field names are part of the file format.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.json import Decoder, Encoder
from msgspec.structs import replace

from dynamodb_engine import operations as ops
from dynamodb_engine.values import to_builtin

PendingChange: TypeAlias = Literal["IOPS", "STREAM", "CLASS", "SSE", "WARM"]


class FormerIndex(Struct, frozen=True, omit_defaults=True):
    """The values that the description of an index shows until a change is complete."""

    provisioned_throughput: ops.ProvisionedThroughput | None = None
    warm_read: int = 0
    warm_write: int = 0
    decreases: int = 0


class FormerTable(FormerIndex, frozen=True, omit_defaults=True):
    """The values that the description of a table shows until a change is complete."""

    billing_mode: ops.BillingMode | None = None
    on_demand_since: float | None = None
    table_class: ops.TableClass | None = None
    class_changed: float | None = None
    sse: ops.SSESpecification | None = None


class IndexRecord(Struct, frozen=True, omit_defaults=True):
    """A secondary index; `number` identifies its rows within the table."""

    number: int
    name: str
    key_schema: list[ops.KeySchemaElement]
    projection: ops.Projection
    provisioned_throughput: ops.ProvisionedThroughput | None = None
    on_demand_throughput: ops.OnDemandThroughput | None = None
    warm_read: int = 0
    warm_write: int = 0
    decreases: int = 0
    last_increase: float | None = None
    last_decrease: float | None = None
    allocated_by: float = 0
    created_by: float = 0
    updated_by: float = 0
    former: FormerIndex | None = None
    deleted_by: float | None = None


class TimeToLiveRecord(Struct, frozen=True, omit_defaults=True):
    """The TTL attribute; enabling or disabling it is complete at `settled_by`."""

    attribute: str
    enabled: bool
    settled_by: float = 0


class ShardGeneration(Struct, frozen=True, array_like=True):
    """Shards of a stream that were opened together, for the changes after position `start`."""

    start: int
    opened: float
    shards: int


class StoredStream(Struct, frozen=True, omit_defaults=True):
    """A stream of the changes of table `number`; disabled at `ended`, after position `end`."""

    number: int
    label: str
    view_type: ops.StreamViewType
    created: float
    key_schema: list[ops.KeySchemaElement]
    generations: tuple[ShardGeneration, ...]
    end: int | None = None
    ended: float | None = None


class StoredDestination(Struct, frozen=True, omit_defaults=True):
    """A Kinesis stream for the changes after position `start`; disabled after position `end`.

    `changing` is its status until `settled_by`. With a `failure`, it gets no changes.
    """

    arn: str
    start: int
    settled_by: float = 0
    changing: Literal["ENABLING", "UPDATING", "DISABLING"] = "ENABLING"
    precision: ops.ApproximateCreationDateTimePrecision | None = None
    failure: str | None = None
    end: int | None = None


class TableRecord(Struct, frozen=True, omit_defaults=True):
    """A table; `number` identifies its rows, and `changing` is complete at `updated_by`.

    The record of a deleted table is kept as long as its streams can be read.
    """

    name: str
    id: str
    created: float
    attribute_definitions: list[ops.AttributeDefinition]
    key_schema: list[ops.KeySchemaElement]
    number: int = 0
    next_index: int = 1
    local_indexes: tuple[IndexRecord, ...] = ()
    global_indexes: tuple[IndexRecord, ...] = ()
    billing_mode: ops.BillingMode | None = None
    on_demand_since: float | None = None
    provisioned_throughput: ops.ProvisionedThroughput | None = None
    on_demand_throughput: ops.OnDemandThroughput | None = None
    warm_read: int = 0
    warm_write: int = 0
    decreases: int = 0
    last_increase: float | None = None
    last_decrease: float | None = None
    stream: ops.StreamSpecification | None = None
    stream_label: str | None = None
    streams: tuple[StoredStream, ...] = ()
    destinations: tuple[StoredDestination, ...] = ()
    sse: ops.SSESpecification | None = None
    table_class: ops.TableClass | None = None
    class_changed: float | None = None
    deletion_protection: bool = False
    time_to_live: TimeToLiveRecord | None = None
    tags: tuple[ops.Tag, ...] = ()
    created_by: float = 0
    updated_by: float = 0
    changing: PendingChange | None = None
    former: FormerTable | None = None
    deleted_by: float | None = None


# The time until which a change takes that ends when all items have been read.
UNTIL_FILLED = 2.0**60

decode_record = Decoder(TableRecord).decode
encode_record = Encoder(enc_hook=to_builtin).encode


def complete_changes(record: TableRecord, latest: float) -> TableRecord:
    """Return the record with pending changes completed that would end after `latest`.

    No change takes that long, so the clock must have been set back since it started.
    """

    def end(time: float) -> float:
        return 0 if latest < time < UNTIL_FILLED else time

    def end_deletion(time: float | None) -> float | None:
        return None if time is None else end(time)

    indexes = [
        replace(
            index,
            allocated_by=end(index.allocated_by),
            created_by=end(index.created_by),
            updated_by=end(index.updated_by),
            deleted_by=end_deletion(index.deleted_by),
        )
        for index in record.global_indexes
    ]
    destinations = [replace(d, settled_by=end(d.settled_by)) for d in record.destinations]
    ttl = record.time_to_live
    return replace(
        record,
        created_by=end(record.created_by),
        updated_by=end(record.updated_by),
        deleted_by=end_deletion(record.deleted_by),
        global_indexes=tuple(indexes),
        destinations=tuple(destinations),
        time_to_live=None if ttl is None else replace(ttl, settled_by=end(ttl.settled_by)),
    )
