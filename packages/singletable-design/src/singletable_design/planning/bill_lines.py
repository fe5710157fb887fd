"""The lines of a monthly bill: units by billing mode, storage, streams, backups and transfer."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from dynamodb_engine.operations import TableClass
from singletable.errors import InvalidValue
from singletable.prices import PriceName, RegionPrices, price_name, price_unit
from singletable_design.planning.plan import HOURS, Demand
from singletable_design.planning.resource_load import UNIT_KINDS, CostOptions, ResourceLoad

BillingMode: TypeAlias = Literal[
    "on-demand", "auto-scaled", "fixed", "reserved-1-year", "reserved-3-years"
]
BILLING_MODES: tuple[BillingMode, ...] = get_args(BillingMode)
RESERVED_MONTHS: dict[BillingMode, int] = {"reserved-1-year": 12, "reserved-3-years": 36}
# Reserved capacity is sold in blocks.
RESERVED_BLOCK = 100
# AWS bills binary gigabytes.
GB = 2**30
_TB_IN_GB = 1024
_TRANSFER_TIERS: tuple[tuple[PriceName, float], ...] = (
    ("transfer_out", 10 * _TB_IN_GB),
    ("transfer_out_above_10_tb", 50 * _TB_IN_GB),
    ("transfer_out_above_50_tb", 150 * _TB_IN_GB),
    ("transfer_out_above_150_tb", math.inf),
)

CostKind: TypeAlias = Literal[
    "read", "write", "storage", "stream", "pitr", "backup", "transfer", "ttl", "free tier"
]


@dataclass(frozen=True, slots=True)
class CostLine:
    """One line of a monthly bill: `cost` dollars are `quantity` times the price named `price`."""

    kind: CostKind
    name: str
    cost: float
    how: str
    resource: str | None = None
    price: PriceName | None = None
    quantity: float = 0.0


@dataclass(frozen=True, slots=True)
class Bill:
    """The prices and options of a bill, from which its lines are made."""

    prices: RegionPrices
    options: CostOptions

    def line(
        self,
        kind: CostKind,
        name: str,
        price: PriceName,
        quantity: float,
        how: str,
        resource: str | None = None,
    ) -> CostLine:
        """Return a line of `quantity` units of a price; `how` explains the quantity."""
        amount = self.prices.amount(price)
        how = f"{how} × {price_text(amount)} {price_unit(price)}"
        return CostLine(kind, name, quantity * amount, how, resource, price, quantity)


def plain_number(number: float) -> str:
    """Return a number for people: 2,628,000, 0.00013, 33.3333."""
    digits = 10 if abs(number) < 0.1 else 4 if abs(number) < 1000 else 1
    text = f"{number:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def price_text(dollars: float) -> str:
    """Return a price for people: $0.30, $0.29715, $0.000025."""
    text = f"{dollars:,.10f}".rstrip("0")
    return f"${text}" if len(text.partition(".")[2]) > 2 else f"${dollars:,.2f}"


def _priced(name: str, table_class: TableClass) -> PriceName:
    """Return the name of a price in a table class."""
    return price_name(name if table_class == "STANDARD" else f"ia_{name}")


def unit_lines(bill: Bill, mode: BillingMode, loads: Sequence[ResourceLoad]) -> list[CostLine]:
    """Return the lines of read and write units in a billing mode."""
    match mode:
        case "on-demand":
            return [line for load in loads for line in _on_demand(bill, load)]
        case "auto-scaled":
            return [line for load in with_capacity(loads) for line in _auto_scaled(bill, load)]
        case "fixed":
            return [line for load in with_capacity(loads) for line in _fixed(bill, load)]
        case "reserved-1-year" | "reserved-3-years":
            return list(_reserved(bill, mode, with_capacity(loads)))
        case _:
            raise InvalidValue(f"mode={mode!r}: expected {', '.join(BILLING_MODES)}.")


def _on_demand(bill: Bill, load: ResourceLoad) -> Iterator[CostLine]:
    seconds = bill.options.hours * 3600
    for kind in UNIT_KINDS:
        units = load.demand(kind).average
        if units:
            yield bill.line(
                kind,
                f"{kind}s of {load.name}",
                _priced(f"on_demand_{kind}", load.table_class),
                units * seconds / 1_000_000,
                f"{plain_number(units)} units/s × {plain_number(seconds)} s",
                load.name,
            )


def with_capacity(loads: Sequence[ResourceLoad]) -> list[ResourceLoad]:
    """Return the loads that have capacity of their own: local indexes are added to their tables."""
    own = {load.name: load for load in loads if not load.is_local}
    for load in loads:
        if load.is_local:
            table = own.get(load.table, ResourceLoad(load.table, table_class=load.table_class))
            read, write = table.read + load.read, table.write + load.write
            own[load.table] = replace(table, read=read, write=write)
    return list(own.values())


def capacity_for(units: float, utilization: float = 1.0) -> int:
    """Return the provisioned capacity for units per second at this utilization, at least 1."""
    # Rounded, so that 0.7 / 0.7 needs 1 unit, not 2.
    return max(1, math.ceil(round(units / utilization, 9)))


def capacities_of(bill: Bill, demand: Demand) -> list[int]:
    """Return the capacity that auto scaling provisions in each hour of a day."""
    return [capacity_for(units, bill.options.target_utilization) for units in demand.hourly]


def _auto_scaled(bill: Bill, load: ResourceLoad) -> Iterator[CostLine]:
    target = bill.options.target_utilization
    for kind in UNIT_KINDS:
        capacities = capacities_of(bill, load.demand(kind))
        average = sum(capacities) / HOURS
        span = (
            f"{plain_number(average)} units"
            if len(set(capacities)) == 1
            else f"{plain_number(average)} units on average, from {min(capacities):,} to "
            f"{max(capacities):,},"
        )
        yield bill.line(
            kind,
            f"{kind}s of {load.name}",
            _priced(f"provisioned_{kind}", load.table_class),
            average * bill.options.hours,
            f"{span} at {target:.0%} utilization × {plain_number(bill.options.hours)} h",
            load.name,
        )


def _fixed(bill: Bill, load: ResourceLoad) -> Iterator[CostLine]:
    for kind in UNIT_KINDS:
        capacity = capacity_for(max(load.demand(kind).peak, *load.demand(kind).hourly))
        yield bill.line(
            kind,
            f"{kind}s of {load.name}",
            _priced(f"provisioned_{kind}", load.table_class),
            capacity * bill.options.hours,
            f"{capacity:,} units for the peak × {plain_number(bill.options.hours)} h",
            load.name,
        )


def _reserved(bill: Bill, mode: BillingMode, loads: Sequence[ResourceLoad]) -> Iterator[CostLine]:
    """Yield the lines of reserved capacity, which all Standard tables of a region share.

    The rest of the capacity is scaled.
    """
    months, hours = RESERVED_MONTHS[mode], bill.options.hours
    term = mode.replace("-", "_")
    standard = [load for load in loads if load.table_class == "STANDARD"]
    for kind in UNIT_KINDS if standard else ():
        by_load = [capacities_of(bill, load.demand(kind)) for load in standard]
        totals = [sum(hour) for hour in zip(*by_load, strict=True)]
        upfront, hourly = price_name(f"{term}_{kind}_upfront"), price_name(f"{term}_{kind}_hourly")
        usual = price_name(f"provisioned_{kind}")
        share = used_share(bill.prices, upfront, hourly, usual, hours * months)
        reserved = _reserved_units(totals, share)
        if reserved:
            yield bill.line(
                kind,
                f"reserved {kind} units, upfront",
                upfront,
                reserved / months,
                f"{reserved:,} units ÷ {months} months",
            )
            yield bill.line(
                kind,
                f"reserved {kind} units",
                hourly,
                reserved * hours,
                f"{reserved:,} units × {plain_number(hours)} h",
            )
        rest = sum(max(0, total - reserved) for total in totals) / HOURS
        if rest:
            yield bill.line(
                kind,
                f"{kind}s above the reserved capacity",
                usual,
                rest * hours,
                f"{plain_number(rest)} units on average at "
                f"{bill.options.target_utilization:.0%} utilization × {plain_number(hours)} h",
            )
    for load in loads:
        if load.table_class != "STANDARD":
            yield from _auto_scaled(bill, load)


def used_share(
    prices: RegionPrices, upfront: PriceName, hourly: PriceName, usual: PriceName, hours: float
) -> float:
    """Return the share of its hours that a reserved unit must be used for it to pay."""
    amount = prices.amount(usual)
    whole = prices.amount(upfront) / hours + prices.amount(hourly)
    return whole / amount if amount else math.inf


def _reserved_units(totals: Sequence[int], share: float) -> int:
    """Return the units to reserve: every block that is used for more than `share` of its hours."""

    def is_idle(block: int) -> bool:
        used = (min(RESERVED_BLOCK, max(0, one - block * RESERVED_BLOCK)) for one in totals)
        return sum(used) <= share * RESERVED_BLOCK * HOURS

    # The higher a block, the less it is used.
    blocks = range(max(totals, default=0) // RESERVED_BLOCK + 1)
    return bisect_left(blocks, True, key=is_idle) * RESERVED_BLOCK


def other_lines(bill: Bill, loads: Sequence[ResourceLoad]) -> Iterator[CostLine]:
    """Yield the lines of storage, backups, streams and transfer."""
    options = bill.options
    for load in loads:
        if load.stored_bytes:
            size = load.stored_bytes / GB
            price = _priced("storage", load.table_class)
            how = f"{plain_number(size)} GB"
            yield bill.line("storage", f"storage of {load.name}", price, size, how, load.name)
    for load in loads:
        # Backups contain the table and its local indexes; global indexes are built from them.
        if load.stored_bytes and (load.index is None or load.is_local):
            size = load.stored_bytes / GB
            how = f"{plain_number(size)} GB"
            if options.pitr:
                name = f"point-in-time recovery of {load.name}"
                yield bill.line("pitr", name, "pitr", size, how, load.name)
            if options.backups:
                how = f"{options.backups:,} backups × {how}"
                name = f"backups of {load.name}"
                yield bill.line("backup", name, "backup", options.backups * size, how, load.name)
    for load in loads:
        if load.stream_reads:
            name, millions = f"stream of {load.name}", load.stream_reads / 1_000_000
            how = f"{plain_number(load.stream_reads)} GetRecords calls; those of Lambda are free"
            if bill.prices.has("stream_read"):
                yield bill.line("stream", name, "stream_read", millions, how, load.name)
            else:
                how = f"{how}; their price in {bill.prices.region} is not known"
                yield CostLine("stream", name, 0.0, how, load.name)
        if load.ttl_deletes:
            how = (
                f"{plain_number(load.ttl_deletes)} deletes by TTL are free; they are records of "
                "the stream like others"
            )
            yield CostLine("ttl", f"TTL deletes of {load.name}", 0.0, how, load.name)
    yield from _transfer(bill, math.fsum(load.bytes_returned for load in loads))


def _transfer(bill: Bill, returned: float) -> Iterator[CostLine]:
    """Yield a line for each price tier of the data that leaves AWS."""
    share = bill.options.internet_share
    rest = returned * share / GB
    whole = f"{plain_number(returned / GB)} GB returned × {share:.0%} to the internet"
    below = 0.0
    known: PriceName = "transfer_out"
    for tier, above in _TRANSFER_TIERS:
        size = min(rest, above - below)
        if size <= 0:
            return
        # Further tiers are cheaper; without their price, the last known one is an upper bound.
        known = tier if bill.prices.has(tier) else known
        how = whole if not below and size == rest else f"{plain_number(size)} GB of {whole}"
        yield bill.line("transfer", "data transfer to the internet", known, size, how)
        rest, below = rest - size, above


def free_tier_lines(bill: Bill, lines: Sequence[CostLine]) -> Iterator[CostLine]:
    """Yield the deductions of AWS's free tier, which all tables of an account share."""
    for price, allowance in bill.prices.free_tier.items():
        quantity = math.fsum(line.quantity for line in lines if line.price == price)
        free = min(quantity, allowance)
        if free:
            amount = bill.prices.amount(price)
            unit = price_unit(price)
            how = f"−{plain_number(free)} free × {price_text(amount)} {unit}"
            yield CostLine("free tier", f"free tier: {price}", -free * amount, how, None, price)
