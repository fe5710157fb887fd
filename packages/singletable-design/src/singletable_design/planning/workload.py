"""A design's load as plain values: which units each call consumes, and under which keys.

The values do not refer to entities, so that a simulator or a chart needs to know nothing of
declarations. `workload_of` derives them from pattern catalogs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from enum import Enum
from typing import Literal, TypeAlias, get_args, get_origin

from singletable.patterns import (
    Distribution,
    Estimate,
    ItemCount,
    Pattern,
    PatternCatalog,
    PlannedRequest,
    Rate,
    ScanPattern,
    UnitCost,
    estimate,
)
from singletable.patterns.estimate import (
    DEFAULT_ITEM_SIZE,
    MARKER_SIZE,
    markers_of,
    partitions_read,
)
from singletable.patterns.requests import key_template
from singletable.patterns.sample_items import entry_size, keys_of
from singletable.schema import Index, Model, Provisioned, ResolvedKey, Table, model_of
from singletable.schema.key_template import FieldSegment, FixedSegment
from singletable.schema.resolved_key import TextColumn

# The units per second that a partition accepts.
READ_LIMIT = 3_000
WRITE_LIMIT = 1_000
# The number of values of a key field about which nothing is declared.
DEFAULT_COUNT = 10_000
# A scan reads all partition keys; we assume that it reads this many, which are drawn at random.
SCANNED_KEYS = 64
# DynamoDB stores this many bytes more for each item and each index entry.
STORAGE_OVERHEAD = 100

SortKeys: TypeAlias = Literal["one", "many", "growing"]


@dataclass(frozen=True, slots=True)
class Domain:
    """The values of a key field, such as all user names; fields of several entities may share one.

    A call draws one value of each domain, so that all its requests are about the same user.
    """

    name: str
    distribution: Distribution

    def value(self, rank: int) -> str:
        """Return the value of this rank; the most frequent one has rank 1."""
        return f"{self.name}-{rank}"


@dataclass(frozen=True, slots=True)
class KeySpace:
    """All partition keys of one template, such as SKILL#{skill}; it may have no domain at all.

    `shards` is the number of partition keys over which the items of one value are spread.
    """

    template: str
    domains: tuple[Domain, ...] = ()
    shards: int = 1

    def text(self, ranks: Sequence[int]) -> str:
        """Return the partition key for the ranks of its values."""
        values = {
            domain.name: domain.value(rank)
            for domain, rank in zip(self.domains, ranks, strict=True)
        }
        text = self.template
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", value)
        return text


@dataclass(frozen=True, slots=True)
class PlacedUnits:
    """Units that one call consumes on a table, or on an index, under one partition key.

    A request that is spread over `partitions` keys, such as a batch, consumes `units` under each.
    A write consumes units on the indexes of its table, too; these have the same `request` number.
    `sort_keys` says where its items are within the partition key: at one sort key, at many, or
    always at the end, as items with growing numbers or times are. DynamoDB can divide a busy
    partition key only if there are many; a table with a local index counts as one.
    """

    table: str
    index: str | None
    kind: Literal["read", "write"]
    units: float
    key: KeySpace
    request: int = 0
    partitions: int = 1
    in_transaction: bool = False
    sort_keys: SortKeys = "one"

    @property
    def resource(self) -> str:
        """The table, or the table and the index: `shop` or `shop/GSI1`."""
        return self.table if self.index is None else f"{self.table}/{self.index}"


@dataclass(frozen=True, slots=True)
class PatternLoad:
    """The load of one access pattern: how often it is called, and what a call consumes."""

    id: str
    description: str
    rate: Rate
    units: tuple[PlacedUnits, ...]
    # The exponent by which its calls spread over keys; None leaves it to the domains.
    skew: float | None = None


@dataclass(frozen=True, slots=True)
class Workload:
    """The load of all patterns with a rate, and the capacity of their tables.

    `capacity` has the provisioned units by table; a table without an entry is on demand. `bytes`
    has the stored bytes by resource. `unrated` lists the patterns without a rate, and `assumed` the
    domains whose number of values is not declared.
    """

    patterns: tuple[PatternLoad, ...]
    capacity: Mapping[str, Provisioned] = field(default_factory=dict[str, Provisioned])
    bytes: Mapping[str, float] = field(default_factory=dict[str, float])
    unrated: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()

    @property
    def even(self) -> list[str]:
        """The domains of which calls are taken to be about all values equally often."""
        domains = [
            domain
            for load in self.patterns
            for placed in load.units
            for domain in placed.key.domains
            if not (domain.distribution.exponent if load.skew is None else load.skew)
        ]
        return list(dict.fromkeys(one.name for one in domains if one.distribution.values > 1))


def workload_of(
    catalogs: Sequence[PatternCatalog], *, months: float = 0.0, factor: float = 1.0
) -> Workload:
    """Return the load of some catalogs, after some months of growth.

    `factor` multiplies all rates and item counts, as for ten times as many users.
    """
    domains = KeyDomains(catalogs, factor)
    loads: list[PatternLoad] = []
    unrated: list[str] = []
    capacity: dict[str, Provisioned] = {}
    stored: dict[str, float] = {}
    for catalog in catalogs:
        for table in catalog.tables:
            if table.capacity is not None:
                capacity[table.name] = table.capacity
            for size in stored_sizes(catalogs, table, months=months, factor=factor):
                stored[size.resource] = size.bytes
        for pattern in catalog:
            rate = expected_rate(pattern, months=months, factor=factor)
            if rate is None:
                unrated.append(pattern.id)
                continue
            parts = expected_units(pattern, catalog, months=months, factor=factor).parts
            numbers = {id(part.request): at for at, part in enumerate(parts)}
            units = tuple(
                _place(pattern, part, domains, numbers[id(part.request)])
                for part in parts
                if part.units
            )
            loads.append(
                PatternLoad(pattern.id, pattern.description, rate, units, pattern.expected.skew)
            )
    return Workload(tuple(loads), capacity, stored, tuple(unrated), tuple(domains.assumed))


def expected_rate(pattern: Pattern, *, months: float = 0.0, factor: float = 1.0) -> Rate | None:
    """Return the rate of a pattern after some months, with `factor` times as many users.

    A scan is not called more often then; it reads more items.
    """
    rate = pattern.expected.rate
    if rate is None:
        return None
    return rate.after(months).times(1.0 if isinstance(pattern, ScanPattern) else factor)


def expected_units(
    pattern: Pattern,
    catalog: PatternCatalog,
    *,
    months: float = 0.0,
    factor: float = 1.0,
    instead: Mapping[Index, Index] | None = None,
    models: Mapping[type, Model] | None = None,
) -> Estimate:
    """Return the units of a call; a scan reads the items that the table has by then.

    `instead` replaces some indexes, and `models` some entities, as in `estimate`.
    """
    counts = {
        entity: replace(count, items=round(count.after(months) * factor))
        for entity, count in catalog.counts.items()
    }
    if isinstance(pattern, ScanPattern) and pattern.expected.items_read > 1:
        entities = [one for one in pattern.tables[0].entities if one in counts]
        before = sum(catalog.counts[one].items for one in entities)
        after = sum(counts[one].items for one in entities)
        growth = after / before if before else factor
        expected = pattern.expected
        scanned = None if expected.scanned is None else round(expected.scanned * growth)
        grown = replace(expected, items=round(expected.items * growth), scanned=scanned)
        pattern = replace(pattern, expected=grown)
    return estimate(pattern, catalog.sizes, counts, instead=instead, models=models)


def _place(pattern: Pattern, part: UnitCost, domains: KeyDomains, number: int) -> PlacedUnits:
    request, access = part.request, part.access
    keys = domains.key_space(model_of(request.entity), access)
    match request.action:
        case "BatchGetItem":  # keys of different items
            partitions = max(pattern.expected.items, 1)
        case "Query":
            partitions = partitions_read(pattern, request)
        case "Scan":
            partitions = SCANNED_KEYS
        case _:
            partitions = 1
    return PlacedUnits(
        request.table.name,
        None if access.index is None else access.index.name,
        part.kind,
        part.units / partitions,
        keys,
        number,
        partitions,
        request.in_transaction,
        _sort_keys(request, access),
    )


def _sort_keys(request: PlannedRequest, access: ResolvedKey) -> SortKeys:
    """Return where in their partition the items of a request are."""
    if any(index.local for index in request.table.indexes) or not access.sk_fields:
        return "one"
    first = model_of(request.entity).fields[access.sk_fields[0]].annotation
    is_new = request.action == "PutItem" and not request.edited_fields
    is_moved = request.action == "UpdateItem" and access.sk_fields[0] in request.edited_fields
    # A number in a primary key is mostly that of a sequence; in an index it may be a price.
    grows = first is date or first is datetime or (first is int and access.index is None)
    return "growing" if grows and (is_new or is_moved) else "many"


class KeyDomains:
    """The domains of all key fields of some catalogs.

    Fields after the same constant, as in USER#{username} and USER#{owner}, have the same domain.
    The number of values is, in this order: what the catalog declares, the number of values of the
    field's type, or the number of items whose only key is the field. Otherwise each item is assumed
    to have a value of its own; `assumed` lists these domains.
    """

    def __init__(self, catalogs: Sequence[PatternCatalog], factor: float = 1.0) -> None:
        self._distributions: dict[str, Distribution] = {}
        self._labels: dict[tuple[type, str], str] = {}
        self.assumed: dict[str, int] = {}
        self._counts = {
            entity: round(count.items * factor)
            for catalog in catalogs
            for entity, count in catalog.counts.items()
        }
        models = [
            model_of(entity)
            for catalog in catalogs
            for table in catalog.tables
            for entity in table.entities
        ]
        for model in models:
            for key in keys_of(model):
                for name, label in _labels(key).items():
                    self._labels.setdefault((model.entity, name), label)
        for model in models:
            for counter in (*model.counts.values(), *([model.sequence] if model.sequence else [])):
                theirs = model_of(counter.entity).key.parameters
                for name, other in zip(counter.fields, theirs, strict=True):
                    self._labels[model.entity, name] = self.label(counter.entity, other)
        for catalog in catalogs:
            for (entity, name), distribution in catalog.values.items():
                values = max(round(distribution.values * min(factor, 1.0)), 1)
                declared = Distribution(values, distribution.exponent)
                self._distributions[self.label(entity, name)] = declared
        for model in models:
            fields = (*model.key.pk_fields, *model.key.sk_fields)
            if len(fields) == 1 and model.entity in self._counts:
                label, count = self.label(model.entity, fields[0]), self._counts[model.entity]
                self._distributions.setdefault(label, Distribution(max(count, 1)))

    def label(self, entity: type, name: str) -> str:
        """Return the name of a field's domain: the constant before it in a key, or its name."""
        return self._labels.get((entity, name), name)

    def declared(self, entity: type, name: str) -> Distribution | None:
        """Return how the values of a field are distributed, or None if nothing is declared."""
        return self._distributions.get(self.label(entity, name))

    def domain(self, model: Model, name: str) -> Domain:
        """Return the domain of a field."""
        label = self.label(model.entity, name)
        known = self._distributions.get(label)
        if known is None:
            finite = number_of_values(model.fields[name].annotation)
            if finite is None:
                finite = self.assumed.setdefault(
                    label, max(self._counts.get(model.entity, DEFAULT_COUNT), 1)
                )
            known = Distribution(finite)
        return Domain(label, known)

    def key_space(self, model: Model, access: ResolvedKey) -> KeySpace:
        """Return the partition keys of an entity in its table, an index or its markers."""
        domains = {name: self.domain(model, name) for name in access.pk_fields}
        template = " ".join(key_template(column) for column in access.pk)
        for name, domain in domains.items():
            template = template.replace(f"{{{name}}}", f"{{{domain.name}}}")
        shards = access.shards
        return KeySpace(
            template, tuple(dict.fromkeys(domains.values())), 1 if shards is None else shards.count
        )


def _labels(key: ResolvedKey) -> dict[str, str]:
    """Return the constant before each field: {"username": "USER"} for USER#{username}.

    A constant that several fields follow, as in DAY#{year}{month}, is left out.
    """
    labels: dict[str, str] = {}
    for column in key.columns:
        segments = column.template.segments if isinstance(column, TextColumn) else ()
        for before, segment, after in zip(
            segments, segments[1:], (*segments[2:], None), strict=False
        ):
            if (
                isinstance(before, FixedSegment)
                and isinstance(segment, FieldSegment)
                and not isinstance(after, FieldSegment)
                and before.label
            ):
                labels.setdefault(segment.field, before.label)
    return labels


def number_of_values(kind: object) -> int | None:
    """Return how many values a type has, or None if they are not limited.

    Most calls with a date are about today, so a date counts as one value.
    """
    if kind is bool:
        return 2
    if kind is date:
        return 1
    if isinstance(kind, type) and issubclass(kind, Enum):
        return len(kind)
    if get_origin(kind) is Literal:
        return len(get_args(kind))
    return None


@dataclass(frozen=True, slots=True)
class StoredSize:
    """The items and bytes that a table or an index stores.

    `bytes` include the 100 bytes that DynamoDB adds for each item and each index entry.
    """

    table: str
    index: str | None
    items: float
    bytes: float
    how: str

    @property
    def resource(self) -> str:
        """The table, or the table and the index."""
        return self.table if self.index is None else f"{self.table}/{self.index}"


def stored_sizes(
    catalogs: Sequence[PatternCatalog], table: Table, *, months: float = 0.0, factor: float = 1.0
) -> list[StoredSize]:
    """Return what a table and each of its indexes store, after some months of growth.

    Where several catalogs count an entity, the largest count is used. Each unique value is an item
    of its own, its marker.
    """
    counts: dict[type, ItemCount] = {}
    declared: dict[type, int] = {}
    for catalog in catalogs:
        for entity, count in catalog.counts.items():
            if entity not in counts or count.items > counts[entity].items:
                counts[entity] = count
        declared |= catalog.sizes
    sizes: list[StoredSize] = []
    for index in (None, *table.indexes):
        items = total = 0.0
        texts: list[str] = []
        for entity, count in counts.items():
            model = model_of(entity)
            if model.table is not table:
                continue
            number = count.after(months) * factor
            if index is not None:
                keys = [one for one in model.indexes.values() if one.index is index]
                number *= sum(count.shares.get(one.name, 1.0) for one in keys)
            if not number:
                continue
            size = entry_size(entity, index, declared.get(entity, DEFAULT_ITEM_SIZE))
            kinds = [(number, entity.__name__, size)]
            if index is None and model.uniques:
                markers = markers_of(model, count) * number / max(count.items, 1)
                kinds.append((markers, f"markers of {entity.__name__}", MARKER_SIZE))
            for amount, noun, one in kinds:
                items += amount
                total += amount * (one + STORAGE_OVERHEAD)
                texts.append(f"{amount:,.0f} {noun} × ({one:,} + {STORAGE_OVERHEAD} bytes)")
        name = None if index is None else index.name
        sizes.append(StoredSize(table.name, name, items, total, " + ".join(texts) or "no items"))
    return sizes
