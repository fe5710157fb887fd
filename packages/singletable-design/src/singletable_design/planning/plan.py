"""The plan of a design: the units of each pattern, and the load of each table and index.

Everything follows from the declared patterns: their rates, item sizes and item counts. Each figure
says how it was computed. `cost` turns a plan into money.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from singletable.errors import DeclarationError
from singletable.patterns import (
    Estimate,
    FeedPattern,
    Pattern,
    PatternCatalog,
    Rate,
    ReadPattern,
    ScanPattern,
)
from singletable.schema import Index, Provisioned, Table, model_of
from singletable_design.planning.workload import (
    StoredSize,
    expected_rate,
    expected_units,
    stored_sizes,
)

HOURS = 24
HOURS_PER_MONTH = 730
SECONDS_PER_MONTH = HOURS_PER_MONTH * 3600
# Growth over more years than this is not a plan.
MAX_MONTHS = 120


@dataclass(frozen=True, slots=True)
class Demand:
    """Capacity units per second: in each hour of an average day, and at the busiest moment."""

    hourly: tuple[float, ...] = (0.0,) * HOURS
    peak: float = 0.0

    @property
    def average(self) -> float:
        """The units per second, on average over a day."""
        return math.fsum(self.hourly) / HOURS

    def __add__(self, other: Demand) -> Demand:
        hourly = (a + b for a, b in zip(self.hourly, other.hourly, strict=True))
        return Demand(tuple(hourly), self.peak + other.peak)


def demand_of(rate: Rate, units: float) -> Demand:
    """Return the demand of calls at this rate that consume `units` each."""
    return Demand(tuple(units * one for one in rate.hourly), units * rate.peak_per_second)


@dataclass(frozen=True)
class PatternPlan:
    """The units of one pattern; without a rate it has units per call only."""

    pattern: Pattern
    estimate: Estimate
    rate: Rate | None

    @cached_property
    def read(self) -> Demand:
        """The read units per second."""
        return self._demand(self.estimate.typical_read)

    @cached_property
    def write(self) -> Demand:
        """The write units per second."""
        return self._demand(self.estimate.typical_write)

    def _demand(self, units: float) -> Demand:
        return Demand() if self.rate is None else demand_of(self.rate, units)

    @property
    def bytes_returned(self) -> float:
        """The bytes of items that a call returns to the application."""
        reads = isinstance(self.pattern, ReadPattern | ScanPattern)
        return sum(part.bytes_returned for part in self.estimate.parts) if reads else 0.0

    @property
    def calls_per_month(self) -> float:
        """The calls in a month of 730 hours."""
        return 0.0 if self.rate is None else self.rate.per_second * SECONDS_PER_MONTH


@dataclass(frozen=True, slots=True)
class PatternShare:
    """The units per second that one pattern consumes on a table or index."""

    pattern: Pattern
    kind: Literal["read", "write"]
    units_per_call: float
    demand: Demand
    how: str


@dataclass(frozen=True, slots=True)
class ResourcePlan:
    """The load of a table or an index: its units, by pattern, and what it stores."""

    table: Table
    index: Index | None
    read: Demand
    write: Demand
    stored: StoredSize
    shares: tuple[PatternShare, ...]

    @property
    def name(self) -> str:
        """The table, or the table and the index: `shop` or `shop/GSI1`."""
        return self.stored.resource

    @property
    def capacity(self) -> Provisioned | None:
        """The declared provisioned capacity, or None for on demand."""
        return self.table.capacity


@dataclass(frozen=True)
class Plan:
    """The units, load and storage of a design."""

    catalogs: tuple[PatternCatalog, ...]
    patterns: tuple[PatternPlan, ...]
    resources: tuple[ResourcePlan, ...]
    # Growth is applied for this many months.
    months: float
    # What the plan had to assume, in sentences.
    assumptions: tuple[str, ...]
    # All rates and item counts are multiplied by this.
    factor: float = 1.0

    @property
    def read(self) -> Demand:
        """The read units per second of all tables and indexes."""
        return _total(one.read for one in self.resources)

    @property
    def write(self) -> Demand:
        """The write units per second of all tables and indexes."""
        return _total(one.write for one in self.resources)

    @property
    def stored_bytes(self) -> float:
        """The bytes of all items and index entries."""
        return sum(one.stored.bytes for one in self.resources)

    def resources_of(self, table: Table) -> list[ResourcePlan]:
        """Return the plans of a table and its indexes."""
        return [one for one in self.resources if one.table is table]


def create_plan(
    catalogs: Sequence[PatternCatalog], *, months: float = 0.0, factor: float = 1.0
) -> Plan:
    """Return the plan of some catalogs, after some months of growth.

    `factor` multiplies all rates and item counts, as for ten times as many users.
    """
    if not catalogs:
        raise DeclarationError("There is no pattern catalog to plan for.")
    if not 0 <= months <= MAX_MONTHS:
        raise DeclarationError(f"months={months!r}: expected a number from 0 to {MAX_MONTHS}.")
    if not 0 <= factor < math.inf:
        raise DeclarationError(f"factor={factor!r}: expected a finite number, 0 or more.")
    patterns = [
        _plan_pattern(pattern, catalog, months, factor)
        for catalog in catalogs
        for pattern in catalog
    ]
    tables = {table: catalog for catalog in catalogs for table in catalog.tables}
    resources = [
        _plan_resource(table, index, stored, patterns)
        for table in tables
        for index, stored in zip(
            (None, *table.indexes),
            stored_sizes(catalogs, table, months=months, factor=factor),
            strict=True,
        )
    ]
    return Plan(
        tuple(catalogs),
        tuple(patterns),
        tuple(resources),
        months,
        tuple(_assumptions(catalogs, patterns)),
        factor,
    )


def _plan_pattern(
    pattern: Pattern, catalog: PatternCatalog, months: float, factor: float
) -> PatternPlan:
    rate = expected_rate(pattern, months=months, factor=factor)
    cost = expected_units(pattern, catalog, months=months, factor=factor)
    return PatternPlan(pattern, cost, rate)


def _plan_resource(
    table: Table, index: Index | None, stored: StoredSize, patterns: Iterable[PatternPlan]
) -> ResourcePlan:
    shares: list[PatternShare] = []
    for plan in patterns:
        for part in plan.estimate.parts:
            if part.request.table is table and part.index is index and part.units:
                demand = Demand() if plan.rate is None else demand_of(plan.rate, part.units)
                shares.append(PatternShare(plan.pattern, part.kind, part.units, demand, part.how))
    return ResourcePlan(
        table,
        index,
        _total(share.demand for share in shares if share.kind == "read"),
        _total(share.demand for share in shares if share.kind == "write"),
        stored,
        tuple(shares),
    )


def _total(demands: Iterable[Demand]) -> Demand:
    return sum(demands, Demand())


def _assumptions(
    catalogs: Sequence[PatternCatalog], patterns: Sequence[PatternPlan]
) -> Iterable[str]:
    """Yield the assumptions that replace missing declarations."""
    unrated = [
        one.pattern.id if len(catalogs) > 1 else one.pattern.code
        for one in patterns
        if one.rate is None and not isinstance(one.pattern, FeedPattern)
    ]
    if unrated:
        yield f"Patterns without a rate are left out: {', '.join(unrated)}."
    sizes: Mapping[type, int] = {
        entity: size for catalog in catalogs for entity, size in catalog.sizes.items()
    }
    counted = {entity for catalog in catalogs for entity in catalog.counts}
    entities = {
        entity: None
        for catalog in catalogs
        for table in catalog.tables
        for entity in table.entities
    }
    if unsized := [entity.__name__ for entity in entities if entity not in sizes]:
        names = ", ".join(unsized)
        yield f"Items without a declared size are assumed to have 1,024 bytes: {names}."
    if sparse := list(_undeclared_shares(catalogs, entities)):
        entity, key = sparse[0]
        yield (
            "All items are assumed to be in sparse indexes, and to have their optional unique and "
            f"counted values: {', '.join('.'.join(one) for one in sparse)}. Declare the share that "
            f'is or has: counts={{{entity}: ItemCount(…, shares={{"{key}": 0.1}})}}.'
        )
    if uncounted := [entity.__name__ for entity in entities if entity not in counted]:
        yield f"Entities without a declared count store nothing here: {', '.join(uncounted)}."


def _undeclared_shares(
    catalogs: Sequence[PatternCatalog], entities: Iterable[type]
) -> Iterable[tuple[str, str]]:
    """Yield the entity and name of each key, unique value and count that items may lack."""
    declared: dict[type, set[str]] = defaultdict(set)
    for catalog in catalogs:
        for entity, count in catalog.counts.items():
            declared[entity] |= set(count.shares)
    for entity in entities:
        model = model_of(entity)
        sparse = [one.name for one in model.indexes.values() if one.when is not None]
        fields = {
            one.name: one.fields
            for kind in (model.indexes, model.uniques, model.counts)
            for one in kind.values()
        }
        optional = [name for name in fields if model.is_optional(fields[name])]
        for name in dict.fromkeys((*sparse, *optional)):
            if name not in declared[entity]:
                yield entity.__name__, name
