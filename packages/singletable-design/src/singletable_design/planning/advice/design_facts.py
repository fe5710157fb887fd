"""Facts of a plan that several rules need: the readers and writers of a key, and their cost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, cast

from singletable import patterns
from singletable.patterns.estimate import DEFAULT_ITEM_SIZE, MARKER_SIZE, write_units
from singletable.patterns.requests import Action, key_template
from singletable.patterns.sample_items import entry_size
from singletable.prices import RegionPrices
from singletable.schema import Index, Model, ResolvedKey, Selection, Table, model_of
from singletable.schema.key_template import (
    FieldSegment,
    FixedSegment,
    RepeatedSegment,
    ShardSegment,
)
from singletable.schema.resolved_key import Column, TextColumn
from singletable_design.planning.advice.advice import (
    QUESTION_DOLLARS,
    QUESTION_SHARE,
    WORTH_DOLLARS,
    WORTH_SHARE,
    Advice,
    Kind,
    Severity,
)
from singletable_design.planning.bill_lines import GB
from singletable_design.planning.cost import monthly_cost
from singletable_design.planning.plan import HOURS, Demand, PatternPlan, Plan
from singletable_design.planning.resource_load import ResourceLoad
from singletable_design.planning.workload import (
    STORAGE_OVERHEAD,
    KeyDomains,
    Workload,
    expected_units,
    workload_of,
)


@dataclass(frozen=True, slots=True)
class RatedPart:
    """Units of a request that is sent at a rate; `read` or `write` units per second on average."""

    plan: PatternPlan
    part: patterns.UnitCost

    @property
    def pattern(self) -> patterns.Pattern:
        """The pattern that sends the request."""
        return self.plan.pattern

    @property
    def request(self) -> patterns.PlannedRequest:
        """The request."""
        return self.part.request

    @property
    def calls(self) -> float:
        """Calls per second, on average over a day."""
        return 0.0 if self.plan.rate is None else self.plan.rate.per_second

    @property
    def peak_calls(self) -> float:
        """Calls per second at the busiest moment."""
        return 0.0 if self.plan.rate is None else self.plan.rate.peak_per_second

    @property
    def units(self) -> float:
        """Units per second, on average over a day."""
        return self.part.units * self.calls


class Design:
    """The plan, its declarations and its prices, with the questions that several rules ask."""

    def __init__(self, plan: Plan, prices: RegionPrices) -> None:
        self.plan = plan
        self.prices = prices
        self._catalogs = {one.name: one for one in plan.catalogs}

    @cached_property
    def workload(self) -> Workload:
        """The load as plain values, with the keys that calls are about."""
        return workload_of(self.plan.catalogs, months=self.plan.months, factor=self.plan.factor)

    @cached_property
    def domains(self) -> KeyDomains:
        """The values of key fields."""
        return KeyDomains(self.plan.catalogs, self.plan.factor)

    @cached_property
    def parts(self) -> list[RatedPart]:
        """The units of all requests of patterns with a rate."""
        return [
            RatedPart(plan, part)
            for plan in self.plan.patterns
            if plan.rate is not None
            for part in plan.estimate.parts
        ]

    @property
    def tables(self) -> list[Table]:
        """All tables, each once."""
        return list({one.table: None for one in self.plan.resources})

    @property
    def models(self) -> list[Model]:
        """The models of all entities of the tables."""
        return [model_of(entity) for table in self.tables for entity in table.entities]

    def catalog_of(self, pattern: patterns.Pattern) -> patterns.PatternCatalog:
        """Return the catalog with a pattern."""
        return self._catalogs[pattern.catalog]

    def size_of(self, entity: type) -> int:
        """Return the declared size of an entity's items, or the default."""
        sizes = [one.sizes[entity] for one in self.plan.catalogs if entity in one.sizes]
        return max(sizes, default=DEFAULT_ITEM_SIZE)

    def count_of(self, entity: type) -> float | None:
        """Return how many items an entity has, or None if that is not declared."""
        counts = [one.counts[entity] for one in self.plan.catalogs if entity in one.counts]
        if not counts:
            return None
        return max(one.after(self.plan.months) for one in counts) * self.plan.factor

    def share_of(self, entity: type, name: str) -> float:
        """Return the share of an entity's items in an index, or with a unique or counted value."""
        counts = [one.counts[entity] for one in self.plan.catalogs if entity in one.counts]
        return max((one.shares.get(name, 1.0) for one in counts), default=1.0)

    def entries_of(self, model: Model, key: ResolvedKey) -> float:
        """Return how many entries an entity has in an index."""
        return (self.count_of(model.entity) or 0.0) * self.share_of(model.entity, key.name)

    def bytes_per_item(self, model: Model) -> float:
        """Return the bytes that an item stores with its markers and its entries in indexes."""
        entity, size = model.entity, self.size_of(model.entity)
        markers = math.fsum(self.share_of(entity, name) for name in model.uniques)
        entries = math.fsum(
            self.share_of(entity, key.name)
            * (entry_size(entity, key.index, size) + STORAGE_OVERHEAD)
            for key in model.indexes.values()
        )
        return size + STORAGE_OVERHEAD + markers * (MARKER_SIZE + STORAGE_OVERHEAD) + entries

    def readers(self, access: ResolvedKey) -> list[PatternPlan]:
        """Return the patterns that read by a key, with a rate or without."""
        found: list[PatternPlan] = []
        for plan in self.plan.patterns:
            if not isinstance(plan.pattern, patterns.ReadPattern) or not is_query(plan.pattern):
                continue
            selection = cast("Selection[Any]", plan.pattern.sample)
            collection = plan.pattern.collection
            entities = [selection.entity] if collection is None else collection.entities()
            keys = [
                key
                for entity in entities
                for key in (model_of(entity).key, *model_of(entity).indexes.values())
                if key.index is selection.access.index
            ]
            if access in (selection.access, *(keys if collection else ())):
                found.append(plan)
        return found

    def estimate(
        self,
        pattern: patterns.Pattern,
        *,
        instead: Mapping[Index, Index] | None = None,
        models: Mapping[type, Model] | None = None,
    ) -> patterns.Estimate:
        """Return the units of a changed pattern's call, or with other indexes or entities."""
        return expected_units(
            pattern,
            self.catalog_of(pattern),
            months=self.plan.months,
            factor=self.plan.factor,
            instead=instead,
            models=models,
        )

    def savings(self, models: Sequence[Model]) -> tuple[float, float, float]:
        """Return the read and write units per second, and the bytes, that other models save.

        They belong to declared entities, but have fewer indexes, unique values or counts.
        """
        read = write = stored = 0.0
        changed = {model.entity: model for model in models}
        for plan in self.plan.patterns:
            if plan.rate is not None and isinstance(plan.pattern, patterns.WritePattern):
                after = self.estimate(plan.pattern, models=changed)
                read += plan.rate.per_second * (plan.estimate.typical_read - after.typical_read)
                write += plan.rate.per_second * (plan.estimate.typical_write - after.typical_write)
        for entity, model in changed.items():
            less = self.bytes_per_item(model_of(entity)) - self.bytes_per_item(model)
            stored += (self.count_of(entity) or 0.0) * less
        return read, write, stored

    def dollars(self, read: float = 0.0, write: float = 0.0, stored: float = 0.0) -> float:
        """Return the on-demand cost of units per second and stored bytes in a month."""
        cost = self._unit_costs
        return read * cost["read"] + write * cost["write"] + stored / GB * cost["storage"]

    @cached_property
    def _unit_costs(self) -> dict[str, float]:
        """The cost of one unit per second and of one GB in a month, from a bill."""
        one = Demand((1.0,) * HOURS, 1.0)
        load = ResourceLoad("any", read=one, write=one, stored_bytes=GB)
        return {line.kind: line.cost for line in monthly_cost([load], self.prices).lines}

    @cached_property
    def total_dollars(self) -> float:
        """The on-demand cost of the whole plan in a month."""
        plan = self.plan
        return self.dollars(plan.read.average, plan.write.average, plan.stored_bytes)

    def is_worth(self, dollars: float, *, question: bool = False) -> bool:
        """Return whether a saving is worth a sentence; questions need a larger one."""
        if question:
            return dollars >= max(QUESTION_DOLLARS, QUESTION_SHARE * self.total_dollars)
        return dollars >= max(WORTH_DOLLARS, WORTH_SHARE * self.total_dollars)

    def advice(
        self,
        kind: Kind,
        severity: Severity,
        subject: str,
        problem: str,
        change: str,
        how: str = "",
        *,
        read: float = 0.0,
        write: float = 0.0,
        stored: float = 0.0,
    ) -> Advice:
        """Return advice that saves units per second and stored bytes, with their price."""
        dollars = self.dollars(read, write, stored)
        return Advice(kind, severity, subject, problem, change, read, write, stored, dollars, how)

    def written_entries(self, access: ResolvedKey) -> list[RatedPart]:
        """Return the writes of index entries under a key."""
        return [one for one in self.parts if one.part.kind == "write" and one.part.access is access]

    def new_entries(self, entity: type) -> tuple[float, float, int]:
        """Return the largest load of an index of all items of an entity.

        The result is the written items per second, the stored bytes, and the write units of an
        entry.
        """
        items = sum(
            one.calls * max(one.pattern.expected.items, 1)
            for one in self.parts
            if one.part.kind == "write"
            and one.part.index is None
            and one.part.units
            and one.request.entity is entity
            and one.request.subject == entity.__name__
            and one.request.action != "ConditionCheckItem"
        )
        size = self.size_of(entity)
        stored = (self.count_of(entity) or 0.0) * (size + STORAGE_OVERHEAD)
        return items, stored, write_units(size)


def is_query(pattern: patterns.ReadPattern[Any, Any]) -> bool:
    """Return whether a pattern queries, for items of one entity or a collection."""
    return pattern.accesses[0].kind in ("query", "collect")


def with_projection(index: Index, projection: Literal["ALL", "KEYS_ONLY"]) -> Index:
    """Return an index with the same keys that contains more or less."""
    other = copy(index)
    other.projection = projection
    return other


def without_filter(pattern: patterns.ReadPattern[Any, Any]) -> patterns.ReadPattern[Any, Any]:
    """Return the pattern as if it read only the items that it returns."""
    return replace(pattern, expected=replace(pattern.expected, scanned=None))


def without_consistency(pattern: patterns.ReadPattern[Any, Any]) -> patterns.ReadPattern[Any, Any]:
    """Return the pattern as if its reads were eventually consistent."""
    return replace(pattern, expected=replace(pattern.expected, consistent=False))


def with_items(
    pattern: patterns.ReadPattern[Any, Any], items: int
) -> patterns.ReadPattern[Any, Any]:
    """Return the pattern as if a call read this many items."""
    return replace(pattern, expected=replace(pattern.expected, items=items, scanned=None))


def resource_name(table: Table, index: Index | None) -> str:
    """Return the table, or the table and the index: `shop` or `shop/GSI1`."""
    return table.name if index is None else f"{table.name}/{index.name}"


def declared_parts(columns: Iterable[Column]) -> list[str]:
    """Return the parts of key attributes as they are declared, without shards."""
    parts: list[str] = []
    for column in columns:
        if not isinstance(column, TextColumn):
            parts.append(column.field)
            continue
        for segment in column.template.segments:
            match segment:
                case FixedSegment(text):
                    parts.append(f'"{text}"')
                case FieldSegment(field) | RepeatedSegment(FieldSegment(field)):
                    parts.append(field)
                case ShardSegment():
                    pass
    return parts


def tuple_text(parts: list[str], columns: Sequence[Column]) -> str:
    """Return the parts of a key as source: `name`, `("USER", name)` or `concat("USER|", name)`."""
    if any(isinstance(one, TextColumn) and not one.template.separator for one in columns):
        return f"concat({', '.join(parts)})"
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def key_text(access: ResolvedKey) -> str:
    """Return the partition key of an entity in words: `WAITING` or `CUSTOMER#{customer}`."""
    return " ".join(key_template(column) for column in access.pk)


def codes(plans: Iterable[PatternPlan]) -> list[str]:
    """Return the ids of patterns, each once."""
    return list(dict.fromkeys(one.pattern.id for one in plans))


def action_units(plan: PatternPlan, action: Action) -> float:
    """Return the units per second of a pattern's requests of one kind, on average."""
    units = sum(part.units for part in plan.estimate.parts if part.request.action == action)
    return 0.0 if plan.rate is None else units * plan.rate.per_second
