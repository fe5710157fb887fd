"""A model of DynamoDB's partitions: their limits, capacity, burst credit and splits.

All tables and indexes share one number line: those with index 3 have the positions from 3 to 4. A
partition key hashes to a short interval of it, in which its items are ordered by their sort keys. A
partition is a longer interval, so that it can also divide the items of a key.

The rules are those of the DynamoDB Developer Guide (docs.aws.amazon.com/amazondynamodb/latest/
developerguide/PAGE.html), with PAGE in parentheses below.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from singletable.schema import Provisioned
from singletable_design.planning.resource_load import PARTITION_BYTES
from singletable_design.planning.workload import READ_LIMIT, WRITE_LIMIT

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.intp]
Flags: TypeAlias = npt.NDArray[np.bool_]

Kind: TypeAlias = Literal["read", "write"]
KINDS: tuple[Kind, Kind] = ("read", "write")

# Units a second of a partition; reads and writes are limited independently
# (bp-partition-key-design, throttling-key-range-limit-exceeded-mitigation).
PARTITION_LIMITS = (float(READ_LIMIT), float(WRITE_LIMIT))
# A new table on demand supports these units at once (warm-throughput-scenarios): 4 partitions.
NEW_TABLE = Provisioned(12_000, 4_000)
# On demand, traffic may double the previous peak within half an hour (on-demand-capacity-mode).
ON_DEMAND_GROWTH = 2.0
ON_DEMAND_MINUTES = 30
# Unused provisioned capacity is kept for 300 seconds; no partition exceeds its limit with it
# (burst-adaptive-capacity; repost.aws/knowledge-center/dynamodb-spiky-workloads-short-intervals).
BURST_SECONDS = 300
# AWS documents that a partition near its limit is split, but not when. In the tests of its blog
# (aws.amazon.com/blogs/database, "Scaling DynamoDB", part 2) this took about ten minutes.
HOT_SHARE = 0.9
HOT_MINUTES = 10
# A split that leaves more of the load than this on one side is not worth it.
_USEFUL_SPLIT = 0.995
# Parts of requests that are decided at once, at least.
_SHORTEST_QUEUE = 4_096
# The length of a partition key's interval.
KEY_LENGTH = 2.0**-32

SplitReason: TypeAlias = Literal["heat", "growth"]


@dataclass(frozen=True, slots=True)
class ResourceCapacity:
    """A table or an index as it is when the simulation starts.

    `provisioned` is None on demand; then it supports the units of `warm` at once.
    """

    name: str
    provisioned: Provisioned | None = None
    warm: Provisioned = NEW_TABLE
    bytes: float = 0.0

    @property
    def units(self) -> tuple[float, float]:
        """The read and write units a second at the start."""
        limits = self.provisioned or self.warm
        return (float(limits.read), float(limits.write))

    @property
    def partitions(self) -> int:
        """The number of partitions that these units and bytes need."""
        needed = [math.ceil(self.bytes / PARTITION_BYTES), _partitions_for(self.units)]
        return max(1, *needed)


@dataclass(frozen=True, slots=True)
class Split:
    """A partition that was split: the new one has the part after the split point."""

    minute: int
    resource: str
    partition: int
    new_partition: int
    reason: SplitReason


@dataclass(frozen=True, slots=True)
class Admission:
    """The rejected parts of requests, and why: a full partition, or a full table or index."""

    rejected: Flags
    by_partition: Flags
    by_capacity: Flags


class Partitions:
    """The partitions of all tables and indexes, and how much they can still take.

    Arrays with two columns are for read and write units. Without `splits` nothing is split and no
    table grows; without `burst` no unused capacity is kept.
    """

    def __init__(
        self, resources: Sequence[ResourceCapacity], *, splits: bool = True, burst: bool = True
    ) -> None:
        self.resources = tuple(resources)
        self._splits = splits
        counts = [resource.partitions for resource in resources]
        self.starts: Floats = np.concatenate(
            [number + np.arange(count) / count for number, count in enumerate(counts)]
        )
        self.resource: Ints = np.repeat(np.arange(len(counts)), counts)
        self.numbers: Ints = np.concatenate([np.arange(count) for count in counts])
        self.limits: Floats = np.array(PARTITION_LIMITS)
        # Units that requests took over the limit: a request is admitted if anything is left.
        self._debt: Floats = np.zeros((len(self.starts), 2))
        self._hot_minutes: Ints = np.zeros(len(self.starts), dtype=np.intp)
        self.capacity: Floats = np.array([resource.units for resource in resources])
        provisioned = [resource.provisioned is not None for resource in resources]
        self.is_provisioned: Flags = np.array(provisioned)
        seconds = np.where(self.is_provisioned & burst, BURST_SECONDS, 0)
        self._most_credit: Floats = self.capacity * seconds[:, None]
        # The table was idle before, so that it starts with all credit.
        self._credit: Floats = self._most_credit.copy()
        # Units a second of each minute so far, by resource.
        self._traffic: list[Floats] = []

    def __len__(self) -> int:
        return len(self.starts)

    def find(self, positions: Floats) -> Ints:
        """Return the index of the partition for each position."""
        return np.searchsorted(self.starts, positions, side="right") - 1

    def by_resource(self, by_partition: Floats) -> Floats:
        """Add up the rows of an array by partition to rows by resource."""
        firsts = np.searchsorted(self.resource, np.arange(len(self.resources)))
        return np.add.reduceat(by_partition, firsts, axis=0)

    def available(self) -> tuple[Floats, Floats]:
        """Return the units that are left in this second, by partition and by resource.

        Adaptive capacity lets a partition use all of its table's capacity, up to its own limit.
        """
        return self.limits - self._debt, self.capacity + self._credit

    def can_take(self, offered: Floats) -> bool:
        """Return whether no request of these units by partition is throttled."""
        partitions, resources = self.available()
        if not np.all(offered <= partitions):
            return False
        return bool(np.all(self.by_resource(offered) <= resources))

    def consume(self, units: Floats) -> None:
        """Take the units of one second, by partition, and start the next second."""
        self._debt = np.maximum(0.0, self._debt + units - self.limits)
        unused = self.capacity - self.by_resource(units)
        self._credit = np.minimum(self._most_credit, self._credit + unused)

    def admit(self, lanes: Ints, units: Floats, requests: Ints) -> Admission:
        """Decide which requests of a second are rejected; they come in the order of their parts.

        `lanes`, `units` and `requests` describe parts of requests: 2 * partition + kind, the units,
        and a number for the request, whose parts are adjacent. A request is admitted if something
        is left for each of its parts, in their partitions and in the capacity of their tables and
        indexes. Otherwise it consumes nothing: neither does a transaction of which one item is
        throttled, nor a write to a table whose index has no capacity.
        """
        partitions, resources = self.available()
        room = np.concatenate([partitions.ravel(), resources.ravel()])
        needs = np.stack([lanes, partitions.size + 2 * self.resource[lanes // 2] + lanes % 2])
        offered = np.bincount(needs.ravel(), np.tile(units, 2), len(room))
        # Only lanes that do not take everything can reject something.
        is_crowded = offered > room
        numbers: Ints = np.cumsum(np.append(False, requests[1:] != requests[:-1]))
        rejected = np.zeros(len(lanes), dtype=np.bool_)
        # About this share fits; most of the others are rejected without being put in order.
        share = float(np.min(room[is_crowded] / offered[is_crowded], initial=1.0))
        start, length = 0, max(_SHORTEST_QUEUE, int(share * len(lanes)))
        while start < len(lanes):
            last = int(numbers[min(start + length, len(lanes)) - 1])
            end = int(np.searchsorted(numbers, last, side="right"))
            own = numbers[start:end] - numbers[start]
            is_rejected = np.zeros(own[-1] + 1, dtype=np.bool_)
            decided = np.flatnonzero(is_crowded[needs[:, start:end]])
            part = decided % len(own)
            _reject(
                needs[:, start:end].ravel()[decided],
                units[start:end][part],
                own[part],
                room,
                is_rejected,
            )
            rejected[start:end] = is_rejected[own]
            start, length = end, 2 * length
        by_partition, by_capacity = rejected & (room[needs] <= 0)
        return Admission(rejected, by_partition, by_capacity & ~by_partition)

    def end_minute(
        self, minute: int, consumed: Floats, no_room: Floats, positions: Floats, weights: Floats
    ) -> list[Split]:
        """Scale and split after a minute.

        `consumed` and `no_room` are the units a second that each partition took, and could not
        take. `positions` is a sample of where requests were, and `weights` has their shares of a
        partition's limit.
        """
        self._traffic.append(self.by_resource(consumed))
        if not self._splits:
            return []
        is_hot = ((consumed + no_room) >= HOT_SHARE * self.limits).any(axis=1)
        self._hot_minutes = np.where(is_hot, self._hot_minutes + 1, 0)
        return [*self._split_hot(minute, positions, weights), *self._grow(minute)]

    def _split_hot(self, minute: int, positions: Floats, weights: Floats) -> list[Split]:
        splits: list[Split] = []
        # From the last to the first, because a split moves the partitions after it.
        for index in np.flatnonzero(self._hot_minutes >= HOT_MINUTES)[::-1].tolist():
            start, end = self._interval(index)
            inside = (positions >= start) & (positions < end)
            point = split_point(start, end, positions[inside], weights[inside])
            if point is not None:
                splits.append(self._split(index, point, minute, "heat"))
        return splits

    def _grow(self, minute: int) -> list[Split]:
        """Let tables on demand double the peak of more than half an hour ago."""
        splits: list[Split] = []
        settled = self._traffic[:-ON_DEMAND_MINUTES]
        if not settled:
            return splits
        doubled = ON_DEMAND_GROWTH * np.max(settled, axis=0)
        scaled = np.maximum(self.capacity, doubled)
        self.capacity = np.where(self.is_provisioned[:, None], self.capacity, scaled)
        for number, units in enumerate(self.capacity.tolist()):
            missing = _partitions_for(units) - int(np.count_nonzero(self.resource == number))
            for _ in range(0 if self.is_provisioned[number] else missing):
                own = np.flatnonzero(self.resource == number)
                lengths = np.append(self.starts[1:], len(self.resources))[own] - self.starts[own]
                index = int(own[np.argmax(lengths)])
                start, end = self._interval(index)
                splits.append(self._split(index, (start + end) / 2, minute, "growth"))
        return splits

    def _interval(self, index: int) -> tuple[float, float]:
        is_last = index + 1 == len(self) or self.resource[index + 1] != self.resource[index]
        end = self.resource[index] + 1 if is_last else self.starts[index + 1]
        return float(self.starts[index]), float(end)

    def _split(self, index: int, point: float, minute: int, reason: SplitReason) -> Split:
        resource = int(self.resource[index])
        number = int(self.numbers[self.resource == resource].max()) + 1
        after = index + 1
        self.starts = np.insert(self.starts, after, point)
        self.resource = np.insert(self.resource, after, resource)
        self.numbers = np.insert(self.numbers, after, number)
        self._debt = np.insert(self._debt, after, 0.0, axis=0)
        self._hot_minutes[index] = 0
        self._hot_minutes = np.insert(self._hot_minutes, after, 0)
        parent = int(self.numbers[index])
        return Split(minute, self.resources[resource].name, parent, number, reason)


def split_point(start: float, end: float, positions: Floats, weights: Floats) -> float | None:
    """Return where to split a partition so that its halves are as equal as possible.

    Return None if no split helps: all requests go to one item, or always to the last one.
    """
    total = float(weights.sum())
    if not total:
        return None
    order = np.argsort(positions)
    sorted_positions = positions[order]
    sums = np.cumsum(weights[order]) / total
    middle = float(sorted_positions[np.searchsorted(sums, 0.5)])
    after = np.searchsorted(sorted_positions, middle, side="right")
    key = math.floor(middle / KEY_LENGTH) * KEY_LENGTH
    # At the middle, or around the partition key there, which is then isolated from others.
    points = [middle, key, key + KEY_LENGTH]
    if after < len(sorted_positions):
        points.append(float(sorted_positions[after]))
    best: tuple[float, float] | None = None
    for point in points:
        if start < point < end:
            before = int(np.searchsorted(sorted_positions, point, side="left"))
            share = float(sums[before - 1]) if before else 0.0
            larger = max(share, 1 - share)
            best = min(best or (larger, point), (larger, point))
    return best[1] if best is not None and best[0] < _USEFUL_SPLIT else None


def _reject(lanes: Ints, units: Floats, requests: Ints, room: Floats, rejected: Flags) -> None:
    """Admit requests in order while each of their lanes has room; mark the others as rejected.

    Take the units of admitted requests from `room`. Each round admits the requests that fit even if
    all before them are admitted. The lane that is full first has no room then, so that there are at
    most as many rounds as lanes.
    """
    rejected[requests[room[lanes] <= 0]] = True
    order = np.flatnonzero(~rejected[requests])
    # Small integers are sorted in linear time.
    small = lanes[order].astype(np.min_scalar_type(len(room)))
    order = order[np.argsort(small, kind="stable")]
    lanes, units, requests = lanes[order], units[order], requests[order]
    while len(lanes):
        is_first = np.append(True, lanes[1:] != lanes[:-1])
        # All parts of a request in a lane are behind the same others.
        is_own = np.append(True, requests[1:] != requests[:-1]) | is_first
        sums = np.cumsum(units) - units
        before = np.maximum.accumulate(np.where(is_own, sums, 0.0))
        before -= np.maximum.accumulate(np.where(is_first, sums, 0.0))
        waits = np.zeros(len(rejected), dtype=np.bool_)
        waits[requests[before >= room[lanes]]] = True
        is_waiting = waits[requests]
        room -= np.bincount(lanes[~is_waiting], units[~is_waiting], len(room))
        rejected[requests[is_waiting & (room[lanes] <= 0)]] = True
        left = is_waiting & ~rejected[requests]
        lanes, units, requests = lanes[left], units[left], requests[left]


def _partitions_for(units: Sequence[float]) -> int:
    shares = zip(units, PARTITION_LIMITS, strict=True)
    return max(math.ceil(one / limit) for one, limit in shares)
