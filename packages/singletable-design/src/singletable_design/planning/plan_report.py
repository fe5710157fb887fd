"""The figures of a plan as plain values, which terminal, HTML, CSV and JSON show.

`create_report` computes it, `to_json` saves it and `read_report` reads it again, for example to
compare the design of today with the one of last month. Money is in US dollars per month, and every
figure has a `how` that says how it was computed.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from singletable.errors import InvalidValue
from singletable.patterns import FeedPattern, PatternCatalog, ReadPattern, ScanPattern
from singletable.prices import RegionPrices, region_prices
from singletable_design.planning.advice import Advice, advise
from singletable_design.planning.bill_lines import BillingMode, CostLine
from singletable_design.planning.cost import MonthlyCost, break_even, compare_costs, monthly_cost
from singletable_design.planning.formats import format_dollars, format_number, format_units
from singletable_design.planning.hot_keys import HotKey, hot_keys
from singletable_design.planning.plan import Demand, PatternPlan, Plan, ResourcePlan, create_plan
from singletable_design.planning.resource_load import CostOptions, loads_of
from singletable_design.planning.workload import workload_of

GROWTH_MONTHS = 12

PatternKind: TypeAlias = Literal["read", "write", "scan", "feed"]


class Load(msgspec.Struct, frozen=True):
    """Units per second: on average, at the busiest moment, and in each hour of the day (UTC)."""

    average: float
    peak: float
    hourly: tuple[float, ...]


class PatternFigures(msgspec.Struct, frozen=True):
    """The load and cost of one access pattern.

    `calls` and `peak_calls` are per second, and None without a declared rate. `read_per_call` and
    `write_per_call` are the units of a typical call; `read` and `write` are units per second.
    `share` is the share of the month's total.
    """

    id: str
    code: str
    title: str
    kind: PatternKind
    calls: float | None
    peak_calls: float | None
    read_per_call: float
    write_per_call: float
    read: float
    write: float
    cost: float
    share: float
    how: tuple[str, ...]


class KeyFigures(msgspec.Struct, frozen=True):
    """The partition key with the highest load of a table or index, in units per second at peak.

    `share` is the share of what a partition accepts: 3,000 read and 1,000 write units per second.
    `divisible` says that DynamoDB can spread the items of the key over several partitions.
    """

    key: str
    read: float
    write: float
    share: float
    divisible: bool
    patterns: tuple[str, ...]
    how: str


class ResourceFigures(msgspec.Struct, frozen=True):
    """The load, storage and cost of a table, or of an index if `index` is set."""

    name: str
    table: str
    index: str | None
    read: Load
    write: Load
    items: float
    bytes: float
    cost: float
    hottest: KeyFigures | None
    how: tuple[str, ...]


class Throttling(msgspec.Struct, frozen=True):
    """A simulation of the busiest moment: the share of throttled calls, and what throttles most.

    The tables are as they are at the start: without burst credit and splits, which take time.
    """

    share: float
    limited_by: str


class MonthFigures(msgspec.Struct, frozen=True):
    """The design some months from now, with the declared growth.

    `cost` is in the report's billing mode, `cheapest_cost` in the cheapest one that serves the
    peaks of that month.
    """

    month: float
    read: float
    write: float
    items: float
    bytes: float
    cost: float
    cheapest: str
    cheapest_cost: float


class PlanReport(msgspec.Struct, frozen=True, tag_field="type", tag="singletable plan"):
    """A design's load and monthly cost.

    `cost` is the total in `mode`, the billing mode of the costs of patterns and of tables. `modes`
    has the totals of all modes, the cheapest first. `throttling` is None if nothing could be
    simulated, because no pattern has a rate or there are too many calls.
    """

    name: str
    region: str
    price_date: str | None
    hours_per_month: float
    months: float
    factor: float
    mode: str
    mode_name: str
    cost: float
    patterns: tuple[PatternFigures, ...]
    resources: tuple[ResourceFigures, ...]
    modes: tuple[MonthlyCost, ...]
    break_even: tuple[str, ...]
    growth: tuple[MonthFigures, ...]
    assumptions: tuple[str, ...]
    advice: tuple[Advice, ...]
    throttling: Throttling | None = None
    format: Literal[1] = 1

    @property
    def cheapest(self) -> MonthlyCost:
        """The cheapest billing mode and table class that can serve the peaks."""
        return _cheapest(self.modes)

    @property
    def selected(self) -> MonthlyCost:
        """The billing mode of the costs of patterns and tables, for Standard tables."""
        return next(one for one in self.modes if one.name == self.mode_name)

    @property
    def other_costs(self) -> float:
        """The cost of storage, backups, streams, transfer and idle capacity."""
        return self.cost - math.fsum(pattern.cost for pattern in self.patterns)

    def total(self, kind: Literal["read", "write"], figure: Literal["average", "peak"]) -> float:
        """Return the units per second of all tables and indexes."""
        loads = (one.read if kind == "read" else one.write for one in self.resources)
        return math.fsum(one.average if figure == "average" else one.peak for one in loads)


def create_report(
    catalogs: Sequence[PatternCatalog],
    *,
    prices: RegionPrices | None = None,
    mode: BillingMode = "on-demand",
    months: float = 0.0,
    factor: float = 1.0,
    options: CostOptions | None = None,
) -> PlanReport:
    """Return the report of some catalogs, after some months of growth.

    `factor` multiplies all rates and item counts, as for ten times as many users.
    """
    prices = region_prices() if prices is None else prices
    # It needs numpy, which takes a tenth of a second to import.
    from singletable_design.planning.simulation import simulate_peak

    options = options or CostOptions()
    plan = create_plan(catalogs, months=months, factor=factor)
    loads = loads_of(plan)
    selected = monthly_cost(loads, prices, mode, table_class="STANDARD", options=options)
    costs = compare_costs(loads, prices, options=options)
    allocation = _Allocation(plan, selected)
    hottest: dict[str, HotKey] = {}
    workload = workload_of(catalogs, months=months, factor=factor)
    for key in hot_keys(workload):
        hottest.setdefault(key.resource, key)
    peak = simulate_peak(workload)
    return PlanReport(
        name=", ".join(catalog.name for catalog in catalogs),
        region=prices.region,
        price_date=prices.date,
        hours_per_month=options.hours,
        months=months,
        factor=factor,
        mode=mode,
        mode_name=selected.name,
        cost=selected.cost,
        patterns=tuple(
            _pattern_figures(pattern, plan, allocation, selected.cost) for pattern in plan.patterns
        ),
        resources=tuple(
            _resource_figures(resource, allocation, hottest.get(resource.name))
            for resource in plan.resources
        ),
        modes=costs,
        break_even=tuple(one.text for one in break_even(prices, options=options)),
        growth=tuple(_growth(catalogs, prices, mode, months, factor, options)),
        assumptions=(*plan.assumptions, *selected.notes, *_short_capacity(costs)),
        advice=tuple(advise(plan, prices)),
        throttling=None if peak is None else Throttling(peak.throttled_share, peak.limited_by),
    )


def _cheapest(costs: Sequence[MonthlyCost]) -> MonthlyCost:
    """Return the cheapest mode that serves the peaks; `costs` are sorted."""
    return next((one for one in costs if not one.peaks_above), costs[0])


def _short_capacity(costs: Sequence[MonthlyCost]) -> Iterable[str]:
    """Yield a warning if the cheapest mode has too little capacity for the peaks."""
    lowest = costs[0]
    if lowest.peaks_above:
        yield (
            f"{lowest.name[0].upper()}{lowest.name[1:]} costs less, but has capacity for each "
            f"hour's average only, and peaks are higher: {', '.join(lowest.peaks_above)}. Burst "
            "capacity covers some minutes; then requests are throttled until capacity is scaled."
        )


class _Allocation:
    """The cost of one read or write unit per second on each table and index.

    Capacity is paid per table, or for all tables if it is reserved; each unit has the same part.
    """

    def __init__(self, plan: Plan, cost: MonthlyCost) -> None:
        self.cost = cost
        own: dict[tuple[str | None, str], float] = defaultdict(float)
        for line in cost.lines:
            own[line.resource, line.kind] += line.cost
        units: dict[tuple[str | None, str], float] = defaultdict(float)
        payer: dict[tuple[str, str], str] = {}
        for resource in plan.resources:
            for kind, demand in (("read", resource.read), ("write", resource.write)):
                # The units of a local index are paid with those of its table.
                paid = (resource.name, kind) in own or resource.index is None
                name = resource.name if paid else resource.table.name
                payer[resource.name, kind] = name
                units[name, kind] += demand.average
                units[None, kind] += demand.average
        self._per_unit = {
            place: _ratio(own[name, place[1]], units[name, place[1]])
            + _ratio(own[None, place[1]], units[None, place[1]])
            for place, name in payer.items()
        }

    def units(self, resource: str, kind: str, demand: Demand) -> float:
        """Return what these units cost in a month."""
        return self._per_unit[resource, kind] * demand.average

    def resource(self, plan: ResourcePlan) -> float:
        """Return the monthly cost of a table or an index."""
        demands = {"read": plan.read.average, "write": plan.write.average}
        # Capacity that no pattern uses is paid, too.
        other = math.fsum(
            line.cost for line in self.lines_of(plan.name) if not demands.get(line.kind)
        )
        used = self.units(plan.name, "read", plan.read) + self.units(plan.name, "write", plan.write)
        return used + other

    def lines_of(self, resource: str) -> list[CostLine]:
        """Return the lines of the bill that are about a table or an index."""
        return [line for line in self.cost.lines if line.resource == resource]


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _pattern_figures(
    pattern: PatternPlan, plan: Plan, allocation: _Allocation, total: float
) -> PatternFigures:
    declared = pattern.pattern
    costs: dict[str, list[float]] = defaultdict(list)
    for resource in plan.resources:
        for share in resource.shares:
            if share.pattern is declared:
                units = format_units(share.units_per_call, share.kind)
                paid = allocation.units(resource.name, share.kind, share.demand)
                costs[f"{resource.name}: {share.how}: {units}"].append(paid)
    calls = "" if pattern.rate is None else f" × {format_number(pattern.rate.per_second)} calls/s"
    how = [
        f"{text}{f' × {len(paid)} requests' if len(paid) > 1 else ''}{calls} = "
        f"{format_dollars(math.fsum(paid))}"
        for text, paid in costs.items()
    ]
    cost = math.fsum(one for paid in costs.values() for one in paid)
    return PatternFigures(
        id=declared.id,
        code=declared.code,
        title=declared.description,
        kind=_kind(pattern),
        calls=None if pattern.rate is None else pattern.rate.per_second,
        peak_calls=None if pattern.rate is None else pattern.rate.peak_per_second,
        read_per_call=pattern.estimate.typical_read,
        write_per_call=pattern.estimate.typical_write,
        read=pattern.read.average,
        write=pattern.write.average,
        cost=cost,
        share=_ratio(cost, total),
        how=tuple(how),
    )


def _kind(pattern: PatternPlan) -> PatternKind:
    match pattern.pattern:
        case ReadPattern():
            return "read"
        case ScanPattern():
            return "scan"
        case FeedPattern():
            return "feed"
        case _:
            return "write"


def _resource_figures(
    plan: ResourcePlan, allocation: _Allocation, hottest: HotKey | None
) -> ResourceFigures:
    costs = [
        f"{line.name}: {line.how} = {format_dollars(line.cost)}"
        for line in allocation.lines_of(plan.name)
    ]
    return ResourceFigures(
        name=plan.name,
        table=plan.table.name,
        index=None if plan.index is None else plan.index.name,
        read=_load(plan.read),
        write=_load(plan.write),
        items=plan.stored.items,
        bytes=plan.stored.bytes,
        cost=allocation.resource(plan),
        hottest=None if hottest is None else _key_figures(hottest),
        how=(f"stored: {plan.stored.how}", *costs),
    )


def _load(demand: Demand) -> Load:
    return Load(demand.average, demand.peak, demand.hourly)


def _key_figures(key: HotKey) -> KeyFigures:
    return KeyFigures(
        key.text, key.read, key.write, key.share, key.divisible, key.patterns, key.how
    )


def _growth(
    catalogs: Sequence[PatternCatalog],
    prices: RegionPrices,
    mode: BillingMode,
    start: float,
    factor: float,
    options: CostOptions,
) -> Iterable[MonthFigures]:
    """Yield the figures of the next twelve months, or nothing if no growth is declared."""
    rates = [pattern.expected.rate for catalog in catalogs for pattern in catalog]
    counts = [count for catalog in catalogs for count in catalog.counts.values()]
    if not any(one is not None and one.growth for one in (*rates, *counts)):
        return
    for month in range(GROWTH_MONTHS + 1):
        plan = create_plan(catalogs, months=start + month, factor=factor)
        loads = loads_of(plan)
        best = _cheapest(compare_costs(loads, prices, options=options))
        selected = monthly_cost(loads, prices, mode, table_class="STANDARD", options=options)
        yield MonthFigures(
            month=start + month,
            read=plan.read.average,
            write=plan.write.average,
            items=math.fsum(one.stored.items for one in plan.resources if one.index is None),
            bytes=plan.stored_bytes,
            cost=selected.cost,
            cheapest=best.name,
            cheapest_cost=best.cost,
        )


def to_json(report: msgspec.Struct) -> str:
    """Return a report or a comparison as JSON."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"


def parse_report(content: bytes | str, where: str) -> PlanReport:
    """Return the report in a JSON text; `where` names it in errors."""
    try:
        return msgspec.json.decode(content, type=PlanReport)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidValue(
            f"Expected a report saved by singletable plan --json, but {error}.", where
        ) from None


def read_report(path: Path) -> PlanReport:
    """Return a report from a file that `singletable plan --json` wrote."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidValue(f"The report cannot be read: {error.strerror}.", str(path)) from None
    return parse_report(content, str(path))
