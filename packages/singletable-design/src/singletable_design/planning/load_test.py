"""Drive declared access patterns at their rates against any address, and measure what happens.

The load is an open loop: calls arrive at random times at the declared rates, whether or not earlier
calls have finished, as those of many users do. Latency is measured from the moment at which a call
should have started, so that a stall is seen in all calls that had to wait for it.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dynamodb_engine.operations import AsyncDriver, Operation, Query
from dynamodb_engine.operations.partition_keys import partition_values
from dynamodb_engine.operations.touches import item_requests
from singletable.errors import InvalidValue, SingleTableError, Throttled
from singletable.patterns import FeedPattern, Pattern, Rate
from singletable.schema import Table
from singletable.store import AsyncStore, Call, Progress
from singletable.store.bulk import ProgressCallback
from singletable_design.planning.formats import format_latency
from singletable_design.planning.plan import PatternPlan, Plan
from singletable_design.planning.traffic import PlannedCall, Traffic

# Calls that are still running at the end may take this long.
GRACE_SECONDS = 10.0
# One process makes some thousand calls a second; far more would only fill the memory.
MAX_CALLS_PER_SECOND = 100_000
# A pattern has missed its rate if fewer of its calls than this succeeded.
LEAST_SUCCESSES = 0.95
_MOST_KEYS = 5


@dataclass(frozen=True, slots=True)
class LoadSettings:
    """How a load test runs: calls per second by pattern, and for how long.

    At most `concurrency` calls run at once; others wait, which is part of their latency.
    """

    rates: Mapping[str, float]
    seconds: float = 60.0
    concurrency: int = 50
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Targets:
    """What a load test must reach; None sets no limit. Shares are from 0 to 1."""

    errors: float = 0.01
    p99: float | None = None
    deviation: float | None = None


@dataclass
class PatternOutcome:
    """What happened to the calls of one pattern."""

    plan: PatternPlan
    planned_rate: float
    # The tables by their real names.
    tables: Mapping[str, Table] = field(default_factory=dict[str, Table])
    # The calls that arrived, and the latencies of those that finished, in seconds.
    arrived: int = 0
    latencies: list[float] = field(default_factory=list[float])
    failures: Counter[str] = field(default_factory=Counter[str])
    throttles: int = 0
    retries: int = 0
    conflicts: int = 0
    read_units: float = 0.0
    write_units: float = 0.0
    hot_keys: Counter[str] = field(default_factory=Counter[str])

    @property
    def pattern(self) -> Pattern:
        """The access pattern."""
        return self.plan.pattern

    @property
    def succeeded(self) -> int:
        """The number of calls that returned."""
        return len(self.latencies)

    @property
    def failed(self) -> int:
        """The number of calls that raised an error, or did not finish in time."""
        return self.arrived - self.succeeded

    def latency(self, share: float) -> float:
        """Return the latency that this share of the calls did not exceed, in seconds."""
        ordered = sorted(self.latencies)
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0

    @property
    def units(self) -> tuple[float, float]:
        """The read and write units of a call, on average."""
        calls = max(self.succeeded, 1)
        return self.read_units / calls, self.write_units / calls

    @property
    def planned_units(self) -> tuple[float, float]:
        """The planned read and write units of a call."""
        return self.plan.estimate.typical_read, self.plan.estimate.typical_write

    @property
    def deviation(self) -> float | None:
        """How much more units than planned a call consumed, as a share; None without any."""
        planned, consumed = sum(self.planned_units), sum(self.units)
        return consumed / planned - 1 if planned and self.succeeded else None

    def observe(self, call: Call) -> None:
        """Add a call of the store, which reports what it consumed."""
        self.retries += call.retries
        self.conflicts += call.conflicts
        self.read_units += call.read_units
        self.write_units += call.write_units
        for request in call.requests:
            if isinstance(request.error, Throttled):
                self.throttles += 1
                self.hot_keys.update(partition_keys(request.operation, self.tables))

    def missed(self, targets: Targets) -> list[str]:
        """Return the targets that were missed, in sentences."""
        name, missed = f"{self.pattern.code} ({self.pattern.description})", list[str]()
        if not self.arrived:
            return []
        share = self.failed / self.arrived
        if share > targets.errors:
            reasons = ", ".join(f"{count} {one}" for one, count in self.failures.most_common(3))
            missed.append(
                f"{name}: {self.failed:,} of {self.arrived:,} calls failed ({reasons or 'late'}); "
                f"at most {targets.errors:.0%} may fail."
            )
        elif self.succeeded < LEAST_SUCCESSES * self.arrived:
            missed.append(f"{name}: only {self.succeeded:,} of {self.arrived:,} calls finished.")
        if targets.p99 is not None and self.latency(0.99) > targets.p99:
            missed.append(
                f"{name}: 1 % of the calls took longer than {format_latency(self.latency(0.99))}; "
                f"the target is {targets.p99 * 1000:,.4g} ms."
            )
        deviation = self.deviation
        most = targets.deviation
        if most is not None and deviation is not None and abs(deviation) > most:
            missed.append(
                f"{name}: a call consumed {deviation:+.0%} units compared with the plan; at most "
                f"{most:.0%} may differ."
            )
        return missed


@dataclass(frozen=True, slots=True)
class LoadOutcome:
    """The result of a load test, also of one that was interrupted."""

    seconds: float
    patterns: tuple[PatternOutcome, ...]
    interrupted: bool = False

    @property
    def arrived(self) -> int:
        """The number of all calls."""
        return sum(one.arrived for one in self.patterns)

    @property
    def succeeded(self) -> int:
        """The number of calls that returned."""
        return sum(one.succeeded for one in self.patterns)

    @property
    def planned_rate(self) -> float:
        """The planned calls per second of all patterns."""
        return sum(one.planned_rate for one in self.patterns)

    def missed(self, targets: Targets) -> list[str]:
        """Return the targets that were missed, in sentences."""
        return [text for one in self.patterns for text in one.missed(targets)]


def rates_of(patterns: Iterable[Pattern], choose: Callable[[Rate], float]) -> dict[str, float]:
    """Return the calls per second of the patterns with a rate; `choose` selects average or peak."""
    return {
        one.id: choose(one.expected.rate)
        for one in patterns
        if one.expected.rate is not None and not isinstance(one, FeedPattern)
    }


class LoadTest:
    """A load test in progress. `clock` and `sleep` are arguments, so that tests need not wait."""

    def __init__(
        self,
        driver: AsyncDriver,
        traffic: Traffic,
        plan: Plan,
        settings: LoadSettings,
        *,
        tables: Mapping[Table, str] | None = None,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        if not settings.rates or not sum(settings.rates.values()):
            raise InvalidValue(
                "There is nothing to call: no pattern has a rate. Declare rates, such as "
                "rate=per_second(20), or choose other patterns."
            )
        if not (total := sum(settings.rates.values())) <= MAX_CALLS_PER_SECOND:
            raise InvalidValue(
                f"{total:,.0f} calls a second: expected at most {MAX_CALLS_PER_SECOND:,}, because "
                "one process makes some thousand. Choose a lower rate, such as 0.01x or 500/s, and "
                "run several processes if you need more."
            )
        self._traffic = traffic
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        # What is prepared for calls is not counted.
        self._setup = AsyncStore(driver, tables=tables)
        plans = {one.pattern.id: one for one in plan.patterns}
        names = tables or {}
        real = {names.get(one.table, one.table.name): one.table for one in plan.resources}
        self._outcomes = {
            name: PatternOutcome(plans[name], rate, real) for name, rate in settings.rates.items()
        }
        self._stores = {
            name: AsyncStore(driver, tables=tables, observers=[outcome.observe])
            for name, outcome in self._outcomes.items()
        }
        self._slots = asyncio.Semaphore(settings.concurrency)

    async def run(self, on_progress: ProgressCallback | None = None) -> LoadOutcome:
        """Run to the end, or until the task is canceled; return what happened so far."""
        running: set[asyncio.Task[None]] = set()
        start = self._clock()
        interrupted = False
        try:
            for at, name in self._arrivals():
                delay = start + at - self._clock()
                # Others may run even if this loop is late.
                await self._sleep(max(delay, 0.0))
                outcome = self._outcomes[name]
                outcome.arrived += 1
                call = self._traffic.call(name)
                task = asyncio.create_task(self._perform(name, call, start + at))
                running.add(task)
                task.add_done_callback(running.discard)
                if on_progress is not None:
                    on_progress(Progress(int(at), int(self._settings.seconds)))
            if running:
                await asyncio.wait(running, timeout=GRACE_SECONDS)
        except asyncio.CancelledError:
            interrupted = True
        # Calls that have not finished count as failed.
        for task in list(running):
            task.cancel()
        if running:
            await asyncio.gather(*running, return_exceptions=True)
        seconds = min(self._clock() - start, self._settings.seconds)
        return LoadOutcome(max(seconds, 1e-9), tuple(self._outcomes.values()), interrupted)

    def _arrivals(self) -> Iterable[tuple[float, str]]:
        """Yield when which pattern is called: a Poisson process of all rates together."""
        rng = random.Random(self._settings.seed)
        names = list(self._settings.rates)
        weights = list(self._settings.rates.values())
        total, at = sum(weights), 0.0
        while True:
            at += rng.expovariate(total)
            if at >= self._settings.seconds:
                return
            yield at, rng.choices(names, weights)[0]

    async def _perform(self, name: str, call: PlannedCall, intended: float) -> None:
        outcome = self._outcomes[name]
        async with self._slots:
            before = self._clock()
            try:
                await call.prepare(self._setup)
                prepared = self._clock()
                await call.run(self._stores[name])
            except SingleTableError as error:
                outcome.failures[type(error).__name__] += 1
                return
            finished = self._clock()
            # The time to prepare the call is not part of it.
            outcome.latencies.append(finished - intended - (prepared - before))
            try:
                await call.repair(self._setup)
            except SingleTableError as error:
                outcome.failures[f"{type(error).__name__} after the call"] += 1


def partition_keys(operation: Operation[Any], tables: Mapping[str, Table]) -> list[str]:
    """Return the partition keys that a request is about, each after its table or index."""
    found: list[str] = []
    for name, request in item_requests(operation) or ():
        table = tables.get(name)
        if table is None:
            continue
        attribute, resource = table.key_attributes[0], name
        if isinstance(request, Query) and request.index_name is not None:
            index = next(one for one in table.indexes if one.name == request.index_name)
            attribute, resource = index.pk[0], f"{name}/{index.name}"
        values = partition_values(request, attribute.name)
        found += [f"{resource} {value}" for value in values]
    return found


def busiest_keys(outcomes: Sequence[PatternOutcome]) -> list[tuple[str, int]]:
    """Return the partition keys that were throttled most often."""
    total: Counter[str] = Counter()
    for one in outcomes:
        total.update(one.hot_keys)
    return total.most_common(_MOST_KEYS)
