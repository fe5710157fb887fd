"""Costs by hand, by AWS's calculator, and by properties that hold for every load."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any, cast

import pytest

from dynamodb_engine.operations import TableClass
from singletable import (
    Attr,
    Entity,
    Index,
    Key,
    LocalIndex,
    PatternCatalog,
    Table,
    attr,
    creates,
    per_second,
)
from singletable.errors import InvalidValue
from singletable.prices import RegionPrices, region_prices
from singletable_design.planning import (
    BillingMode,
    CostOptions,
    Demand,
    MonthlyCost,
    ResourceLoad,
    break_even,
    compare_costs,
    create_plan,
    loads_of,
    monthly_cost,
)
from singletable_design.planning.bill_lines import (
    BILLING_MODES,
    capacity_for,
    plain_number,
    price_text,
)
from tools.testing.cases import every

VIRGINIA = region_prices()
OHIO = region_prices("us-east-2")
GB = 2**30


def steady(units: float, peak: float | None = None) -> Demand:
    return Demand((units,) * 24, units if peak is None else peak)


def random_load(random: Random, name: str = "shop") -> ResourceLoad:
    hourly = [tuple(random.uniform(0, 2000) for _ in range(24)) for _ in range(2)]
    return ResourceLoad(
        name,
        read=Demand(hourly[0], max(hourly[0]) * random.uniform(1, 3)),
        write=Demand(hourly[1], max(hourly[1]) * random.uniform(1, 3)),
        stored_bytes=random.uniform(0, 1000) * GB,
        stream_reads=random.uniform(0, 10_000_000),
        bytes_returned=random.uniform(0, 100_000) * GB,
    )


def total_of(cost: MonthlyCost, *kinds: str) -> float:
    return sum(line.cost for line in cost.lines if line.kind in kinds)


def amounts(cost: MonthlyCost) -> dict[str, float]:
    return {line.name: round(line.cost, 4) for line in cost.lines}


TEN_MILLION = 10_000_000 / (730 * 3600)
TRANSFER = ResourceLoad("t", bytes_returned=40 * 1024 * GB)
HALF_TO_INTERNET = CostOptions(internet_share=0.5)
# A load, the region, the billing mode, the options, and the lines of the bill in dollars.
BILLS: dict[str, tuple[ResourceLoad, RegionPrices, BillingMode, CostOptions, dict[str, float]]] = {
    # 1,000 reads and 100 writes a second of 1 KB items, eventually consistent: the design document
    # of the skills app computes $324 with 2.592 million seconds.
    "design document": (
        ResourceLoad("users", read=steady(500), write=steady(100), stored_bytes=10_000 * 1024),
        VIRGINIA, "on-demand", CostOptions(hours=720),
        {"reads of users": 162, "writes of users": 162, "storage of users": 0.0024},
    ),
    # AWS's calculator: 10 million writes of 1 KB, 10 million eventually consistent reads, 10 GB,
    # and 10 GB each of on-demand and continuous backups: $9.375 and $3.00.
    "calculator of AWS": (
        ResourceLoad(
            "t", read=steady(TEN_MILLION / 2), write=steady(TEN_MILLION), stored_bytes=10 * GB
        ),
        OHIO, "on-demand", CostOptions(pitr=True, backups=1),
        {
            "reads of t": 0.625, "writes of t": 6.25, "storage of t": 2.5,
            "point-in-time recovery of t": 2.0, "backups of t": 1.0,
        },
    ),
    # Infracost's tests have 20 write and 30 read units: $9.49 and $2.85.
    "infracost": (
        ResourceLoad("t", read=steady(3, peak=30), write=steady(2, peak=20)),
        VIRGINIA, "fixed", CostOptions(), {"reads of t": 2.847, "writes of t": 9.49},
    ),
    "transfer within the region": (TRANSFER, VIRGINIA, "on-demand", CostOptions(), {}),
    "transfer by tiers": (
        TRANSFER, VIRGINIA, "on-demand", HALF_TO_INTERNET,
        {"data transfer to the internet": 10_240 * 0.09 + 10_240 * 0.085},
    ),
    # Ohio's price above 10 TB is unknown, so the first tier is an upper bound.
    "transfer of unknown tiers": (
        TRANSFER, OHIO, "on-demand", HALF_TO_INTERNET,
        {"data transfer to the internet": 20_480 * 0.09},
    ),
    "streams, and deletes by TTL": (
        ResourceLoad("t", stream_reads=3_000_000, ttl_deletes=500),
        VIRGINIA, "on-demand", CostOptions(), {"stream of t": 0.6, "TTL deletes of t": 0},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BILLS)
def test_bill_has_the_known_lines(name: str) -> None:
    load, prices, mode, options, expected = BILLS[name]
    lines: dict[str, float] = defaultdict(float)
    for line in monthly_cost([load], prices, mode, options=options).lines:
        lines[line.name] += line.cost
    assert lines == pytest.approx(expected, abs=0.0001)


def test_lines_say_how_they_were_computed() -> None:
    (line,) = monthly_cost([ResourceLoad("t", read=steady(500))], VIRGINIA).lines
    assert line.how == "500 units/s × 2,628,000 s × $0.125 per million read units"
    streams = monthly_cost([ResourceLoad("t", stream_reads=3, ttl_deletes=5)], VIRGINIA)
    assert "free" in streams.lines[1].how
    assert any("stream_read (quoted once)" in note for note in streams.notes)


def test_auto_scaling_provisions_each_hour_and_each_index_separately() -> None:
    hourly = (70.0,) * 12 + (0.1,) * 12
    table = ResourceLoad("t", read=Demand(hourly, 70), write=steady(0))
    index = ResourceLoad("t", "GSI1", read=steady(7), write=steady(0))
    cost = monthly_cost([table, index], VIRGINIA, "auto-scaled")
    reads_of_table, _, reads_of_index, writes_of_index = cost.lines
    assert reads_of_table.quantity == (100 * 12 + 1 * 12) / 24 * 730
    assert reads_of_table.how == (
        "50.5 units on average, from 1 to 100, at 70% utilization × 730 h × $0.00013 per read unit "
        "and hour"
    )
    assert (reads_of_index.quantity, writes_of_index.quantity) == (10 * 730, 1 * 730)


def test_a_local_index_uses_the_capacity_of_its_table() -> None:
    table = ResourceLoad("t", read=steady(35), write=steady(35), stored_bytes=GB)
    local = ResourceLoad("t", "L", True, read=steady(35), write=steady(35), stored_bytes=GB)
    other = ResourceLoad("t", "G", read=steady(35), write=steady(35), stored_bytes=GB)
    options = CostOptions(pitr=True)
    cost = monthly_cost([table, local, other], VIRGINIA, "auto-scaled", options=options)
    assert [line.quantity / 730 for line in cost.lines if line.kind == "read"] == [100, 50]
    assert [line.resource for line in cost.lines if line.kind == "pitr"] == ["t", "t/L"]
    assert len([line for line in cost.lines if line.kind == "storage"]) == 3


def test_blocks_that_are_used_long_enough_are_reserved() -> None:
    tables = [
        ResourceLoad(name, read=Demand((70.0,) * 18 + (140.0,) * 6, 140), write=steady(7))
        for name in ("a", "b", "c")
    ]
    cost = monthly_cost(tables, VIRGINIA, "reserved-1-year")
    assert amounts(cost) == {
        "reserved read units, upfront": 300 * 0.30 / 12,
        "reserved read units": round(300 * 730 * 0.000025, 4),
        "reads above the reserved capacity": round(75 * 730 * 0.00013, 4),
        "writes above the reserved capacity": round(30 * 730 * 0.00065, 4),
    }
    assert cost.upfront == pytest.approx(90)
    long = monthly_cost(tables, VIRGINIA, "reserved-3-years")
    # In three years, 23 percent pay: a block for 6 of 24 hours, and 30 units of a block of 100.
    assert long.upfront == pytest.approx(600 * 0.36 + 100 * 1.80)
    assert long.cost < cost.cost


def test_a_block_that_is_half_empty_is_not_reserved() -> None:
    cost = monthly_cost([ResourceLoad("t", read=steady(30))], VIRGINIA, "reserved-1-year")
    assert cost.upfront == 0
    assert (
        cost.cost
        == monthly_cost([ResourceLoad("t", read=steady(30))], VIRGINIA, "auto-scaled").cost
    )
    assert any("to be reserved" in note for note in cost.notes)


def test_the_free_tier_is_taken_off_only_on_request() -> None:
    load = ResourceLoad("t", read=steady(7), write=steady(70), stored_bytes=30 * GB)
    paid = monthly_cost([load], VIRGINIA, "auto-scaled")
    free = monthly_cost([load], VIRGINIA, "auto-scaled", options=CostOptions(free_tier=True))
    assert "AWS's free tier is not taken off." in paid.notes
    # 25 GB; the 10 read units; 25 units for 744 hours of the 100 write units.
    saved = 25 * 0.25 + 10 * 730 * 0.00013 + 18_600 * 0.00065
    assert paid.cost - free.cost == pytest.approx(saved)
    assert total_of(free, "free tier") == pytest.approx(-saved)


def test_tables_of_both_classes_are_billed_by_their_class() -> None:
    demand = steady(700)
    loads = [
        ResourceLoad("hot", read=demand),
        ResourceLoad("cold", read=demand, table_class="STANDARD_INFREQUENT_ACCESS"),
    ]
    cost = monthly_cost(loads, VIRGINIA, "reserved-1-year")
    assert cost.name == "reserved for 1 year, table classes as declared"
    used = [line.price for line in cost.lines if line.kind == "read"]
    assert used == [
        "reserved_1_year_read_upfront",
        "reserved_1_year_read_hourly",
        "ia_provisioned_read",
    ]
    assert cost.upfront == pytest.approx(1000 * 0.30)


def test_peaks_above_the_scaled_capacity_are_noted() -> None:
    load = ResourceLoad("t", read=steady(70, peak=300))
    notes = monthly_cost([load], VIRGINIA, "auto-scaled").notes
    assert any("t 300 read units/s of 100" in note for note in notes)
    assert not any("Peaks" in note for note in monthly_cost([load], VIRGINIA, "fixed").notes)


@pytest.mark.parametrize("mode", BILLING_MODES)
def test_more_of_anything_never_costs_less(mode: BillingMode) -> None:
    random = Random(7)
    options = CostOptions(pitr=True, backups=1, internet_share=0.3, free_tier=True)
    for _ in range(40):
        load = random_load(random)
        if random.random() < 0.5:
            units = random.uniform(1, 500)
            load = replace(load, read=steady(units), write=steady(units))
        factor = random.uniform(1, 2) if random.random() < 0.5 else 1.02
        more = [
            replace(load, read=scaled(load.read, factor)),
            replace(load, write=scaled(load.write, factor)),
            replace(load, stored_bytes=load.stored_bytes * factor),
            replace(load, stream_reads=load.stream_reads * factor),
            replace(load, bytes_returned=load.bytes_returned * factor),
        ]
        before = monthly_cost([load], VIRGINIA, mode, options=options).cost
        for one in more:
            after = monthly_cost([one], VIRGINIA, mode, options=options).cost
            assert after >= before - 1e-9


def scaled(demand: Demand, factor: float) -> Demand:
    return Demand(tuple(one * factor for one in demand.hourly), demand.peak * factor)


def test_on_demand_is_linear() -> None:
    random = Random(8)
    for _ in range(30):
        one, two = random_load(random, "a"), random_load(random, "b")
        factor = random.uniform(0, 5)
        scaled_up = replace(
            one,
            read=scaled(one.read, factor),
            write=scaled(one.write, factor),
            stored_bytes=one.stored_bytes * factor,
            stream_reads=one.stream_reads * factor,
        )
        cost = monthly_cost([one], VIRGINIA).cost
        assert monthly_cost([scaled_up], VIRGINIA).cost == pytest.approx(cost * factor)
        both = monthly_cost([one, two], VIRGINIA).cost
        assert both == pytest.approx(cost + monthly_cost([two], VIRGINIA).cost)


def test_infrequent_access_has_cheaper_storage_and_dearer_units() -> None:
    random = Random(9)
    modes: tuple[BillingMode, ...] = ("on-demand", "auto-scaled", "fixed")
    for mode in modes:
        load = random_load(random)
        standard = monthly_cost([load], VIRGINIA, mode, table_class="STANDARD")
        ia = monthly_cost([load], VIRGINIA, mode, table_class="STANDARD_INFREQUENT_ACCESS")
        assert total_of(ia, "storage") < total_of(standard, "storage")
        assert total_of(ia, "read") > total_of(standard, "read")
        assert total_of(ia, "write") > total_of(standard, "write")


# 3,600 units cost $0.00045 on demand, and a unit-hour costs $0.00013.
def test_a_fully_used_unit_costs_less_than_a_third_of_on_demand() -> None:
    load = ResourceLoad("t", read=steady(1000), write=steady(1000))
    fixed, on_demand = (monthly_cost([load], VIRGINIA, mode) for mode in ("fixed", "on-demand"))
    assert on_demand.cost / fixed.cost == pytest.approx(3.4615, rel=1e-4)


@pytest.mark.parametrize("region", ["us-east-1", "eu-west-1", "ap-south-1"])
def test_on_demand_and_provisioned_cost_the_same_at_the_break_even(region: str) -> None:
    prices = region_prices(region)
    found = {one.name: one for one in break_even(prices)}
    for kind in ("read", "write"):
        value = found[f"provisioned_{kind}"].value
        assert f"{value:.1%}" in found[f"provisioned_{kind}"].text
        # 1,000,000 units make the rounding to whole units invisible.
        demand = Demand((1_000_000 * value,) * 24, 1_000_000)
        load = ResourceLoad("t", read=demand) if kind == "read" else ResourceLoad("t", write=demand)
        on_demand = monthly_cost([load], prices).cost
        fixed = monthly_cost([load], prices, "fixed").cost
        assert on_demand == pytest.approx(fixed, rel=1e-5)


@pytest.mark.parametrize(("mode", "kind"), [("on_demand", "read"), ("on_demand", "write")])
def test_both_table_classes_cost_the_same_at_the_break_even(mode: str, kind: str) -> None:
    found = {one.name: one.value for one in break_even(VIRGINIA)}
    share = found[f"ia_storage_{mode}_{kind}"]
    demand = steady(1000)
    load = ResourceLoad("t", read=demand) if kind == "read" else ResourceLoad("t", write=demand)
    units = monthly_cost([load], VIRGINIA).cost
    stored = units * share / (1 - share) / VIRGINIA.amount("storage") * GB
    load = replace(load, stored_bytes=stored)
    classes: tuple[TableClass, ...] = ("STANDARD", "STANDARD_INFREQUENT_ACCESS")
    standard, ia = (monthly_cost([load], VIRGINIA, table_class=one).cost for one in classes)
    assert standard == pytest.approx(ia)


def test_reserved_capacity_has_paid_for_itself_after_the_months_of_the_break_even() -> None:
    found = {one.name: one.value for one in break_even(VIRGINIA)}
    assert found["reserved_1_year_read"] == pytest.approx(3.914, abs=0.001)
    for term, kind, upfront in (("1_year", "read", 0.30), ("3_years", "write", 1.80)):
        months = found[f"reserved_{term}_{kind}"]
        usual, hourly = {"read": (0.00013, 0.000025), "write": (0.00065, 0.000081)}[kind]
        assert upfront + months * 730 * hourly == pytest.approx(months * 730 * usual)


def test_the_cheapest_is_the_cheapest_of_all() -> None:
    random = Random(10)
    for _ in range(10):
        loads = [random_load(random)]
        costs = compare_costs(loads, VIRGINIA)
        assert len(costs) == 8
        assert compare_costs(loads, VIRGINIA)[0] == costs[0]
        assert costs[0].cost == min(cost.cost for cost in costs)
    short = compare_costs([random_load(random)], VIRGINIA, modes=("on-demand", "auto-scaled"))[0]
    assert short.mode == "auto-scaled"
    idle = ResourceLoad("t", read=steady(0.01), write=steady(0.01))
    assert compare_costs([idle], VIRGINIA)[0].mode == "on-demand"
    archive = ResourceLoad("t", read=steady(1), stored_bytes=5000 * GB)
    assert compare_costs([archive], VIRGINIA)[0].table_class == "STANDARD_INFREQUENT_ACCESS"


def test_modes_without_prices_are_left_out_and_no_mode_at_all_is_an_error() -> None:
    load = ResourceLoad("t", read=steady(10), write=steady(10))
    costs = compare_costs([load], region_prices("sa-east-1"))
    modes = {cost.mode for cost in costs}
    assert modes == {"auto-scaled", "fixed", "reserved-1-year", "reserved-3-years"}
    assert costs[0].notes[-1].startswith("Not compared, because a price is unknown: on demand, St")
    with pytest.raises(InvalidValue, match="on_demand_read of sa-east-1"):
        monthly_cost([load], region_prices("sa-east-1"))
    with pytest.raises(InvalidValue, match="of sa-east-1 is unknown"):
        compare_costs([replace(load, stored_bytes=1.0)], region_prices("sa-east-1"))[0]


# The numbers of a line, multiplied, are its amount.
@pytest.mark.parametrize("mode", BILLING_MODES)
def test_how_is_arithmetic_that_gives_the_amount(mode: BillingMode) -> None:
    random = Random(11)
    loads = [random_load(random, name) for name in ("a", "b")]
    options = CostOptions(pitr=True, backups=3, internet_share=0.25)
    for line in monthly_cost(loads, VIRGINIA, mode, options=options).lines:
        text = re.sub(r", from .* at 70% utilization| on average| at 70% utilization", "", line.how)
        text = (
            re.sub(r"^[\d,.]+ GB of ", "", text)
            if " GB of " not in text
            else text.split(" of ")[0] + " × " + text.rpartition("× ")[2]
        )
        product = 1.0
        for factor in text.split(" × "):
            number = float(re.sub(r"[^\d.]", "", factor.split(" ")[0]))
            product *= number / 100 if factor.partition(" ")[0].endswith("%") else number
            if " ÷ " in factor:
                product /= float(factor.partition(" ÷ ")[2].split(" ")[0])
        if "per million" in text:
            product /= 1_000_000
        assert product == pytest.approx(line.cost, rel=1e-3), line.how


by_day = Index("by_day", pk="DAY")
by_size = LocalIndex("by_size", sk="SIZE")
log = Table("log", indexes=[by_day, by_size])


class Entry(Entity, table=log):
    app: Attr[str] = attr()
    number: Attr[int] = attr()
    day: Attr[str] = attr()
    size: Attr[int] = attr()
    key = Key(pk=("APP", app), sk=("ENTRY", number))
    of_day = Key(pk=("DAY", day)).on(by_day)
    largest = Key(pk=("APP", app), sk=("SIZE", size)).on(by_size)


def test_the_loads_of_a_plan_have_its_units_storage_and_returned_bytes() -> None:
    catalog = PatternCatalog("log", log, sizes={Entry: 1000}, counts={Entry: 1_000_000})
    catalog.read("A", "An entry", Entry.key, rate=per_second(10))
    catalog.read("B", "Entries of a day", Entry.of_day, items=50, rate=per_second(1))
    catalog.write("C", "Log", creates(Entry), rate=per_second(5, peak=50))
    plan = create_plan([catalog])
    table, day, size = loads_of(plan, table_classes={log: "STANDARD_INFREQUENT_ACCESS"})
    assert (table.name, day.name, size.name) == ("log", "log/by_day", "log/by_size")
    assert (table.is_local, day.is_local, size.is_local) == (False, False, True)
    assert table.read.average == pytest.approx(5)
    assert table.write == plan.resources[0].write
    assert size.write.average == pytest.approx(5)
    assert table.stored_bytes == plan.resources[0].stored.bytes > 1_000_000 * 1000
    assert day.bytes_returned == pytest.approx(50 * 1000 * 730 * 3600, rel=0.2)
    assert (table.stream_reads, day.stream_reads, table.ttl_deletes) == (0, 0, 0)
    assert day.table_class == "STANDARD_INFREQUENT_ACCESS"
    assert len(compare_costs([table, day, size], VIRGINIA)) == 8


def test_figures_are_written_for_people() -> None:
    numbers = {
        2_628_000: "2,628,000", 0.5: "0.5", 100 / 3: "33.3333", 0: "0", 0.00013: "0.00013"
    }  # fmt: skip
    assert {number: plain_number(number) for number in numbers} == numbers
    prices = {
        0.3: "$0.30", 2: "$2.00", 0.29715: "$0.29715", 0.000025: "$0.000025", 1234.5: "$1,234.50"
    }  # fmt: skip
    assert {price: price_text(price) for price in prices} == prices
    assert [capacity_for(one, 0.7) for one in (0, 0.7, 0.71, 70)] == [1, 1, 2, 100]


INVALID: list[tuple[Callable[[], object], str]] = [
    (lambda: ResourceLoad("t", "G", read=Demand((1.0,), 1)), "t/G: Expected read units for 24 hou"),
    (lambda: ResourceLoad("t", stored_bytes=-1), "0 or more, but got -1"),
    (lambda: ResourceLoad("t", write=steady(float("nan"))), "finite write units, 0 or more, but"),
    (lambda: ResourceLoad("t", table_class=cast("Any", "GOLD")), "table_class='GOLD'"),
    (lambda: CostOptions(target_utilization=7), r"target_utilization=7: expected 0\.2 to 0\.9"),
    (lambda: CostOptions(hours=0), "hours=0"),
    (lambda: CostOptions(internet_share=30), "internet_share=30"),
    (lambda: monthly_cost([], VIRGINIA, cast("Any", "free")), "mode='free'"),
    (lambda: compare_costs([], VIRGINIA, modes=cast("Any", ["free"])), "mode='free'"),
]


@every(("make", "message"), INVALID)
def test_invalid_loads_and_options_say_what_is_wrong(
    make: Callable[[], object], message: str
) -> None:
    with pytest.raises(InvalidValue, match=message):
        make()


def test_enormous_loads_are_priced_at_once() -> None:
    cost = monthly_cost([ResourceLoad("t", read=steady(10**9))], VIRGINIA, "reserved-1-year")
    assert cost.cost > 0
