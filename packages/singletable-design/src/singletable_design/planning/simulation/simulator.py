"""Simulate the load of a design in virtual time, in steps of a second.

Calls are drawn in batches of up to a minute. A second in which everything fits costs a few sums; a
second in which something is throttled is decided request by request. A throttled request is sent
again after a backoff, and competes again in the next second or later.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from dynamodb_engine.retry import RetryPolicy
from singletable.errors import InvalidValue
from singletable.patterns.expected_load import check_skew
from singletable.schema import Provisioned
from singletable.store import Progress
from singletable_design.planning.hot_keys import HotKey, hot_keys
from singletable_design.planning.simulation import call_source, result
from singletable_design.planning.simulation.calls import Calls, CallsBySecond, join_calls
from singletable_design.planning.simulation.partitions import (
    KINDS,
    NEW_TABLE,
    Flags,
    Floats,
    Ints,
    Partitions,
    ResourceCapacity,
    Split,
)
from singletable_design.planning.workload import Workload

MINUTE = 60
MAX_MINUTES = 7 * 24 * 60
# More would need too much memory, and are far above what one table is for.
MAX_CALLS_PER_SECOND = 1_000_000
# Calls that are drawn at once; more would not be faster, but need more memory.
_BATCH = 200_000
# A call that takes longer than its whole transaction meets it: about two writes.
_CONFLICT_WINDOW = 2 * call_source.WRITE_MEDIAN
# Latencies are counted in classes that are 2 percent wide, from 0.1 ms on.
_SHORTEST, _RATIO, _CLASSES = 1e-4, math.log(1.02), 800
# Few of each template, so that keys that are all alike leave room for others.
_HOT_KEYS, _HOT_KEYS_OF_TEMPLATE = 10, 3
_HOT_SHARE = 0.001


@dataclass(frozen=True, slots=True)
class SimulationSettings:
    """The settings of a simulation.

    `start_hour` is None for the busiest hour. `skew` replaces the exponents of all distributions.
    `capacity` replaces that of all tables and indexes. `warm` is the warm throughput of tables on
    demand. `retries` says how often and when a throttled request is sent again, without a budget.
    `caches` has caches by the id of a pattern.
    """

    minutes: int = 60
    seed: int = 1
    start_hour: int | None = None
    skew: float | None = None
    capacity: Provisioned | Literal["on-demand"] | None = None
    warm: Provisioned = NEW_TABLE
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    caches: Mapping[str, call_source.Cache] = field(default_factory=dict[str, call_source.Cache])

    def __post_init__(self) -> None:
        if not 1 <= self.minutes <= MAX_MINUTES:
            raise InvalidValue(
                f"minutes={self.minutes!r}: expected a whole number from 1 to {MAX_MINUTES:,} "
                "(a week)."
            )
        if self.start_hour is not None and not 0 <= self.start_hour <= 23:
            raise InvalidValue(f"start_hour={self.start_hour!r}: expected an hour from 0 to 23.")
        if self.skew is not None:
            check_skew(f"skew={self.skew!r}", self.skew)


def simulate(
    workload: Workload,
    settings: SimulationSettings | None = None,
    *,
    on_progress: Callable[[Progress], object] | None = None,
) -> result.SimulationResult:
    """Simulate a workload; the same seed gives the same result. Progress is counted in seconds."""
    return Simulation(workload, settings or SimulationSettings()).run(on_progress)


class Simulation:
    """The state of one simulation; it runs once.

    With `steady`, there is no burst credit, and nothing is split.
    """

    def __init__(
        self,
        workload: Workload,
        settings: SimulationSettings,
        *,
        seconds: int | None = None,
        steady: bool = False,
    ) -> None:
        self._settings = settings
        self._seconds = seconds or settings.minutes * MINUTE
        start_hour = settings.start_hour
        self._start_hour = busiest_hour(workload) if start_hour is None else start_hour
        capacities = _capacities(workload, settings)
        self._names = [capacity.name for capacity in capacities]
        self._partitions = Partitions(capacities, splits=not steady, burst=not steady)
        # Reading a stream consumes no units of a table.
        loads = [load for load in workload.patterns if load.units]
        self._sources = call_source.call_sources(
            loads,
            self._names,
            seconds=self._seconds,
            start_hour=self._start_hour,
            skew=settings.skew,
            caches=_checked_caches(workload, settings.caches),
        )
        self._workload = workload
        busiest = sum(float(source.rates.max()) for source in self._sources)
        if busiest > MAX_CALLS_PER_SECOND:
            raise InvalidValue(
                f"{busiest:,.0f} calls a second: expected at most {MAX_CALLS_PER_SECOND:,}. "
                "Simulate a smaller scale."
            )
        self._random = np.random.default_rng(settings.seed)
        parts = [part for source in self._sources for part in source.parts]
        self._requests = 1 + max(part.request + part.placed.partitions for part in parts)
        self._queue: dict[int, list[Calls]] = defaultdict(list)
        patterns, resources = len(self._sources), len(self._names)
        self._consumed: Floats = np.zeros((self._seconds, resources, 2))
        self._throttled: Floats = np.zeros((self._seconds, resources, 2))
        self._capacity: Floats = np.zeros((self._seconds, resources, 2))
        self._causes: Floats = np.zeros((resources, 2, 2))
        self._calls: Ints = np.zeros(patterns, dtype=np.intp)
        self._throttled_calls: Ints = np.zeros(patterns, dtype=np.intp)
        self._failed: Ints = np.zeros(patterns, dtype=np.intp)
        self._conflicts: Ints = np.zeros(patterns, dtype=np.intp)
        self._latencies: Floats = np.zeros((patterns, _CLASSES))
        # Units of the minute so far, by partition: consumed, and without room in the partition.
        self._minute_consumed: Floats = np.zeros((len(self._partitions), 2))
        self._minute_no_room: Floats = np.zeros((len(self._partitions), 2))
        self._heat: dict[tuple[int, int], dict[int, float]] = defaultdict(dict)
        self._splits: list[Split] = []
        self._is_table: Flags = np.array(["/" not in name for name in self._names])
        self._has_transactions = any(
            part.in_transaction for load in workload.patterns for part in load.units
        )

    def run(self, on_progress: Callable[[Progress], object] | None) -> result.SimulationResult:
        """Run and return the result."""
        start = 0
        while start < self._seconds:
            end = self._batch_end(start)
            calls = join_calls([one.draw(start, end, self._random) for one in self._sources])
            calls = self._add_conflicts(calls)
            self._calls += np.bincount(calls.pattern, minlength=len(self._calls))
            self._run_batch(start, end, calls)
            if end % MINUTE == 0 or end == self._seconds:
                self._end_minute((end - 1) // MINUTE, calls)
            if on_progress is not None:
                on_progress(Progress(end, self._seconds))
            start = end
        return self._result()

    def _batch_end(self, start: int) -> int:
        """Return the end of the next batch, which is within the minute."""
        rate = sum(float(source.rates[start]) for source in self._sources)
        length = max(1, min(MINUTE, int(_BATCH / max(rate, 1))))
        return min(start + length, start - start % MINUTE + MINUTE, self._seconds)

    def _run_batch(self, start: int, end: int, calls: Calls) -> None:
        partitions = self._partitions
        lanes = 2 * partitions.find(calls.position) + calls.kind
        width = 2 * len(partitions)
        part_second = calls.second[calls.call] - start
        offered = np.bincount(
            part_second * width + lanes, calls.units, minlength=(end - start) * width
        ).reshape(end - start, -1, 2)
        is_calm = np.zeros(end - start, dtype=np.bool_)
        by_second = CallsBySecond(calls, start, end)
        for second in range(start, end):
            self._capacity[second] = partitions.capacity
            units: Floats = offered[second - start]
            retried = self._queue.pop(second, None)
            if retried is None and partitions.can_take(units):
                is_calm[second - start] = True
                self._consume(second, units)
            else:
                self._decide(second, join_calls([by_second.calls(second), *(retried or [])]))
        calm = is_calm[calls.second - start]
        self._record_latencies(calls.pattern[calm], calls.latency[calm])

    def _consume(self, second: int, units: Floats) -> None:
        self._consumed[second] = self._partitions.by_resource(units)
        self._minute_consumed += units
        self._partitions.consume(units)

    def _decide(self, second: int, calls: Calls) -> None:
        """Admit or throttle each request of a second, and queue those that are sent again."""
        partitions = self._partitions
        lanes = 2 * partitions.find(calls.position) + calls.kind
        requests = calls.call * self._requests + calls.request
        arrivals = self._random.integers(2**16, size=len(calls), dtype=np.uint16)
        order = np.argsort(arrivals[calls.call], kind="stable")
        lanes, units = lanes[order], calls.units[order]
        admission = partitions.admit(lanes, units, requests[order])
        part_rejected = np.empty(len(order), dtype=np.bool_)
        part_rejected[order] = admission.rejected
        shape = (len(partitions), 2)
        consumed = _sum_by(lanes, np.where(admission.rejected, 0.0, units), shape)
        throttled = _sum_by(lanes, units, shape) - consumed
        for number, parts in enumerate((admission.by_partition, admission.by_capacity)):
            no_room = _sum_by(lanes[parts], units[parts], shape)
            self._causes[:, :, number] += partitions.by_resource(no_room)
            if parts is admission.by_partition:
                self._minute_no_room += no_room
        self._consume(second, consumed)
        self._throttled[second] = partitions.by_resource(throttled)
        call_rejected = np.zeros(len(calls), dtype=np.bool_)
        call_rejected[calls.call[part_rejected]] = True
        self._record_latencies(calls.pattern[~call_rejected], calls.latency[~call_rejected])
        if call_rejected.any():
            self._retry(second, calls.select(call_rejected, part_rejected))

    def _retry(self, second: int, calls: Calls) -> None:
        policy = self._settings.retries
        count = len(self._throttled_calls)
        first = calls.attempt == 0
        self._throttled_calls += np.bincount(calls.pattern[first], minlength=count)
        gives_up = calls.attempt + 1 >= policy.max_attempts
        self._failed += np.bincount(calls.pattern[gives_up], minlength=count)
        if gives_up.all():
            return
        calls = calls.select(~gives_up, ~gives_up[calls.call])
        base = policy.throttled_base_delay or policy.base_delay
        longest = np.minimum(policy.max_delay, base * 2.0**calls.attempt)
        wait = self._random.random(len(calls)) * longest
        retried = replace(calls, attempt=calls.attempt + 1, latency=calls.latency + wait)
        # Within the same second everything is taken: the next chance is in the next second.
        delays = np.maximum(1, np.floor(wait + 0.5)).astype(np.intp)
        for delay in np.unique(delays).tolist():
            later = delays == delay
            if second + delay < self._seconds:
                self._queue[second + delay].append(retried.select(later, later[retried.call]))

    def _add_conflicts(self, calls: Calls) -> Calls:
        """Delay calls that write the same item as a transaction at the same moment."""
        if not self._has_transactions:
            return calls
        in_transaction = calls.request == 0
        is_write = calls.kind == KINDS.index("write")
        is_table = self._is_table[calls.position.astype(np.intp)]
        parts = np.flatnonzero(is_write & is_table & call_source.is_one_item(calls.position))
        arrivals = calls.second + self._random.random(len(calls))
        times = arrivals[calls.call[parts]]
        order = np.lexsort((times, calls.position[parts]))
        parts, times = parts[order], times[order]
        same_item = calls.position[parts[1:]] == calls.position[parts[:-1]]
        other_call = calls.call[parts[1:]] != calls.call[parts[:-1]]
        soon = times[1:] - times[:-1] < _CONFLICT_WINDOW
        either = in_transaction[parts[1:]] | in_transaction[parts[:-1]]
        meets = np.zeros(len(calls), dtype=np.bool_)
        meets[calls.call[parts[1:][same_item & other_call & soon & either]]] = True
        self._conflicts += np.bincount(calls.pattern[meets], minlength=len(self._conflicts))
        wait = self._settings.retries.base_delay * self._random.random(len(calls))
        # The second attempt takes as long as the first.
        return replace(calls, latency=np.where(meets, 2 * calls.latency + wait, calls.latency))

    def _record_latencies(self, patterns: Ints, latencies: Floats) -> None:
        classes = (np.log(latencies / _SHORTEST) / _RATIO).astype(np.intp)
        numbers = patterns * _CLASSES + np.clip(classes, 0, _CLASSES - 1)
        self._latencies += np.bincount(numbers, minlength=self._latencies.size).reshape(
            self._latencies.shape
        )

    def _end_minute(self, minute: int, calls: Calls) -> None:
        partitions = self._partitions
        seconds = min(MINUTE, self._seconds - minute * MINUTE)
        consumed, no_room = self._minute_consumed / seconds, self._minute_no_room / seconds
        shares: Floats = np.max(consumed / partitions.limits, axis=1)
        # A partition that throttled is shown as over its limit, even if only for a second.
        shares = np.where(no_room.any(axis=1), np.maximum(shares, 1.0), shares)
        owners = zip(partitions.resource.tolist(), partitions.numbers.tolist(), strict=True)
        for owner, share in zip(owners, shares.tolist(), strict=True):
            self._heat[owner][minute] = share
        weights = calls.units / partitions.limits[calls.kind]
        self._splits += partitions.end_minute(minute, consumed, no_room, calls.position, weights)
        self._minute_consumed = np.zeros((len(partitions), 2))
        self._minute_no_room = np.zeros((len(partitions), 2))

    def _result(self) -> result.SimulationResult:
        series = [
            result.Series(
                name,
                kind,
                tuple(self._consumed[:, number, column].tolist()),
                tuple(self._throttled[:, number, column].tolist()),
                tuple(self._capacity[:, number, column].tolist()),
            )
            for number, name in enumerate(self._names)
            for column, kind in enumerate(KINDS)
        ]
        minutes = math.ceil(self._seconds / MINUTE)
        heat = [
            result.PartitionHeat(
                self._names[resource],
                number,
                tuple(shares.get(minute, 0.0) for minute in range(minutes)),
            )
            for (resource, number), shares in sorted(self._heat.items())
        ]
        causes = [
            result.ThrottleCause(name, kind, *self._causes[number, column].tolist())
            for number, name in enumerate(self._names)
            for column, kind in enumerate(KINDS)
            if self._causes[number, column].any()
        ]
        is_provisioned = self._partitions.is_provisioned.tolist()
        return result.SimulationResult(
            self._seconds,
            self._start_hour,
            self._settings.seed,
            int(self._calls.sum()),
            tuple(one for one in series if one.is_used),
            tuple(heat),
            tuple(self._hot_keys()),
            tuple(self._pattern_result(source) for source in self._sources),
            tuple(causes),
            tuple(self._splits),
            tuple(
                name
                for name, provisioned in zip(self._names, is_provisioned, strict=True)
                if not provisioned
            ),
        )

    def _pattern_result(self, source: call_source.CallSource) -> result.PatternResult:
        number = source.number
        return result.PatternResult(
            source.load.id,
            source.load.description,
            int(self._calls[number]),
            source.hits,
            int(self._throttled_calls[number]),
            int(self._failed[number]),
            int(self._conflicts[number]),
            *(_percentile(self._latencies[number], share) for share in (0.5, 0.9, 0.99, 0.999)),
        )

    def _hot_keys(self) -> list[HotKey]:
        """Return the keys with the highest expected load; the random arrivals do not matter."""
        firsts = np.arange(0, self._seconds, MINUTE)
        lengths = np.diff(np.append(firsts, self._seconds))
        rates = {
            one.load.id: (
                float(one.rates.mean()),
                float(np.max(np.add.reduceat(one.rates, firsts) / lengths)),
            )
            for one in self._sources
        }
        settings = self._settings
        keys = hot_keys(
            self._workload,
            rates=rates,
            skew=settings.skew,
            hit_shares={name: one.hit_share_of for name, one in settings.caches.items()},
            most=_HOT_KEYS_OF_TEMPLATE,
        )
        used = [key for key in keys if key.share][:_HOT_KEYS]
        # Show something in any case, but not many keys that have almost no load.
        return [key for key in used if key.share >= _HOT_SHARE] or used[:_HOT_KEYS_OF_TEMPLATE]


def busiest_hour(workload: Workload) -> int:
    """Return the hour with the most calls."""
    hourly = np.array([load.rate.hourly for load in workload.patterns]).reshape(-1, 24)
    return int(hourly.sum(axis=0).argmax())


def _capacities(workload: Workload, settings: SimulationSettings) -> list[ResourceCapacity]:
    names = {part.resource: part.table for load in workload.patterns for part in load.units}
    if not names:
        unrated = ", ".join(workload.unrated) or "none"
        raise InvalidValue(
            "There is nothing to simulate: no pattern has a rate. Declare rates, such as "
            f"rate=per_second(20). Patterns without a rate: {unrated}."
        )
    capacities: list[ResourceCapacity] = []
    for name, table in names.items():
        match settings.capacity:
            case None:
                provisioned = workload.capacity.get(name, workload.capacity.get(table))
            case "on-demand":
                provisioned = None
            case Provisioned() as units:
                provisioned = units
        stored = workload.bytes.get(name, 0.0)
        capacities.append(ResourceCapacity(name, provisioned, settings.warm, stored))
    return capacities


def _checked_caches(
    workload: Workload, caches: Mapping[str, call_source.Cache]
) -> dict[str, call_source.Cache]:
    """Return the caches if they are in front of patterns that only read."""
    reads = {load.id: all(part.kind == "read" for part in load.units) for load in workload.patterns}
    for pattern in caches:
        if not reads.get(pattern):
            problem = "it writes" if pattern in reads else "there is no such pattern with a rate"
            known = ", ".join(name for name, is_read in reads.items() if is_read) or "none"
            raise InvalidValue(
                f"A cache in front of {pattern!r}: {problem}. Patterns that can be cached: {known}."
            )
    return dict(caches)


def _sum_by(lanes: Ints, units: Floats, shape: tuple[int, int]) -> Floats:
    sums: Floats = np.bincount(lanes, units, minlength=shape[0] * shape[1]).astype(np.float64)
    return sums.reshape(shape)


def _percentile(classes: Floats, share: float) -> float:
    """Return the middle of the class of latencies that this share of calls does not exceed."""
    sums: Floats = np.cumsum(classes)
    total = float(sums[-1])
    if not total:
        return 0.0
    number = int(np.searchsorted(sums, share * total))
    return _SHORTEST * math.exp((number + 0.5) * _RATIO)
