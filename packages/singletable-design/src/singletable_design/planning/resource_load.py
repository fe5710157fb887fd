"""The load of each table and index as AWS bills it, and the options of a bill."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from dynamodb_engine.operations import TableClass
from singletable.errors import InvalidValue
from singletable.patterns import FeedPattern
from singletable.schema import Table, model_of
from singletable_design.planning.plan import HOURS, HOURS_PER_MONTH, SECONDS_PER_MONTH, Demand, Plan
from singletable_design.planning.workload import READ_LIMIT, WRITE_LIMIT

# A partition is split before it has more bytes (Developer Guide, HowItWorks.Partitions).
PARTITION_BYTES = 10 * 2**30
TABLE_CLASSES: tuple[TableClass, ...] = ("STANDARD", "STANDARD_INFREQUENT_ACCESS")

UnitKind: TypeAlias = Literal["read", "write"]
UNIT_KINDS: tuple[UnitKind, ...] = ("read", "write")


@dataclass(frozen=True, slots=True)
class ResourceLoad:
    """The load of a table or an index, in the units that AWS bills.

    `stored_bytes` includes 100 bytes per item or entry. `stream_reads`, `ttl_deletes` and
    `bytes_returned` are per month; `stream_reads` are GetRecords calls that are not made by Lambda.
    """

    table: str
    index: str | None = None
    # A local index uses the capacity of its table, and is part of its backups.
    is_local: bool = False
    read: Demand = field(default_factory=Demand)
    write: Demand = field(default_factory=Demand)
    stored_bytes: float = 0.0
    stream_reads: float = 0.0
    ttl_deletes: float = 0.0
    bytes_returned: float = 0.0
    table_class: TableClass = "STANDARD"

    def __post_init__(self) -> None:
        for kind, demand in (("read", self.read), ("write", self.write)):
            if len(demand.hourly) != HOURS:
                raise InvalidValue(
                    f"Expected {kind} units for 24 hours, but got {len(demand.hourly)}.", self.name
                )
            _check_numbers(self.name, f"{kind} units", *demand.hourly, demand.peak)
        numbers = (self.stored_bytes, self.stream_reads, self.ttl_deletes, self.bytes_returned)
        _check_numbers(self.name, "numbers", *numbers)
        if self.table_class not in TABLE_CLASSES:
            raise InvalidValue(
                f"table_class={self.table_class!r}: expected {' or '.join(TABLE_CLASSES)}.",
                self.name,
            )

    @property
    def name(self) -> str:
        """The table, or the table and the index: `shop` or `shop/GSI1`."""
        return self.table if self.index is None else f"{self.table}/{self.index}"

    def demand(self, kind: UnitKind) -> Demand:
        """Return the read or the write units per second."""
        return self.read if kind == "read" else self.write


def _check_numbers(where: str, what: str, *numbers: float) -> None:
    for number in numbers:
        if not 0 <= number < math.inf:
            raise InvalidValue(f"Expected finite {what}, 0 or more, but got {number!r}.", where)


@dataclass(frozen=True, slots=True)
class CostOptions:
    """The hours of a month, and the costs besides units and storage.

    `backups` is the number of full backups that are kept. `internet_share` is the share of the
    returned bytes that leaves AWS; within a region, transfer is free. `target_utilization` is that
    of auto scaling.
    """

    hours: float = HOURS_PER_MONTH
    target_utilization: float = 0.7
    pitr: bool = False
    backups: int = 0
    internet_share: float = 0.0
    free_tier: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.hours <= 744:
            raise InvalidValue(f"hours={self.hours!r}: expected up to 744 hours, such as 730.")
        # Auto scaling accepts targets from 20 to 90 percent.
        if not 0.2 <= self.target_utilization <= 0.9:
            raise InvalidValue(
                f"target_utilization={self.target_utilization!r}: expected 0.2 to 0.9."
            )
        if self.backups < 0:
            raise InvalidValue(f"backups={self.backups!r}: expected 0 or more.")
        if not 0 <= self.internet_share <= 1:
            raise InvalidValue(f"internet_share={self.internet_share!r}: expected 0 to 1.")


def loads_of(
    plan: Plan, *, table_classes: Mapping[Table, TableClass] | None = None
) -> tuple[ResourceLoad, ...]:
    """Return the loads of a plan.

    We assume that each feed pattern reads each shard of its stream once a second, and that TTL
    deletes as many items as are created.
    """
    reads, deletes = _stream_reads(plan), _ttl_deletes(plan)
    return tuple(
        ResourceLoad(
            one.table.name,
            None if one.index is None else one.index.name,
            one.index is not None and one.index.local,
            one.read,
            one.write,
            one.stored.bytes,
            0.0 if one.index is not None else reads.get(one.table, 0.0),
            0.0 if one.index is not None else deletes.get(one.table, 0.0),
            sum(
                part.bytes_returned * pattern.calls_per_month
                for pattern in plan.patterns
                if pattern.bytes_returned
                for part in pattern.estimate.parts
                if part.request.table is one.table and part.index is one.index
            ),
            (table_classes or {}).get(one.table, "STANDARD"),
        )
        for one in plan.resources
    )


def _stream_reads(plan: Plan) -> dict[Table, float]:
    """Return the GetRecords calls per month: a stream has a shard for each partition."""
    reads: dict[Table, float] = {}
    for one in plan.resources:
        if one.index is not None:
            continue
        feeds = [
            pattern
            for pattern in plan.patterns
            if isinstance(pattern.pattern, FeedPattern) and one.table in pattern.pattern.tables
        ]
        # A new table on demand has four partitions.
        shards = max(
            math.ceil(one.read.peak / READ_LIMIT),
            math.ceil(one.write.peak / WRITE_LIMIT),
            math.ceil(one.stored.bytes / PARTITION_BYTES),
            4 if one.capacity is None else 1,
        )
        reads[one.table] = float(len(feeds) * shards * SECONDS_PER_MONTH)
    return reads


def _ttl_deletes(plan: Plan) -> dict[Table, float]:
    """Return how many items with a time of expiry are created per month."""
    deletes: dict[Table, float] = {}
    for one in plan.patterns:
        for access in one.pattern.accesses:
            model = model_of(access.entity)
            if access.kind == "create" and model.role("expires") is not None:
                created = one.calls_per_month * one.pattern.expected.items
                deletes[model.table] = deletes.get(model.table, 0.0) + created
    return deletes
