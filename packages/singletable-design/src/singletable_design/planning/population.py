"""Sample items of all entities of some catalogs, with keys that fit together.

The item of a slot is a pure function of the slot, so a population of any size needs no memory.
A child, such as an order, belongs to an existing parent, the customer: the entity with most of its
key fields. Within its parent, items are numbered from 1. Items are divided evenly among parents, or
as the values of the parent's key are distributed.
"""

from __future__ import annotations

import itertools
import math
import random
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

from dynamodb_engine.values import item_size
from singletable.errors import DeclarationError, InvalidValue
from singletable.patterns import Distribution, ItemCount, PatternCatalog, ReadPattern
from singletable.patterns.estimate import DEFAULT_ITEM_SIZE, WRITE_BLOCK
from singletable.patterns.sample_items import lengthen, plain_type
from singletable.schema import ItemKey, Model, ResolvedKey, Selection, counters_of, model_of
from singletable.schema.codec.items import UNKNOWN
from singletable.schema.examples import example_value
from singletable_design.planning.parents import find_parent, parents_first
from singletable_design.planning.ranks import distinct_ranks, draw_rank
from singletable_design.planning.workload import KeyDomains, number_of_values

# Without declared counts: the items of an entity that has no parent, and the items of each parent.
DEFAULT_ROOTS = 20
DEFAULT_CHILDREN = 3
# The values of a field in an index key, if nothing is declared about them.
DEFAULT_VALUES = 4
# An entity without a declared count has at most this many items, or as many as one query reads.
# Then only some parents have items, as many as queries read.
MAX_UNDECLARED = 2_000
# How many items a sample has, if no scale is chosen.
SAMPLE_ITEMS = 10_000
# Stamps and counters grow by a few bytes when an item is changed.
_RESERVE = 4
# The attribute that gives an item its size if the fields cannot.
_FILLER = "filler"
_MAX_COMBINATIONS = 256
_FAR_FUTURE = datetime(2099, 1, 1, 12, tzinfo=UTC)
# Multiples of this number, without their integer parts, fill the range from 0 to 1 evenly.
_GOLDEN = 0.6180339887498949

SampleFunction: TypeAlias = "Callable[[int], Mapping[str, object]]"
F = TypeVar("F", bound=SampleFunction)
_SAMPLES: dict[type, SampleFunction] = {}


def sample_fields(entity: type) -> Callable[[F], F]:
    """Register a function that returns values for some fields of sample item number 1, 2, 3 ….

    Use it for types and checks that sample values do not satisfy. Fields of the key cannot be set.

        @sample_fields(Order)
        def order_fields(number: int) -> dict[str, object]:
            return {"iban": IBANS[number % len(IBANS)]}
    """

    def register(function: F) -> F:
        _SAMPLES[model_of(entity).entity] = function
        return function

    return register


class Slot(NamedTuple):
    """The place of an item: number `k` of its parent. `number` is unique within the entity."""

    parent: Slot | None
    k: int
    number: int


@dataclass(eq=False)
class EntityPopulation:
    """The items of one entity: how many, under which parents, and with which values."""

    model: Model
    size: int
    domains: KeyDomains
    seed: int
    parent: EntityPopulation | None = None
    # The parent's key fields, by the name of the field that has the same value.
    inherited: Mapping[str, str] = field(default_factory=dict[str, str])
    count: int = 1
    # The items of each parent that has any; None divides them among all parents.
    per_parent: int | None = None
    # The number of values of key fields that are neither inherited nor numbered.
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    shares: Mapping[str, float] = field(default_factory=dict[str, float])
    # Items of other entities that count these, by fields that are not in the key.
    references: list[tuple[EntityPopulation, Mapping[str, str]]] = field(
        default_factory=list["tuple[EntityPopulation, Mapping[str, str]]"]
    )
    # The items that take their numbers from a field of these, by that field.
    numbered: dict[str, EntityPopulation] = field(default_factory=dict[str, "EntityPopulation"])

    @cached_property
    def own_fields(self) -> list[str]:
        """The key fields that are not those of the parent."""
        return [name for name in self.model.key.parameters if name not in self.inherited]

    @cached_property
    def numbered_field(self) -> str | None:
        """The field of the key that has the number of an item; the last one without a domain."""
        return next(
            (name for name in reversed(self.own_fields) if self.limit_of(name) is None),
            self.own_fields[-1] if self.own_fields else None,
        )

    @cached_property
    def most_per_parent(self) -> int | None:
        """The number of items that a parent can have, None if that is not limited."""
        if self.numbered_field is None:
            return 1
        last = self.limit_of(self.numbered_field)
        return None if last is None else last * math.prod(self._radix.values())

    def limit_of(self, name: str) -> int | None:
        """Return how many values a field has: declared, or those of its type; or None."""
        declared = self.distribution_of(name)
        return None if declared is None or self._is_identity(name) else declared.values

    def _is_identity(self, name: str) -> bool:
        """Return whether each item has a value of its own, so that there are as many as items."""
        is_finite = number_of_choices(self, name) is not None
        return self.parent is None and self.own_fields == [name] and not is_finite

    def distribution_of(self, name: str) -> Distribution | None:
        """Return the declared distribution of a field's values, or that of its type, or None."""
        finite = number_of_choices(self, name)
        if finite is not None:
            return Distribution(finite)
        return self.domains.declared(self.model.entity, name)

    @cached_property
    def _radix(self) -> dict[str, int]:
        """The fields that count through their values before the number grows."""
        names = [one for one in self.own_fields if one != self.numbered_field]
        sizes = {name: self.sizes.get(name) or self.limit_of(name) for name in names}
        return {name: size for name, size in sizes.items() if size is not None}

    @cached_property
    def _skewed(self) -> dict[str, Distribution]:
        """The fields before an unlimited number, with values that are not equally frequent."""
        if self.numbered_field is None or self.limit_of(self.numbered_field) is not None:
            return {}
        found = {name: self.distribution_of(name) for name in self._radix}
        return {name: one for name, one in found.items() if one is not None and one.exponent}

    @cached_property
    def _starts(self) -> list[int]:
        """The number of items before those of each parent, in the order of parents."""
        assert self.parent is not None
        if self.per_parent is not None:
            each = self.per_parent
            return [min(each * at, self.count) for at in range(self.parent.total + 1)]
        weights = [self.parent.weight(one) for one in range(self.parent.total)]
        total, sums = math.fsum(weights), itertools.accumulate(weights, initial=0.0)
        starts = [round(self.count * one / total) for one in sums]
        most = self.most_per_parent
        if most is None:
            return starts
        sizes = (min(b - a, most) for a, b in itertools.pairwise(starts))
        return list(itertools.accumulate(sizes, initial=0))

    @property
    def total(self) -> int:
        """The number of items, which may be less than `count` if parents cannot have as many."""
        if self.parent is not None:
            return self._starts[-1]
        most = self.most_per_parent
        return self.count if most is None else min(self.count, most)

    def weight(self, ordinal: int) -> float:
        """Return how large the share of an item is in what belongs to it."""
        distribution = self._root_distribution
        return 1.0 if distribution is None else math.pow(ordinal + 1, -distribution.exponent)

    @cached_property
    def _root_distribution(self) -> Distribution | None:
        if self.parent is not None or len(self.own_fields) != 1:
            return None
        return self.distribution_of(self.own_fields[0])

    def slot(self, ordinal: int) -> Slot:
        """Return the place of an item; they are numbered from 0."""
        if self.parent is None:
            return Slot(None, ordinal + 1, ordinal + 1)
        at = bisect_right(self._starts, ordinal) - 1
        return Slot(self.parent.slot(at), ordinal - self._starts[at] + 1, ordinal + 1)

    def children_of(self, parent_ordinal: int) -> range:
        """Return the ordinals of the items of a parent."""
        return range(self._starts[parent_ordinal], self._starts[parent_ordinal + 1])

    def slots(self) -> Iterator[Slot]:
        """Return the places of all items."""
        return map(self.slot, range(self.total))

    def draw(self, rng: random.Random, skew: float | None = None) -> int:
        """Return the ordinal of an item; partition keys are drawn by their distribution."""
        if self.parent is None:
            distribution = self._root_distribution
            exponent = distribution.exponent if distribution is not None else 0.0
            return draw_rank(rng, self.total, exponent if skew is None else skew) - 1
        for _ in range(100 if skew is not None else 0):
            children = self.children_of(self.parent.draw(rng, skew))
            if children:
                return children[int(rng.random() * len(children))]
        # Parents have as many items as their keys are frequent.
        return int(rng.random() * self.total)

    def key_values(self, slot: Slot) -> dict[str, object]:
        """Return the values of the key fields."""
        values: dict[str, object] = {}
        if self.parent is not None:
            assert slot.parent is not None
            of_parent = self.parent.key_values(slot.parent)
            values = {name: of_parent[other] for name, other in self.inherited.items()}
        rest = slot.k - 1
        for name, size in self._radix.items():
            if name in self._skewed:
                rng = random.Random(f"{self.seed}/{self.model.name}/{name}/{slot.number}")
                digit = draw_rank(rng, size, self._skewed[name].exponent) - 1
            else:
                rest, digit = divmod(rest, size)
            values[name] = self.field_value(name, digit + 1)
        for name in self.own_fields:
            if name in values:
                continue
            rank = rest + 1
            distribution = None if self._is_identity(name) else self.distribution_of(name)
            if distribution is not None and rank <= distribution.values:
                group = (self.model.name, name, *(str(one) for one in values.values()))
                rank = distinct_ranks(distribution, group, self.seed)(rank)
            values[name] = self.field_value(name, rank)
        return values

    def field_value(self, name: str, number: int) -> object:
        """Return the value of a field with this number."""
        label = self.domains.label(self.model.entity, name)
        return example_value(self.model.fields[name].annotation, label, number)

    def values(self, slot: Slot) -> dict[str, object]:
        """Return the values of all fields; the item has the declared size."""
        model, values = self.model, self.short_values(slot)
        missing = self._filled_size - item_size(model.item(values))
        has_room = self._accepts_long_values and lengthen(model, values, missing)
        if not has_room and missing > len(_FILLER):
            # Items keep attributes that their entity does not declare.
            values[UNKNOWN] = {_FILLER: {"S": "x" * (missing - len(_FILLER))}}
        return values

    @cached_property
    def _accepts_long_values(self) -> bool:
        """Whether the checks of the fields accept longer values."""
        values = self.short_values(self.slot(0))
        lengthen(self.model, values, self.size)
        try:
            self.model.codec.check(values)
        except InvalidValue:
            return False
        return True

    @property
    def _filled_size(self) -> int:
        """The size, or less if an item that grows by a few bytes would cost one unit more."""
        grows = -(-(self.size + _RESERVE) // WRITE_BLOCK) > -(-self.size // WRITE_BLOCK)
        return self.size - _RESERVE if grows else self.size

    def short_values(self, slot: Slot) -> dict[str, object]:
        """Return the values of all fields, of an item that may be smaller than declared."""
        model = self.model
        values = dict(self._plain_values)
        for name in self._unique_fields:
            values[name] = self._plain_value(name, model.fields[name].role, slot)
        values |= self.key_values(slot)
        values |= self._index_values(slot)
        chosen = self._sparse_values(slot)
        values |= chosen
        for other, fields in self.references:
            theirs = other.key_values(other.slot(slot.number % other.total))
            if all(chosen.get(name, name) is not None for name in fields):
                values |= {name: theirs[field] for name, field in fields.items()}
        if model.entity in _SAMPLES:
            added = _SAMPLES[model.entity](slot.number)
            values |= {name: one for name, one in added.items() if name not in model.key.fields}
        if slot.number <= self.total:
            for name, children in self.numbered.items():
                values[name] = len(children.children_of(slot.number - 1))
        return values

    @cached_property
    def _plain_values(self) -> dict[str, object]:
        slot = Slot(None, 1, 1)
        return {
            name: self._plain_value(name, attribute.role, slot)
            for name, attribute in self.model.fields.items()
        }

    @cached_property
    def _counters(self) -> frozenset[str]:
        return frozenset(path.field for path in counters_of(self.model.entity))

    @cached_property
    def _unique_fields(self) -> frozenset[str]:
        return frozenset(name for one in self.model.uniques.values() for name in one.fields)

    def _plain_value(self, name: str, role: str | None, slot: Slot) -> object:
        if role == "expires":
            return _FAR_FUTURE
        attribute = self.model.fields[name]
        if name in self._counters:
            return 0 if attribute.default is None else attribute.default()
        number = slot.number if name in self._unique_fields else 1
        try:
            value = example_value(attribute.annotation, name, number)
        except TypeError:
            value = None if attribute.default is None else attribute.default()
        # Times that the store sets have fractions of seconds, which take more bytes.
        if role in ("created", "updated") and isinstance(value, datetime):
            value = value.replace(microsecond=123456)
        return value

    def _index_values(self, slot: Slot) -> dict[str, object]:
        """Return the values of fields in index keys, spread over their values."""
        values: dict[str, object] = {}
        radix = 1
        for name in self.index_fields:
            distribution = self.distribution_of(name)
            size = self.sizes.get(name)
            if distribution is not None:
                size = distribution.values
            if size is None:
                rank = slot.number
            elif distribution is not None and distribution.exponent:
                rng = random.Random(f"{self.seed}/{self.model.name}/{name}/{slot.number}")
                rank = draw_rank(rng, size, distribution.exponent)
            elif radix * size <= self.count:
                rank = (slot.number - 1) // radix % size + 1
                radix *= size
            else:
                rng = random.Random(f"{self.seed}/{self.model.name}/{name}/{slot.number}")
                rank = int(rng.random() * size) + 1
            values[name] = self.field_value(name, rank)
        return values

    @cached_property
    def index_fields(self) -> list[str]:
        """The fields of index keys that are in no other key."""
        in_keys = {*self.model.key.fields}
        roles = {attribute.name for attribute in self.model.roles.values()}
        names = [name for key in self.model.indexes.values() for name in key.fields]
        return [
            one for one in dict.fromkeys(names) if one not in in_keys | self._unique_fields | roles
        ]

    @cached_property
    def _combinations(self) -> tuple[list[dict[str, object]], list[float]]:
        """The values of fields that decide which indexes an item is in, with cumulative weights."""
        model = self.model
        sparse = [key for key in model.indexes.values() if self._is_sparse(key)]
        deciding = {name for key in sparse for name in self.deciding(key)}
        deciding |= {name for fields in self._optional_values.values() for name in fields}
        names = [name for name in model.fields if name in deciding]
        names = [name for name in names if name not in model.key.fields]
        if not names:
            return [], []
        choices = [list(_choices(self, name)) for name in names]
        if math.prod(map(len, choices)) > _MAX_COMBINATIONS:
            choices = [one[:3] for one in choices]
        base = self._base_values
        combinations: list[dict[str, object]] = []
        members: list[list[bool]] = []
        for values in itertools.product(*choices):
            combination = dict(zip(names, values, strict=True))
            try:
                item = model.item({**base, **combination})
            except InvalidValue:
                continue
            combinations.append(combination)
            is_in = [_is_in(key, {**base, **combination}, item) for key in sparse]
            optional = self._optional_values.values()
            has = [all(combination[name] is not None for name in one) for one in optional]
            members.append(is_in + has)
        targets = [self.shares.get(key.name, 1.0) for key in sparse]
        targets += [self.shares[name] for name in self._optional_values]
        weights = _fit_weights(members, targets)
        return combinations, list(itertools.accumulate(weights))

    @cached_property
    def _optional_values(self) -> dict[str, list[str]]:
        """The optional fields of the unique values and counts that a declared share has."""
        declared = [
            (one.name, one.fields)
            for kind in (self.model.uniques, self.model.counts)
            for one in kind.values()
            if one.name in self.shares
        ]
        return {
            name: [one for one in fields if self.model.is_optional([one])]
            for name, fields in declared
        }

    @cached_property
    def _base_values(self) -> dict[str, object]:
        slot = Slot(None, 1, 1) if self.parent is None else self.slot(0)
        return self._plain_values | self.key_values(slot) | self._index_values(slot)

    def _is_sparse(self, key: ResolvedKey) -> bool:
        optional = any(self.model.fields[name].codec().optional for name in key.fields)
        return key.condition is not None or optional

    def deciding(self, key: ResolvedKey) -> set[str]:
        """Return the fields that decide whether an item is in a sparse index."""
        tested = {path[0] for path in key.condition_paths}
        return {
            name
            for name, attribute in self.model.fields.items()
            if attribute.attribute in tested or (name in key.fields and attribute.codec().optional)
        }

    def _sparse_values(self, slot: Slot) -> dict[str, object]:
        combinations, sums = self._combinations
        if not combinations:
            return {}
        at = bisect_left(sums, slot.number * _GOLDEN % 1 * sums[-1])
        chosen = combinations[min(at, len(combinations) - 1)]
        # A value that is present is that of the index or the constraint, one of many.
        others = {name for name in self.index_fields if number_of_choices(self, name) is None}
        others |= self._unique_fields
        return {name: one for name, one in chosen.items() if one is None or name not in others}

    def is_in_index(self, key: ResolvedKey, values: Mapping[str, object]) -> bool:
        """Return whether the item of these values is in an index."""
        return _is_in(key, values, self.model.item(values))

    def item_key(self, slot: Slot) -> ItemKey[Any]:
        """Return the key of an item."""
        values = self.key_values(slot)
        names = self.model.key.parameters
        return ItemKey[Any].of(self.model.entity, tuple(values[name] for name in names))

    def instance(self, values: Mapping[str, object]) -> Any:
        """Return the instance with these values."""
        if self.model.factory is not None:
            return self.model.factory(dict(values))
        instance = object.__new__(self.model.entity)
        object.__setattr__(instance, "__dict__", dict(values))  # an entity checks assignments
        return instance


def sample_scale(catalogs: Sequence[PatternCatalog], items: int = SAMPLE_ITEMS) -> float:
    """Return the scale at which there are about as many items, or 1 if fewer are declared."""
    declared = sum(one.items for catalog in catalogs for one in catalog.counts.values())
    return min(items / declared, 1.0) if declared else 1.0


class Population:
    """The items of all entities of some catalogs, `scale` times as many as are declared.

    Without declared counts, there are enough for queries to find the items that they declare.
    `problems` says why items of an entity cannot be generated, by entity.
    """

    def __init__(
        self, catalogs: Sequence[PatternCatalog], *, scale: float = 1.0, seed: int = 0
    ) -> None:
        if not 0 < scale < math.inf:
            raise DeclarationError(f"scale={scale!r}: expected a number above 0, such as 0.01.")
        self.scale = scale
        self.seed = seed
        self.problems: dict[type, str] = {}
        self._domains = KeyDomains(catalogs, scale)
        self._patterns = [
            pattern
            for catalog in catalogs
            for pattern in catalog
            if isinstance(pattern, ReadPattern)
        ]
        self._counts: dict[type, ItemCount] = {}
        self._sizes: dict[type, int] = {}
        for catalog in catalogs:
            self._counts |= catalog.counts
            self._sizes |= catalog.sizes
        tables = dict.fromkeys(table for catalog in catalogs for table in catalog.tables)
        models = [model_of(entity) for table in tables for entity in table.entities]
        self.entities: dict[type, EntityPopulation] = {}
        for model in parents_first(models, self._domains):
            found = find_parent(model, models, self._domains)
            population = EntityPopulation(
                model,
                self._sizes.get(model.entity, DEFAULT_ITEM_SIZE),
                self._domains,
                self.seed,
                None if found is None else self.entities[found[0].entity],
                {} if found is None else found[1],
            )
            self.entities[model.entity] = population
            self._set_counts(population)
            for counter in model.counts.values():
                if not {*counter.fields} <= {*model.key.parameters}:
                    theirs = model_of(counter.entity).key.parameters
                    mapping = dict(zip(counter.fields, theirs, strict=True))
                    population.references.append((self.entities[counter.entity], mapping))
            sequence = model.sequence
            if sequence is not None and found is not None and found[0].entity is sequence.entity:
                self.entities[sequence.entity].numbered[sequence.path.field] = population
            self._try(population)

    def __getitem__(self, entity: type) -> EntityPopulation:
        return self.entities[model_of(entity).entity]

    @property
    def total(self) -> int:
        """The number of items of all entities."""
        return sum(one.total for one in self._possible())

    def items(self) -> Iterator[object]:
        """Return the instances of all entities, parents before children."""
        for population in self._possible():
            for slot in population.slots():
                yield population.instance(population.values(slot))

    def _possible(self) -> Iterator[EntityPopulation]:
        return (one for one in self.entities.values() if one.model.entity not in self.problems)

    def _set_counts(self, population: EntityPopulation) -> None:
        model, parent = population.model, population.parent
        declared = self._counts.get(model.entity)
        if declared is not None:
            population.shares = declared.shares
        reads = list(self._reads(model))
        for name in _spread_fields(population):
            if population.limit_of(name) is None and any(name in fixed for fixed, _, _ in reads):
                population.sizes[name] = DEFAULT_VALUES
        if declared is not None:
            # A small sample has as many items as a query reads, too.
            own = {name for name in model.fields if name not in population.inherited}
            read = [
                min(math.ceil(_groups(population, fixed & own) * items / (share or 1)), most)
                for fixed, items, share in reads
                for most in [max(MAX_UNDECLARED, items)]
            ]
            least = min(max([1, *read]), declared.items)
            population.count = max(round(declared.items * self.scale), least, 1)
            of_parent = None if parent is None else self._counts.get(parent.model.entity)
            if parent is not None and of_parent is not None and of_parent.items:
                # If parents are too many for that, only some have items, but as many as declared.
                each = round(declared.items / of_parent.items)
                if each > 1 and 2 * population.count < each * parent.count:
                    population.per_parent = each
        elif not population.own_fields:
            population.count = 1 if parent is None else parent.count
        else:
            least = DEFAULT_ROOTS if parent is None else parent.count * DEFAULT_CHILDREN
            needed = [
                math.ceil(_groups(population, fixed) * items / (share or 1))
                for fixed, items, share in reads
            ]
            population.count = max([least, *needed])
            most = max([MAX_UNDECLARED, *(items for _, items, _ in reads)])
            if population.count > most:
                if parent is not None:
                    population.per_parent = -(-population.count // parent.count)
                population.count = most
        for name in list(population.sizes):
            fitting = [
                int(population.count * share / (_groups(population, fixed - {name}) * items))
                for fixed, items, share in reads
                if name in fixed
            ]
            population.sizes[name] = max(min(fitting), 1)

    def _reads(self, model: Model) -> Iterator[tuple[set[str], int, float]]:
        """Yield the fields that queries of an entity fix, the items they read, and their share."""
        for pattern in self._patterns:
            sample: object = pattern.sample
            if not isinstance(sample, Selection):
                continue
            selection = cast("Selection[Any]", sample)  # type: ignore[redundant-cast]
            items = max(pattern.expected.items_read, 1)
            if pattern.collection is not None:
                lists = pattern.collection.entities()
                # Members of a collection have the same first values in their keys.
                fixed = model.key.parameters[: len(selection.values)]
                if model.entity in lists and fixed != model.key.parameters:
                    yield {*fixed}, -(-items // len(lists)), 1.0
            elif selection.entity is model.entity:
                share = 1.0
                if model.entity in self._counts:
                    share = self._counts[model.entity].shares.get(selection.access.name, 1.0)
                yield {*selection.values}, items, share

    def _try(self, population: EntityPopulation) -> None:
        """Find out whether items can be generated."""
        model = population.model
        if population.parent is not None and population.parent.model.entity in self.problems:
            self.problems[model.entity] = f"{population.parent.model.name} cannot be generated"
            return
        try:
            values = population.values(population.slot(0))
            missing = [
                name
                for name, value in values.items()
                if value is None and not model.fields[name].codec().optional
            ]
            if missing:
                raise InvalidValue(f"there is no sample value for {', '.join(missing)}")
            _construct(model, values)
        except (InvalidValue, DeclarationError, TypeError, ValueError) as error:
            self.problems[model.entity] = (
                f"no sample items of {model.name}: {str(error).removesuffix('.')}. Supply values "
                "that fit with "
                f"@sample_fields({model.name})"
            )


def _construct(model: Model, values: Mapping[str, object]) -> None:
    """Check the values as the constructor does."""
    model.codec.check(values)
    if model.factory is not None:
        model.factory(dict(values))


def _spread_fields(population: EntityPopulation) -> list[str]:
    """Return the fields that have few values, so that queries by them find several items."""
    own = [name for name in population.own_fields if name != population.numbered_field]
    return [*own, *population.index_fields]


def _groups(population: EntityPopulation, fixed: set[str]) -> int:
    """Return into how many groups the values of some fields divide the items."""
    groups, ancestor = 1, population.parent
    inherited = dict(population.inherited)
    while ancestor is not None:
        if inherited.keys() <= fixed:
            groups = ancestor.count
            if ancestor is population.parent and population.per_parent is not None:
                groups = -(-population.count // population.per_parent)
            break
        inherited = {
            name: ancestor.inherited[theirs]
            for name, theirs in inherited.items()
            if theirs in ancestor.inherited
        }
        ancestor = ancestor.parent
    for name in fixed:
        if name in population.inherited:
            continue
        limit = population.limit_of(name)
        groups *= population.sizes.get(name, 1 if limit is None else limit)
    return max(groups, 1)


def _is_in(key: ResolvedKey, values: Mapping[str, object], item: Any) -> bool:
    return key.includes(item) and key.attributes(values) is not None


def number_of_choices(population: EntityPopulation, name: str) -> int | None:
    """Return how many values the type of a field has, None if they are not limited."""
    kind = plain_type(population.model.fields[name].annotation)
    return None if kind is date else number_of_values(kind)


def _choices(population: EntityPopulation, name: str) -> Iterator[object]:
    """Yield the values of a field to try, so that an item is in an index, or is not."""
    attribute = population.model.fields[name]
    finite = number_of_choices(population, name)
    for number in range(1, (finite or 1) + 1):
        yield population.field_value(name, number)
    if finite is None and plain_type(attribute.annotation) is int:
        yield 0
    if attribute.default is not None and (default := attribute.default()) is not None:
        yield default
    if attribute.codec().optional:
        yield None


def _fit_weights(members: Sequence[Sequence[bool]], targets: Sequence[float]) -> list[float]:
    """Return weights of combinations, so that each index has its share, as far as possible."""
    weights = [1.0] * len(members)
    for _ in range(20):
        for at, target in enumerate(targets):
            inside = sum(w for w, one in zip(weights, members, strict=True) if one[at])
            outside = sum(weights) - inside
            if not inside or not outside:
                continue
            scale_in, scale_out = target / inside, (1 - target) / outside
            weights = [
                weight * (scale_in if one[at] else scale_out)
                for weight, one in zip(weights, members, strict=True)
            ]
    return weights if sum(weights) else [1.0] * len(members)
