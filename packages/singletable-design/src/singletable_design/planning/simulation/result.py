"""The result of a simulation as plain values: series, partitions, hot keys, latencies, splits."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_design.planning.hot_keys import HotKey
from singletable_design.planning.simulation.partitions import Kind, Split


@dataclass(frozen=True, slots=True)
class Series:
    """The read or write units of a table or an index in each second.

    `consumed` plus `throttled` are all units that were asked for, retries included. `capacity` is
    that of the whole table or index: provisioned, or the limit of on-demand scaling.
    """

    resource: str
    kind: Kind
    consumed: tuple[float, ...]
    throttled: tuple[float, ...]
    capacity: tuple[float, ...]

    @property
    def is_used(self) -> bool:
        """Whether any units were offered."""
        return any(self.consumed) or any(self.throttled)


@dataclass(frozen=True, slots=True)
class PartitionHeat:
    """How near to its limit a partition was in each minute, from 0 to 1; above 1 it throttled."""

    resource: str
    number: int
    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PatternResult:
    """The calls of one pattern; percentiles are in seconds, of the calls that succeeded.

    `throttled` calls had at least one throttled request; `failed` ones gave up after all attempts.
    `conflicts` counts transactions and writes that met another write to the same item.
    """

    id: str
    description: str
    calls: int
    cache_hits: int
    throttled: int
    failed: int
    conflicts: int
    p50: float
    p90: float
    p99: float
    p999: float

    @property
    def throttled_share(self) -> float:
        """The share of calls with a throttled request."""
        return self.throttled / self.calls if self.calls else 0.0


@dataclass(frozen=True, slots=True)
class ThrottleCause:
    """Units of throttled requests, by the exceeded limit: of a partition, or of all capacity."""

    resource: str
    kind: Kind
    by_partition: float
    by_capacity: float


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """The figures of a simulation."""

    seconds: int
    start_hour: int
    seed: int
    # All calls, without those that a cache answered.
    calls: int
    series: tuple[Series, ...]
    partitions: tuple[PartitionHeat, ...]
    # Their peak is that of the busiest minute.
    hot_keys: tuple[HotKey, ...]
    patterns: tuple[PatternResult, ...]
    causes: tuple[ThrottleCause, ...]
    splits: tuple[Split, ...]
    # Tables and indexes on demand; the others are provisioned.
    on_demand: tuple[str, ...]

    @property
    def throttled(self) -> int:
        """The number of calls with a throttled request."""
        return sum(pattern.throttled for pattern in self.patterns)

    @property
    def failed(self) -> int:
        """The number of calls that gave up after all attempts."""
        return sum(pattern.failed for pattern in self.patterns)

    @property
    def throttled_share(self) -> float:
        """The share of calls with a throttled request."""
        return self.throttled / self.calls if self.calls else 0.0


@dataclass(frozen=True, slots=True)
class ThrottlePoint:
    """The load factor at which throttling begins, and the limit that is exceeded there.

    `factor` is None if the search found no throttling up to `searched_to` times the peak load.
    """

    factor: float | None
    searched_to: float
    limited_by: str


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A simulation of a changed design: the change, its result and its throttle point."""

    change: str
    result: SimulationResult
    throttle_point: ThrottlePoint
