"""What a load costs in a month, by billing mode and table class, and where they break even.

Every line says how it was computed, as arithmetic that can be checked. Not included: global
tables, DAX, Kinesis, Database Savings Plans, support and taxes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from dynamodb_engine.operations import TableClass
from singletable.errors import InvalidValue
from singletable.prices import PriceName, RegionPrices, price_name
from singletable_design.planning.bill_lines import (
    BILLING_MODES,
    RESERVED_MONTHS,
    Bill,
    BillingMode,
    CostLine,
    capacities_of,
    free_tier_lines,
    other_lines,
    plain_number,
    price_text,
    unit_lines,
    used_share,
    with_capacity,
)
from singletable_design.planning.resource_load import (
    TABLE_CLASSES,
    UNIT_KINDS,
    CostOptions,
    ResourceLoad,
    UnitKind,
)

_MODE_NAMES: dict[BillingMode, str] = {
    "on-demand": "on demand",
    "auto-scaled": "provisioned with auto scaling",
    "fixed": "provisioned for the peak",
    "reserved-1-year": "reserved for 1 year",
    "reserved-3-years": "reserved for 3 years",
}
_CLASS_NAMES: dict[TableClass | None, str] = {
    "STANDARD": "Standard",
    "STANDARD_INFREQUENT_ACCESS": "Standard-IA",
    None: "table classes as declared",
}


def _name(mode: BillingMode, table_class: TableClass | None) -> str:
    return f"{_MODE_NAMES.get(mode, mode)}, {_CLASS_NAMES[table_class]}"


@dataclass(frozen=True, slots=True)
class MonthlyCost:
    """What a month costs in one billing mode and table class.

    `upfront` is paid once when capacity is reserved; the lines contain its monthly part.
    `peaks_above` lists the peaks that are above the capacity of their busiest hour.
    """

    mode: BillingMode
    table_class: TableClass | None
    # The mode and the table class in words.
    name: str
    # US dollars per month.
    cost: float
    lines: tuple[CostLine, ...]
    upfront: float = 0.0
    notes: tuple[str, ...] = ()
    peaks_above: tuple[str, ...] = ()


def monthly_cost(
    loads: Iterable[ResourceLoad],
    prices: RegionPrices,
    mode: BillingMode = "on-demand",
    *,
    table_class: TableClass | None = None,
    options: CostOptions | None = None,
) -> MonthlyCost:
    """Return what a month costs in a billing mode.

    `table_class` replaces the class of all tables. Raise InvalidValue if a price is unknown.
    """
    loads = list(loads)
    if table_class is not None:
        loads = [replace(load, table_class=table_class) for load in loads]
    bill = Bill(prices, options or CostOptions())
    lines = [*unit_lines(bill, mode, loads), *other_lines(bill, loads)]
    if bill.options.free_tier:
        lines.extend(free_tier_lines(bill, lines))
    upfront = math.fsum(
        line.cost * RESERVED_MONTHS[mode]
        for line in lines
        if line.price is not None and line.price.endswith("upfront")
    )
    is_scaled = mode not in ("on-demand", "fixed")
    peaks = tuple(_peaks_above_capacity(bill, loads)) if is_scaled else ()
    return MonthlyCost(
        mode,
        table_class,
        _name(mode, table_class),
        math.fsum(line.cost for line in lines),
        tuple(lines),
        upfront,
        tuple(_notes(bill, mode, peaks, lines)),
        peaks,
    )


def compare_costs(
    loads: Iterable[ResourceLoad],
    prices: RegionPrices,
    *,
    modes: Sequence[BillingMode] = BILLING_MODES,
    options: CostOptions | None = None,
) -> tuple[MonthlyCost, ...]:
    """Return the costs of billing modes in both table classes, the cheapest first.

    Modes with an unknown price are left out, and a note names them. Raise InvalidValue if none is
    left.
    """
    loads = list(loads)
    costs: list[MonthlyCost] = []
    failures: dict[str, InvalidValue] = {}
    for table_class in TABLE_CLASSES:
        for mode in modes:
            # Reserved capacity is for the Standard class only.
            if table_class != "STANDARD" and mode in RESERVED_MONTHS:
                continue
            try:
                costs.append(
                    monthly_cost(loads, prices, mode, table_class=table_class, options=options)
                )
            except InvalidValue as error:
                failures[_name(mode, table_class)] = error
    if failures and not costs:
        raise next(iter(failures.values()))
    if failures:
        missing = f"Not compared, because a price is unknown: {'; '.join(failures)}."
        costs = [replace(cost, notes=(*cost.notes, missing)) for cost in costs]
    return tuple(sorted(costs, key=lambda cost: cost.cost))


def _notes(
    bill: Bill, mode: BillingMode, peaks: Sequence[str], lines: Sequence[CostLine]
) -> Iterator[str]:
    """Yield the assumptions behind the figures, and the prices that are not confirmed."""
    if mode not in ("on-demand", "fixed"):
        yield (
            "Auto scaling is assumed to follow each hour's average. In fact it reacts after two "
            "minutes above its target, and AWS limits how often capacity is reduced."
        )
        if peaks:
            yield (
                f"Peaks above the capacity of the busiest hour: {', '.join(peaks)}. Burst capacity "
                "covers some minutes; then requests are throttled until capacity is scaled."
            )
    if mode in RESERVED_MONTHS:
        yield (
            "Reserved are those blocks of 100 units that are used for enough hours of the day to "
            "pay. They are paid for the whole term, used or not."
            if any(_is_reserved(line) for line in lines)
            else "No block of 100 units is used for enough hours of the day to be reserved."
        )
    if not bill.options.free_tier and bill.prices.free_tier:
        yield "AWS's free tier is not taken off."
    used: dict[PriceName, None] = {line.price: None for line in lines if line.price is not None}
    weak = [f"{one} ({bill.prices.status(one)})" for one in used if not _is_certain(bill, one)]
    if weak:
        yield f"Prices of {bill.prices.region} that are not confirmed: {', '.join(weak)}."
    yield from bill.prices.warnings


def _peaks_above_capacity(bill: Bill, loads: Sequence[ResourceLoad]) -> Iterator[str]:
    for load in with_capacity(loads):
        for kind in UNIT_KINDS:
            peak = load.demand(kind).peak
            capacity = max(capacities_of(bill, load.demand(kind)))
            if peak > capacity:
                yield f"{load.name} {plain_number(peak)} {kind} units/s of {capacity:,}"


def _is_certain(bill: Bill, price: PriceName) -> bool:
    return bill.prices.status(price) in ("confirmed", "given")


def _is_reserved(line: CostLine) -> bool:
    return line.price is not None and line.price.startswith("reserved")


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Where two ways to pay cost the same: a share from 0 to 1, or a number of months."""

    name: str
    value: float
    text: str


def break_even(prices: RegionPrices, *, options: CostOptions | None = None) -> list[BreakEven]:
    """Return the break-even points of the billing modes in a region, without unknown prices."""
    hours = (options or CostOptions()).hours
    return [
        *(
            _break_even_mode(prices, table_class, kind)
            for table_class, prefix in zip(TABLE_CLASSES, ("", "ia_"), strict=True)
            for kind in UNIT_KINDS
            if _has(prices, f"{prefix}on_demand_{kind}", f"{prefix}provisioned_{kind}")
        ),
        *(
            _break_even_class(prices, mode, kind)
            for mode in ("on_demand", "provisioned")
            for kind in UNIT_KINDS
            if _has(prices, f"{mode}_{kind}", f"ia_{mode}_{kind}", "storage", "ia_storage")
        ),
        *(
            _break_even_term(prices, mode, kind, hours)
            for mode in RESERVED_MONTHS
            for kind in UNIT_KINDS
            if _has(prices, f"{mode.replace('-', '_')}_{kind}_upfront", f"provisioned_{kind}")
        ),
    ]


def _has(prices: RegionPrices, *names: str) -> bool:
    known: list[PriceName] = [price_name(name) for name in names]
    return prices.has(*known)


def _break_even_mode(prices: RegionPrices, table_class: TableClass, kind: UnitKind) -> BreakEven:
    prefix = "" if table_class == "STANDARD" else "ia_"
    unit = prices.amount(price_name(f"{prefix}provisioned_{kind}"))
    same = prices.amount(price_name(f"{prefix}on_demand_{kind}")) * 3600 / 1_000_000
    value = unit / same
    return BreakEven(
        f"{prefix}provisioned_{kind}",
        value,
        f"{kind.capitalize()}s in the class {_CLASS_NAMES[table_class]}: below {value:.1%} average "
        "utilization of provisioned capacity, on demand is cheaper; above it, provisioned is. A "
        f"unit costs {price_text(unit)} an hour, and its 3,600 {kind}s cost "
        f"{price_text(same)} on demand.",
    )


def _break_even_class(prices: RegionPrices, mode: str, kind: UnitKind) -> BreakEven:
    storage, ia_storage = prices.amount("storage"), prices.amount("ia_storage")
    standard = prices.amount(price_name(f"{mode}_{kind}"))
    ia = prices.amount(price_name(f"ia_{mode}_{kind}"))
    saved, dearer = 1 - ia_storage / storage, ia / standard - 1
    value = dearer / (dearer + saved)
    words = "on demand" if mode == "on_demand" else "provisioned"
    return BreakEven(
        f"ia_storage_{mode}_{kind}",
        value,
        f"Standard-IA, {kind}s {words}: cheaper than Standard if storage is more than {value:.1%} "
        f"of what a table costs in Standard. Storage costs {saved:.0%} less, {kind}s "
        f"{dearer:.1%} more.",
    )


def _break_even_term(
    prices: RegionPrices, mode: BillingMode, kind: UnitKind, hours: float
) -> BreakEven:
    term, months = mode.replace("-", "_"), RESERVED_MONTHS[mode]
    names = (
        price_name(f"{term}_{kind}_upfront"),
        price_name(f"{term}_{kind}_hourly"),
        price_name(f"provisioned_{kind}"),
    )
    upfront, hourly, usual = map(prices.amount, names)
    value = upfront / (hours * (usual - hourly))
    share = used_share(prices, *names, hours * months)
    return BreakEven(
        f"{term}_{kind}",
        value,
        f"{kind.capitalize()}s {_MODE_NAMES[mode]}: pays after {value:.1f} months of full use, and "
        f"is cheaper if it is used more than {share:.0%} of the time. A unit costs "
        f"{price_text(upfront)} upfront, and {price_text(hourly)} instead of "
        f"{price_text(usual)} an hour.",
    )
