"""Values for calls: the arguments of read patterns, and new values of edited fields."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias, cast

from singletable.errors import InvalidValue
from singletable.patterns import ReadPattern
from singletable.patterns.sample_items import plain_type
from singletable.schema import ItemKey, ResolvedKey, Selection, UniqueValue
from singletable_design.planning.population import EntityPopulation, Population, number_of_choices
from singletable_design.planning.ranks import draw_rank

# Numbers for the end of a range, of which the first that fits its key is used.
_LARGE_NUMBERS = (10_000, 999, 99, 9)
_TRIES = 200

Values: TypeAlias = Mapping[str, object]


class PatternArguments:
    """Draws the arguments of a read pattern, so that it finds items of the population."""

    def __init__(self, pattern: ReadPattern[Any, Any], population: Population) -> None:
        self._pattern = pattern
        self._sample: Any = pattern.sample
        self._entity = population[self._sample.entity]
        # Items of a collection are drawn from the member with most of them.
        self._drawn = self._entity
        if pattern.collection is not None:
            members = [population[one] for one in pattern.collection.entities()]
            self._drawn = max(members, key=lambda one: one.total)
        self._sources = self._bind()

    def draw(self, rng: random.Random) -> list[object]:
        """Return a value for each parameter."""
        values = self._values(rng)
        return [source(values) for source in self._sources]

    def _bind(self) -> list[Callable[[Values], object]]:
        """Return where the value of each parameter comes from: a field, or the end of a range."""
        fixed = self._fixed()
        left = dict(fixed)
        range_field, bounds = self._range()
        sources: list[Callable[[Values], object]] = []
        at = 0
        for parameter in self._pattern.parameters:
            name = parameter.name
            if name in left:
                del left[name]
                sources.append(_field(name))
                continue
            equal = [one for one, value in left.items() if value == parameter.example]
            if name != range_field and equal:
                del left[equal[0]]
                sources.append(_field(equal[0]))
            elif range_field is not None and at < bounds:
                sources.append(self._bound(range_field, at))
                at += 1
            else:
                raise InvalidValue(f"{name} is in no key of {self._entity.model.name}")
        # What is left was chosen by the pattern itself.
        self._constants = left
        return sources

    def _fixed(self) -> dict[str, object]:
        sample = self._sample
        if isinstance(sample, UniqueValue):
            value = cast("UniqueValue[Any]", sample)  # type: ignore[redundant-cast]
            fields = self._entity.model.uniques[value.unique].fields
            return dict(zip(fields, value.values, strict=True))
        return dict(cast("ItemKey[Any] | Selection[Any]", sample).values)

    def _range(self) -> tuple[str | None, int]:
        sample = self._sample
        if not isinstance(sample, Selection) or sample.range is None:
            return None, 0
        names = sample.access.sk_fields
        return next(one for one in names if one not in sample.values), len(sample.range.bounds)

    def _bound(self, name: str, at: int) -> Callable[[Values], object]:
        """Return the value at an end of a range that contains everything."""
        comparison = self._sample.range.comparison
        low = self._entity.field_value(name, 0)
        if comparison == "begins_with":
            text = str(self._entity.field_value(name, 1)).removesuffix("1")
            return lambda _: text
        if comparison in (">", ">=") or (comparison == "between" and at == 0):
            return lambda _: low
        high = self._highest(name)
        return lambda _: high

    def _highest(self, name: str) -> object:
        access = self._sample.access
        for number in _LARGE_NUMBERS:
            try:
                value = self._entity.field_value(name, number)
                if isinstance(value, str):
                    return f"{value.rpartition('-')[0]}-~"
                for column in access.sk:
                    if name in column.parameters:
                        column.value(dict.fromkeys(column.fields, "x") | {name: value})
            except (InvalidValue, OverflowError, AttributeError):
                continue
            return value
        raise InvalidValue(f"there is no large value of {name}")

    def _values(self, rng: random.Random) -> dict[str, object]:
        """Return the values of an item that the pattern can find."""
        population, access = self._drawn, getattr(self._sample, "access", None)
        values: dict[str, object] = {}
        for _ in range(_TRIES):
            slot = population.slot(population.draw(rng, self._pattern.expected.skew))
            if population is not self._entity:
                key_values = population.key_values(slot)
                names = population.model.key.parameters
                ours = self._entity.model.key.parameters
                return dict(zip(ours, (key_values[one] for one in names), strict=False))
            values = population.short_values(slot)
            if any(values[name] != one for name, one in self._constants.items()):
                continue
            if isinstance(self._sample, UniqueValue) and None in map(values.get, self._fixed()):
                continue
            if access is None or access.index is None or population.is_in_index(access, values):
                break
        self._draw_partition(values, access, rng)
        return values

    def _draw_partition(self, values: dict[str, object], access: Any, rng: random.Random) -> None:
        """Draw the partition key of an index by the distribution of its values.

        The items of a frequent value are fewer than its share, because no user has a skill twice.
        """
        if access is None or access.index is None:
            return
        entity, skew = self._entity, self._pattern.expected.skew
        for name in access.pk_fields:
            if name in entity.inherited or name in self._constants:
                continue
            limit = entity.limit_of(name)
            distribution = entity.distribution_of(name)
            exponent = 0.0 if distribution is None else distribution.exponent
            if skew is not None:
                limit, exponent = limit or entity.sizes.get(name), skew
            if limit is not None and (exponent or skew is not None):
                values[name] = entity.field_value(name, draw_rank(rng, limit, exponent))


def _field(name: str) -> Callable[[Values], object]:
    return lambda values: values[name]


def changed_value(
    population: EntityPopulation,
    name: str,
    edited: Sequence[str],
    values: Values,
    number: int,
    rng: random.Random,
) -> object:
    """Return another value of a field, of the same size as far as possible.

    A field that decides whether the item is in a sparse index gets a value that changes it, unless
    the key of the entry is edited, too: then the entry moves.
    """
    model, old = population.model, values[name]
    for key in _testing(population, name)[:1]:
        inside = population.is_in_index(key, values)
        wanted = inside if {*edited} & {*key.fields} else not inside
        for choice in choices_of(population, name, number):
            if choice != old and population.is_in_index(key, {**values, name: choice}) == wanted:
                return choice
    choices = number_of_choices(population, name)
    if choices is not None:
        others = [population.field_value(name, one) for one in range(choices)]
        return next((one for one in others if one != old), old)
    limit = population.limit_of(name) or population.sizes.get(name)
    if limit is not None and name in population.index_fields:
        first = draw_rank(rng, limit, 0.0)
        values_in_turn = (population.field_value(name, at % limit + 1) for at in (first, first + 1))
        return next((one for one in values_in_turn if one != old), old)
    kind = plain_type(model.fields[name].annotation)
    if old is None:
        old = population.field_value(name, number % 9_000 + 1)
    if kind is str and isinstance(old, str) and len(old) > len(str(number)):
        return f"{number}-{old}"[: len(old)]
    if kind is bytes and isinstance(old, bytes):
        return f"{number}-".encode()[: len(old)] + old[len(f"{number}-") :]
    if model.fields[name].role == "expires":
        return old
    if isinstance(old, list | dict) and old:
        return _changed_member(cast("list[object] | dict[str, object]", old), number)
    return population.field_value(name, number % 9_000 + 1)


def _changed_member(
    old: list[object] | dict[str, object], number: int
) -> list[object] | dict[str, object]:
    """Return a list or dict with another first member, of the same size as far as possible."""
    at: Any = 0 if isinstance(old, list) else next(iter(old))
    member = cast("dict[Any, object]", old)[at]
    changed: object = member
    if isinstance(member, str):
        changed = f"{number}-{member}"[: max(len(member), len(str(number)))]
    elif isinstance(member, int) and not isinstance(member, bool):
        changed = number % 9_000 + 1
    if isinstance(old, list):
        return [changed, *old[1:]]
    return old | {at: changed}


def _testing(population: EntityPopulation, name: str) -> list[ResolvedKey]:
    """Return the keys in sparse indexes with a condition on a field."""
    attribute = population.model.fields[name].attribute
    return [
        key
        for key in population.model.indexes.values()
        if attribute in {path[0] for path in key.condition_paths}
    ]


def toggled_index(population: EntityPopulation, edited: AbstractSet[str]) -> ResolvedKey | None:
    """Return the sparse index that items enter or leave when these fields are edited."""
    keys = (key for name in edited for key in _testing(population, name))
    return next((key for key in keys if not edited & {*key.fields}), None)


def choices_of(population: EntityPopulation, name: str, number: int) -> list[object]:
    """Return values to try for a field: all of its type, one with a number, and None."""
    attribute = population.model.fields[name]
    count = number_of_choices(population, name)
    numbers = range(count) if count is not None else [number % 9_000 + 1]
    values = [population.field_value(name, one) for one in numbers]
    return [*values, None] if attribute.codec().optional else values
