"""Simulations with results that can be computed by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynamodb_engine.retry import RetryPolicy
from singletable.errors import InvalidValue, SingleTableError
from singletable.patterns import Distribution, per_hour, per_second
from singletable.schema import Provisioned
from singletable.store import Progress
from singletable_design.planning import KeySpace, PatternLoad, PlacedUnits, Workload
from singletable_design.planning.simulation import (
    Cache,
    Series,
    SimulationResult,
    SimulationSettings,
    ThrottlePoint,
    find_throttle_point,
    shard_key,
    simulate,
)
from singletable_design.planning.simulation.call_source import PEAK_SECONDS, rates_by_second
from singletable_design.planning.simulation.report import show_simulation
from singletable_design.planning.simulation.sampler import Sampler
from tests.planning.loads import both, in_transaction, keys, units, workload

# Each throttled request is then a failed call, which makes them easy to count.
ONCE = RetryPolicy(max_attempts=1)
ONE_KEY = workload(units(keys(1)), rate=1_200)


def run(load: Workload, minutes: int = 1, **settings: object) -> SimulationResult:
    chosen = SimulationSettings(minutes=minutes, retries=ONCE)
    return simulate(load, replace(chosen, **settings))  # type: ignore[arg-type]


def series(result: SimulationResult, resource: str = "shop", kind: str = "write") -> Series:
    return next(one for one in result.series if (one.resource, one.kind) == (resource, kind))


def per_second_of(values: tuple[float, ...]) -> float:
    return sum(values) / len(values)


def test_one_key_is_throttled_at_the_limit_of_a_partition() -> None:
    result = run(ONE_KEY)
    assert per_second_of(series(result).consumed) == pytest.approx(1_000, rel=0.01)
    assert per_second_of(series(result).throttled) == pytest.approx(200, rel=0.1)
    assert result.patterns[0].failed == result.throttled
    (cause,) = result.causes
    assert (cause.by_partition > 0, cause.by_capacity) == (True, 0)
    hot = result.hot_keys[0]
    assert (hot.text, hot.share, hot.write) == ("USER#user-1", 1.2, 1_200)


def test_many_keys_are_not_throttled() -> None:
    result = run(workload(units(keys(100_000)), rate=1_200))
    assert (result.throttled, result.failed, result.causes) == (0, 0, ())


def test_shards_remove_the_throttling_of_a_key() -> None:
    sharded = run(shard_key(ONE_KEY, "USER#", 10))
    assert sharded.throttled == 0
    assert sharded.hot_keys[0].write == pytest.approx(120)


def test_query_reads_all_shards() -> None:
    read = workload(units(keys(1), "read", 8.0, sort_keys="many"), rate=10)
    result = run(shard_key(read, "USER#{user}", 4))
    assert per_second_of(series(result, kind="read").consumed) == pytest.approx(80, rel=0.1)
    small = workload(units(keys(1), "read", 0.5, sort_keys="many"), rate=10)
    result = run(shard_key(small, "USER#{user}", 4))
    assert per_second_of(series(result, kind="read").consumed) == pytest.approx(20, rel=0.1)


def test_hot_index_key_throttles_writes_to_the_table() -> None:
    entry = units(keys(1, name="status"), index="GSI1", sort_keys="many")
    result = run(workload(units(keys(100_000)), entry, rate=1_200))
    assert per_second_of(series(result, "shop/GSI1").throttled) == pytest.approx(200, rel=0.1)
    assert per_second_of(series(result).throttled) == pytest.approx(200, rel=0.1)


def test_hot_index_key_throttles_no_reads_of_the_table() -> None:
    writes = workload(units(keys(1, name="status"), index="GSI1"), rate=1_200)
    reads = workload(units(keys(1_000), "read", 0.5), rate=100, name="R1")
    result = run(both(writes, reads))
    assert [pattern.throttled > 0 for pattern in result.patterns] == [True, False]


def test_table_on_demand_throttles_above_its_warm_throughput() -> None:
    load = workload(units(keys(1_000_000), size=50.0), rate=100)
    result = run(load, minutes=1)
    assert per_second_of(series(result).consumed) == pytest.approx(4_000, rel=0.03)
    assert sum(cause.by_capacity + cause.by_partition for cause in result.causes) > 0
    warm = run(load, minutes=1, warm=Provisioned(12_000, 8_000))
    assert warm.throttled_share < 0.02


def test_table_on_demand_takes_doubled_traffic_after_half_an_hour() -> None:
    # 3,000 units a second, and 5,400 from the second hour on.
    by_hour = (*(3.0,) * 9, 5.4, *(3.0,) * 14)
    rate = per_hour(3600 * 10 * sum(by_hour) / 24, by_hour=by_hour)
    load = workload(units(keys(1_000_000), size=100.0), rate=rate)
    late = run(load, minutes=62, start_hour=8)
    assert late.throttled_share < 0.05
    assert "growth" in {split.reason for split in late.splits}
    assert series(late).capacity[-1] == pytest.approx(6_000, rel=0.1)
    early = run(load, minutes=5, start_hour=9)
    assert early.throttled_share > 0.2


def test_provisioned_table_throttles_when_its_burst_credit_is_used() -> None:
    load = workload(units(keys(10_000)), rate=30)
    result = run(load, minutes=15, capacity=Provisioned(20, 20))
    throttled = series(result).throttled
    # 300 seconds of 20 units last for 600 seconds at 10 units too many.
    assert not any(throttled[:540])
    assert per_second_of(throttled[660:]) == pytest.approx(10, rel=0.1)
    assert result.causes[0].by_capacity > 0


def test_more_capacity_never_throttles_more() -> None:
    load = workload(units(keys(500, 1.1)), rate=400)
    shares = [
        run(load, minutes=3, capacity=Provisioned(10, write)).throttled_share
        for write in (50, 100, 200, 400, 800)
    ]
    assert shares == sorted(shares, reverse=True)
    assert (shares[0] > 0.3, shares[-1]) == (True, 0.0)


def test_consumed_and_throttled_units_are_the_offered_ones() -> None:
    result = run(ONE_KEY)
    written = series(result)
    assert sum(written.consumed) + sum(written.throttled) == result.calls
    assert result.failed == sum(written.throttled)


def transaction(size: float, *keyspaces: KeySpace) -> list[PlacedUnits]:
    return [in_transaction(units(space, size=size)) for space in keyspaces]


MANY, OTHERS = keys(1_000_000), keys(1_000_000, name="order")
TEN = [keys(1_000_000, name=f"part{number}") for number in range(10)]
ENTRY = units(keys(1_000, name="status"), index="GSI1", sort_keys="many")
# Parts of a call, its units on the table, and the units a second that the table can serve.
SERVED: dict[str, tuple[list[PlacedUnits], float, float]] = {
    "puts": ([units(MANY)], 1, 4_000),
    "puts with an index": ([units(MANY), ENTRY], 1, 4_000),
    "transactions of two items": (transaction(2.0, MANY, OTHERS), 4, 4_000),
    "transactions of ten items": (transaction(2.0, *TEN), 20, 4_000),
    "transactions on one item": (transaction(2.0, keys(1)), 2, 1_000),
    # 400 a second: a quarter of the other items are in the same partition.
    "transactions with a busy item": (transaction(2.0, MANY, keys(1, name="total")), 4, 1_600),
    "batches of 25 keys": ([replace(units(MANY), partitions=25)], 25, 4_000),
}


@pytest.mark.rest
@pytest.mark.parametrize("overload", [0.75, 1.2, pytest.param(3.0, marks=pytest.mark.rest)])
@pytest.mark.parametrize("name", SERVED)
def test_overloaded_table_serves_its_capacity(name: str, overload: float) -> None:
    parts, size, capacity = SERVED[name]
    result = run(
        workload(*parts, rate=overload * capacity / size), retries=RetryPolicy(max_attempts=4)
    )
    served = per_second_of(series(result).consumed)
    # A second may take one request more than its limit, and repay it later.
    assert served == pytest.approx(min(overload, 1.0) * capacity, rel=0.05)
    assert served <= capacity * 1.01
    assert (result.throttled_share < 0.001) == (overload < 1)


@pytest.mark.rest
@pytest.mark.parametrize("name", SERVED)
def test_throttling_begins_where_the_throttle_point_says(name: str) -> None:
    parts, size, capacity = SERVED[name]
    point = find_throttle_point(workload(*parts, rate=capacity / size)).factor or 0.0
    below, above = (
        run(workload(*parts, rate=factor * point * capacity / size), retries=RetryPolicy())
        for factor in (0.97, 1.2)
    )
    assert below.throttled_share < 0.01
    assert above.throttled_share > 0.01


def test_puts_are_not_throttled_where_transactions_leave_room() -> None:
    # All transactions write one item, so that they leave most of the table to others.
    hot = workload(*transaction(2.0, MANY, keys(1, name="total")), rate=1_000)
    result = run(both(hot, workload(units(OTHERS), rate=500, name="P1")), retries=RetryPolicy())
    assert per_second_of(series(result).consumed) == pytest.approx(1_600 + 375, rel=0.05)
    # Only a quarter of the puts are in the partition of the busy item.
    assert result.patterns[0].throttled_share > 0.5
    assert result.patterns[1].throttled_share < 0.26


def test_every_call_is_served_fails_or_waits_for_its_last_attempt() -> None:
    load = workload(*transaction(2.0, keys(50), keys(50, name="order")), rate=30)
    capacity, twice = Provisioned(5, 50), RetryPolicy(max_attempts=2)
    result = run(load, 7, capacity=capacity, retries=twice)
    written = series(result)
    waiting = result.calls - result.failed - sum(written.consumed) / 4
    assert 0 <= waiting <= sum(written.throttled[-2:]) / 4
    # The capacity, and what was saved before the start.
    assert sum(written.consumed) == pytest.approx(50 * (7 * 60 + 300), rel=0.01)


def test_retries_are_offered_again_and_make_calls_slower() -> None:
    once = run(ONE_KEY)
    retried = run(ONE_KEY, retries=RetryPolicy())
    offered = [sum(series(one).consumed) + sum(series(one).throttled) for one in (once, retried)]
    assert offered[1] > 1.5 * offered[0]
    assert retried.failed < once.failed
    assert retried.patterns[0].p99 > 10 * once.patterns[0].p99


def test_hot_partition_is_split_and_throttling_ends() -> None:
    # A hundred keys, two thirds of the limit of all four partitions.
    load = workload(units(keys(100), size=10.0), rate=100)
    result = run(load, minutes=15, capacity=Provisioned(1_000, 1_000))
    assert {split.reason for split in result.splits} == {"heat"}
    hot = workload(units(keys(1), size=20.0, sort_keys="many"), rate=65)
    split = run(hot, minutes=12)
    throttled = series(split).throttled
    assert per_second_of(throttled[:300]) == pytest.approx(300, rel=0.15)
    assert per_second_of(throttled[-60:]) < 30


@pytest.mark.parametrize("sort_keys", ["one", "growing"])
def test_key_with_one_busy_item_stays_hot(sort_keys: str) -> None:
    part = replace(units(keys(1), size=20.0), sort_keys=sort_keys)  # type: ignore[arg-type]
    result = run(workload(part, rate=65), minutes=12)
    assert per_second_of(series(result).throttled[-60:]) == pytest.approx(300, rel=0.3)


def test_patterns_without_calls_or_units_have_no_figures() -> None:
    stream = Workload((PatternLoad("X1", "Read the stream", per_second(5), ()),))
    result = run(both(workload(units(keys(3)), rate=0), stream))
    assert (result.calls, result.series, result.hot_keys) == (0, (), ())
    assert [pattern.p99 for pattern in result.patterns] == [0.0]
    report = show_simulation("app", result, ThrottlePoint(None, 2.0, ""))
    assert report.tables() == []
    assert report.sections[-1].title == "About these figures"


def test_rates_that_need_too_much_memory_are_rejected() -> None:
    with pytest.raises(InvalidValue, match=r"5,000,000 calls a second.*smaller scale"):
        run(workload(units(keys(3)), rate=5_000_000))


def test_progress_is_shown_within_a_minute() -> None:
    steps: list[Progress] = []
    load = workload(units(keys(1_000)), rate=5_000)
    simulate(load, SimulationSettings(minutes=1, retries=ONCE), on_progress=steps.append)
    assert [step.done for step in steps] == [40, 60]
    assert {step.total for step in steps} == {60}


def test_same_seed_gives_the_same_result() -> None:
    load = workload(units(keys(50, 1.0)), rate=300)
    assert run(load, seed=7) == run(load, seed=7)
    assert run(load, seed=7) != run(load, seed=8)


def test_transactions_on_one_item_conflict() -> None:
    contended = run(workload(in_transaction(units(keys(1))), rate=50))
    spread = run(workload(in_transaction(units(keys(100_000))), rate=50))
    # One of 50 others a second within 10 ms: about 40 percent.
    assert contended.patterns[0].conflicts / contended.calls == pytest.approx(0.4, abs=0.05)
    assert spread.patterns[0].conflicts < 10
    items = run(workload(in_transaction(units(keys(1), sort_keys="many")), rate=50))
    assert items.patterns[0].conflicts == 0


def test_cache_answers_a_share_of_calls() -> None:
    load = workload(units(keys(100), "read"), rate=100, name="R1")
    result = run(load, caches={"R1": Cache(hits=0.9)})
    hits = result.patterns[0].cache_hits
    assert hits / (hits + result.calls) == pytest.approx(0.9, abs=0.02)


def test_cache_with_time_to_live_reads_each_key_once_in_a_while() -> None:
    # 10 keys, each called 10 times a second and kept for 9.9 seconds: one of 100 calls is a miss.
    load = workload(units(keys(10), "read"), rate=100, name="R1")
    result = run(load, minutes=5, caches={"R1": Cache(seconds=9.9)})
    hits = result.patterns[0].cache_hits
    assert result.calls / (hits + result.calls) == pytest.approx(0.01, rel=0.2)


def test_throttle_point_is_the_limit_of_the_busy_key() -> None:
    point = find_throttle_point(workload(units(keys(1)), rate=100))
    assert point.factor == pytest.approx(10, rel=0.07)
    assert point.limited_by == "a partition of shop with USER#user-1 (write)"


def test_throttle_point_is_found_below_the_declared_load() -> None:
    point = find_throttle_point(workload(units(keys(1), size=10.0), rate=4_000))
    assert point.factor == pytest.approx(0.025, rel=0.2)


def test_throttle_point_of_no_load_is_not_found() -> None:
    assert find_throttle_point(workload(units(keys(1)), rate=0)).factor is None


def test_throttle_point_counts_from_the_peak() -> None:
    load = workload(units(keys(1)), rate=per_second(50, peak=500))
    assert find_throttle_point(load).factor == pytest.approx(2, rel=0.07)
    provisioned = SimulationSettings(capacity=Provisioned(10, 100))
    point = find_throttle_point(workload(units(keys(500)), rate=10), provisioned)
    assert point.factor == pytest.approx(10, rel=0.25)
    assert point.limited_by == "the write capacity of shop"


def test_skew_replaces_the_distributions() -> None:
    load = workload(units(keys(1_000)), rate=500)
    even, uneven = run(load), run(load, skew=1.5)
    assert even.hot_keys[0].write == pytest.approx(0.5)
    assert uneven.hot_keys[0].write == pytest.approx(500 * Distribution(1_000, 1.5).share(1))


def test_pattern_skew_overrides_its_domains() -> None:
    load = workload(units(keys(1_000)), rate=500)
    skewed = Workload((replace(load.patterns[0], skew=1.5),))
    assert run(skewed).hot_keys[0].write == pytest.approx(500 * Distribution(1_000, 1.5).share(1))


def test_requests_of_a_call_are_about_the_same_value() -> None:
    # Both keys are those of the same user, so that their shares are the same.
    space = keys(100, 1.0)
    other = KeySpace("ORDERS#{user}", space.domains)
    result = run(workload(units(space), units(other, "read", 3.0), rate=200))
    loads = {key.text: key for key in result.hot_keys}
    assert loads["ORDERS#user-1"].read == pytest.approx(3 * loads["USER#user-1"].write)


@pytest.mark.parametrize(("values", "exponent"), [(1, 1.0), (50, 0.0), (50, 0.7), (200, 1.1)])
def test_sampler_draws_by_the_distribution(values: int, exponent: float) -> None:
    distribution = Distribution(values, exponent)
    drawn = Sampler(distribution).draw(40_000, np.random.default_rng(3))
    counts = np.bincount(drawn, minlength=values) / len(drawn)
    for rank in {1, 2, values}:
        if rank <= values:
            assert counts[rank - 1] == pytest.approx(distribution.share(rank), abs=0.01)
    assert drawn.max() < values


@pytest.mark.parametrize("exponent", [0.8, 1.0, 1.2])
def test_sampler_draws_from_more_values_than_its_table(exponent: float) -> None:
    distribution = Distribution(50_000_000, exponent)
    drawn = Sampler(distribution).draw(20_000, np.random.default_rng(3))
    beyond = np.count_nonzero(drawn >= 2**20) / len(drawn)
    sizes = np.arange(1, 2**20 + 1, dtype=float) ** -exponent
    total = sizes.sum() + sum((np.arange(2**20 + 1, 5e7, 1e3) ** -exponent) * 1e3)
    assert beyond == pytest.approx(1 - sizes.sum() / total, abs=0.02)
    assert drawn.max() < 50_000_000


def test_rates_follow_the_hours_and_the_peak() -> None:
    rate = per_second(10, peak=100, by_hour=(*(1.0,) * 9, 3.0, *(1.0,) * 14))
    rates = rates_by_second(rate, 8, 2 * 3600)
    assert rates[0] == pytest.approx(10 * 24 / 26)
    assert rates[3600] == pytest.approx(30 * 24 / 26)
    assert np.count_nonzero(rates == 100) == PEAK_SECONDS
    assert rates[3600 + 1800] == 100
    assert np.count_nonzero(rates_by_second(rate, 3, 600) == 100) == 0
    # Of a short simulation, a third is at the peak.
    assert np.count_nonzero(rates_by_second(per_second(10, peak=90), 0, 60) == 90) == 20


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"minutes": 0}, "minutes=0"),
        ({"minutes": 20_000}, "a week"),
        ({"start_hour": 24}, "0 to 23"),
        ({"skew": -1.0}, "skew=-1.0"),
    ],
)
def test_settings_reject_wrong_values(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(SingleTableError, match=message):
        SimulationSettings(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cache", "message"),
    [
        (("R2", 0.5), "no such pattern with a rate.*: R1"),
        (("W1", 0.5), "it writes.*: R1"),
        (("R1", 1.5), "a share from 0 to 1"),
    ],
)
def test_cache_rejects_wrong_patterns_and_shares(cache: tuple[str, float], message: str) -> None:
    load = both(workload(units(keys(9), "read"), rate=1, name="R1"), ONE_KEY)
    with pytest.raises(InvalidValue, match=message):
        run(load, caches={cache[0]: Cache(cache[1])})


def test_workload_without_rates_cannot_be_simulated() -> None:
    with pytest.raises(InvalidValue, match=r"no pattern has a rate.*: A1, A2"):
        simulate(Workload((), unrated=("A1", "A2")))


@pytest.mark.parametrize(
    ("key", "shards", "message"),
    [
        ("NOTHING", 4, "no partition key begins with it.*USER"),
        ("USER", 0, "from 1 to 1,000"),
        ("", 4, "several partition keys"),
    ],
)
def test_shard_key_rejects_wrong_keys(key: str, shards: int, message: str) -> None:
    load = both(ONE_KEY, workload(units(keys(1, name="order")), rate=1))
    with pytest.raises(InvalidValue, match=message):
        shard_key(load, key, shards)
