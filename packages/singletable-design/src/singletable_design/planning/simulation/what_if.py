"""Simulate changes: more load until it is throttled, the busiest moment, sharded keys.

A cache is a setting of the simulation, because it answers calls by their keys.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dynamodb_engine.retry import RetryPolicy
from singletable.errors import InvalidValue
from singletable.patterns import per_second
from singletable_design.planning.simulation.result import ThrottlePoint
from singletable_design.planning.simulation.simulator import (
    MAX_CALLS_PER_SECOND,
    Simulation,
    SimulationSettings,
)
from singletable_design.planning.workload import (
    READ_LIMIT,
    WRITE_LIMIT,
    KeySpace,
    PlacedUnits,
    Workload,
)

# Throttling begins where a larger share of calls than this has a throttled request.
THROTTLED_SHARE = 0.001
_PROBE_SECONDS, _PROBE_CALLS = 5, 500_000
_PROBE_STEPS = 6
_MAX_FACTOR = 1e6
# A key with a larger share of its partition's limit is the reason for the throttling there.
_HOT_KEY_SHARE = 0.5
MAX_SHARDS = 1_000


def find_throttle_point(
    workload: Workload, settings: SimulationSettings | None = None
) -> ThrottlePoint:
    """Find the factor of the peak load at which throttling begins, by bisection.

    It is the sustained limit of the tables as they are at the start: without burst credit, splits
    and growth, all of which take time.
    """
    settings = settings or SimulationSettings()
    peak = _at_peak(workload)
    calls = sum(load.rate.per_second for load in peak.patterns)
    low, high = 0.0, 1.0
    share, cause = _probe(peak, settings, high)
    while share <= THROTTLED_SHARE:
        low, high = high, 2 * high
        if high > _MAX_FACTOR or high * calls > MAX_CALLS_PER_SECOND:
            return ThrottlePoint(None, low, "")
        share, cause = _probe(peak, settings, high)
    while not low and high > 1 / _MAX_FACTOR:
        share, found = _probe(peak, settings, high / 2)
        if share > THROTTLED_SHARE:
            high, cause = high / 2, found
        else:
            low = high / 2
    for _ in range(_PROBE_STEPS):
        middle = (low + high) / 2
        share, found = _probe(peak, settings, middle)
        if share > THROTTLED_SHARE:
            high, cause = middle, found
        else:
            low = middle
    return ThrottlePoint(high, high, cause)


@dataclass(frozen=True, slots=True)
class PeakResult:
    """The share of calls that are throttled at the peak load, and the limit that most met."""

    throttled_share: float
    limited_by: str


def simulate_peak(workload: Workload) -> PeakResult | None:
    """Return what is throttled at the peak load of the tables as they are at the start.

    Returns None if no pattern has a rate, or if there are too many calls for a simulation.
    """
    peak = _at_peak(workload)
    calls = sum(load.rate.per_second for load in peak.patterns if load.units)
    if not 0 < calls <= MAX_CALLS_PER_SECOND:
        return None
    share, cause = _probe(peak, SimulationSettings(), 1.0)
    return PeakResult(share, cause) if share > THROTTLED_SHARE else PeakResult(0.0, "")


def _probe(workload: Workload, settings: SimulationSettings, factor: float) -> tuple[float, str]:
    """Return the share of throttled calls at a load, and the limit that most of them met."""
    workload = _scaled(workload, factor)
    calls = sum(load.rate.per_second for load in workload.patterns)
    run = Simulation(
        workload,
        replace(settings, retries=RetryPolicy(max_attempts=1), start_hour=0),
        # Less time shows enough of many calls.
        seconds=max(1, min(_PROBE_SECONDS, int(_PROBE_CALLS / max(calls, 1)))),
        steady=True,
    )
    result = run.run(None)
    worst = max(result.causes, key=lambda one: one.by_partition + one.by_capacity, default=None)
    if worst is None:
        return 0.0, ""
    if worst.by_capacity > worst.by_partition:
        return result.throttled_share, f"the {worst.kind} capacity of {worst.resource}"
    hot = (
        key.text
        for key in result.hot_keys
        if key.resource == worst.resource
        and (key.read / READ_LIMIT if worst.kind == "read" else key.write / WRITE_LIMIT)
        >= _HOT_KEY_SHARE
    )
    key = f" with {text}" if (text := next(hot, "")) else ""
    return result.throttled_share, f"a partition of {worst.resource}{key} ({worst.kind})"


def _at_peak(workload: Workload) -> Workload:
    """Return the workload as if all of the day were the busiest moment of each pattern."""
    loads = (
        replace(load, rate=per_second(load.rate.peak_per_second)) for load in workload.patterns
    )
    return replace(workload, patterns=tuple(loads))


def _scaled(workload: Workload, factor: float) -> Workload:
    loads = (replace(load, rate=load.rate.times(factor)) for load in workload.patterns)
    return replace(workload, patterns=tuple(loads))


def shard_key(workload: Workload, key: str, shards: int) -> Workload:
    """Return the workload with a partition key spread over shards.

    `key` is a template, or its beginning. A write goes to one shard, and so does a read of one
    item, because its shard follows from its sort key. A query reads all shards.
    """
    if not 1 <= shards <= MAX_SHARDS:
        raise InvalidValue(f"{key}={shards}: expected a number of shards from 1 to {MAX_SHARDS:,}.")
    templates = {part.key.template: None for load in workload.patterns for part in load.units}
    matches = [one for one in templates if one == key] or [
        one for one in templates if one.startswith(key)
    ]
    if len(matches) != 1:
        known = ", ".join(matches or templates)
        problem = (
            "several partition keys begin with it" if matches else "no partition key begins with it"
        )
        raise InvalidValue(f"Shards of {key!r}: {problem}. Use one of: {known}.")
    loads = tuple(
        replace(load, units=tuple(_shard(part, matches[0], shards) for part in load.units))
        for load in workload.patterns
    )
    return replace(workload, patterns=loads)


def _shard(part: PlacedUnits, template: str, shards: int) -> PlacedUnits:
    if part.key.template != template:
        return part
    key = KeySpace(part.key.template, part.key.domains, shards)
    if part.kind == "write" or part.sort_keys == "one":
        return replace(part, key=key)
    total = part.units * part.partitions
    # The smallest read costs half a unit.
    return replace(part, key=key, partitions=shards, units=max(total / shards, 0.5))
