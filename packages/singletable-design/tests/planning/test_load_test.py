"""Load tests: arrivals, latency from the intended start, targets, and the report."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from dynamodb_engine.faults import AsyncFaultyDriver, Faults, Next
from singletable import (
    AsyncDriver,
    AsyncStore,
    Call,
    InvalidValue,
    PatternCatalog,
    connect_async,
)
from singletable_design import planning
from singletable_design.planning.load_test import partition_keys
from singletable_design.planning.simulation import SimulationSettings, simulate
from tests.planning.designs import skills_catalog


class VirtualTime:
    """A clock that advances when something sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


def run_test(
    catalog: PatternCatalog, *, seconds: float = 2.0, wrap: Any = None, factor: float = 0.1
) -> planning.LoadOutcome:
    async def run() -> planning.LoadOutcome:
        population = planning.Population([catalog])
        traffic = planning.Traffic([catalog], population)
        rates = planning.rates_of(traffic.patterns.values(), lambda rate: rate.per_second * factor)
        time = VirtualTime()
        async with connect_async("memory:") as driver:
            store = AsyncStore(driver)
            await store.admin.create_table(catalog.tables[0])
            await store.bulk_load(population.items())
            test = planning.LoadTest(
                driver if wrap is None else wrap(driver),
                traffic,
                planning.create_plan([catalog]),
                planning.LoadSettings(rates, seconds, seed=3),
                clock=time,
                sleep=time.sleep,
            )
            return await test.run()

    return asyncio.run(run())


@pytest.fixture(scope="module")
def outcome() -> planning.LoadOutcome:
    return run_test(skills_catalog(users=60))


def test_calls_arrive_at_the_declared_rates(outcome: planning.LoadOutcome) -> None:
    assert outcome.planned_rate == pytest.approx(74.5)
    assert outcome.arrived / 2 == pytest.approx(74.5, rel=0.2)
    assert outcome.succeeded == outcome.arrived
    assert outcome.missed(planning.Targets()) == []


def test_units_of_calls_are_compared_with_the_plan(outcome: planning.LoadOutcome) -> None:
    (lookup,) = [one for one in outcome.patterns if one.pattern.code == "AP1"]
    assert lookup.units == lookup.planned_units == (0.5, 0.0)
    assert lookup.deviation == pytest.approx(0)


def test_same_seed_makes_the_same_calls(outcome: planning.LoadOutcome) -> None:
    again = run_test(skills_catalog(users=60))
    assert [(one.arrived, one.units) for one in again.patterns] == [
        (one.arrived, one.units) for one in outcome.patterns
    ]


def test_report_has_tables_page_and_files(outcome: planning.LoadOutcome) -> None:
    targets = planning.Targets()
    report = planning.show_load_test("skills", outcome, targets)
    assert [table.title for table in report.tables()] == ["Calls", "Units of a call"]
    assert "All targets were reached" in report.summary[0]
    assert "<h1>Load test of skills" in planning.report_page(report)
    figures: dict[str, Any] = json.loads(planning.load_json(outcome, targets))
    assert figures["missed"] == []
    assert len(planning.load_csv(outcome).splitlines()) == len(outcome.patterns) + 1


def missed(outcome: planning.LoadOutcome, targets: planning.Targets, code: str) -> Sequence[str]:
    return [text for text in outcome.missed(targets) if text.startswith(f"{code} ")]


def test_targets_that_are_missed_are_named(outcome: planning.LoadOutcome) -> None:
    (pattern,) = [one for one in outcome.patterns if one.pattern.code == "AP1"]
    slow = planning.Targets(p99=pattern.latency(0.99) - 1)
    assert "took longer than" in missed(outcome, slow, "AP1")[0]
    assert missed(outcome, planning.Targets(p99=60.0, deviation=0.01), "AP1") == []


def test_nothing_to_call_is_rejected() -> None:
    with pytest.raises(InvalidValue, match="no pattern has a rate"):
        run_test(skills_catalog(users=20), factor=0.0)


def test_throttled_requests_are_counted_by_partition_key() -> None:
    def throttled(driver: AsyncDriver) -> AsyncDriver:
        return AsyncFaultyDriver(driver, Faults(throttle=Next(3), operations=("GetItem",)))

    catalog = skills_catalog(users=20)
    outcome = run_test(catalog, seconds=1.0, wrap=throttled, factor=0.05)
    assert outcome.succeeded == outcome.arrived
    assert sum(one.throttles for one in outcome.patterns) == 3
    assert sum(one.retries for one in outcome.patterns) == 3
    keys = planning.show_load_test("skills", outcome, planning.Targets()).tables()[-1]
    assert keys.title == "Throttled keys"
    assert all(row[0].startswith("glad-entities USER#user-") for row in keys.rows)


async def consumed_by_key(catalog: PatternCatalog, calls: int) -> Counter[str]:
    """Return the half read units that queries by skill consume, by partition key."""
    population, found = planning.Population([catalog]), Counter[str]()
    tables = {table.name: table for table in catalog.tables}

    def add(call: Call) -> None:
        for request in call.requests:
            for key in partition_keys(request.operation, tables):
                found[key] += round(2 * request.units)

    async with connect_async("memory:") as driver:
        store = AsyncStore(driver)
        await store.admin.create_table(catalog.tables[0])
        await store.bulk_load(population.items())
        traffic = planning.Traffic([catalog], population)
        for _ in range(calls):
            await traffic.call("skills:AP11").run(AsyncStore(driver, observers=[add]))
    return found


def test_simulator_and_engine_see_the_same_hot_keys() -> None:
    catalog = skills_catalog(users=40)
    simulated = simulate(planning.workload_of([catalog]), SimulationSettings(minutes=1))
    planned = {
        one.key: one.share
        for one in simulated.busy_keys
        if one.resource == "glad-entities/GSI1" and one.kind == "read"
    }
    played = asyncio.run(consumed_by_key(catalog, 300))
    assert "SKILL#skill-1" in planned
    for key, share in planned.items():
        consumed = played[f"glad-entities/GSI1 {key}"] / played.total()
        assert consumed == pytest.approx(share, abs=0.05)
