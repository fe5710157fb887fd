"""A key that is ready to use: the columns of the primary key, or of an index, of one entity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from singletable import expressions
from singletable.errors import InvalidValue
from singletable.expressions import holds
from singletable.schema.column import Column, TextColumn
from singletable.schema.condition import Condition
from singletable.schema.part import Shards
from singletable.schema.table import Index
from singletable.values import AttributeValue, Item


@dataclass(frozen=True, slots=True)
class Access:
    """The primary key of an entity, or its key in an index."""

    owner: str
    name: str
    index: Index | None
    pk: tuple[Column, ...]
    sk: tuple[Column, ...]
    when: Condition[object] | None = None
    # What follows from it all, worked out once: all key attributes, the fields whose values the
    # partition and the sort key are called with, all fields that the key is made of, and the
    # attributes that are there for this key alone.
    columns: tuple[Column, ...] = field(init=False, repr=False, compare=False)
    pk_fields: tuple[str, ...] = field(init=False, repr=False, compare=False)
    sk_fields: tuple[str, ...] = field(init=False, repr=False, compare=False)
    fields: tuple[str, ...] = field(init=False, repr=False, compare=False)
    own_attributes: tuple[str, ...] = field(init=False, repr=False, compare=False)
    # The index's own condition, in DynamoDB's language.
    condition: expressions.Condition | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        columns = self.pk + self.sk
        found: dict[str, object] = {
            "columns": columns,
            "pk_fields": tuple(name for column in self.pk for name in column.asked),
            "sk_fields": tuple(name for column in self.sk for name in column.asked),
            "fields": tuple(dict.fromkeys(name for one in columns for name in one.fields)),
            "own_attributes": tuple(one.attribute.name for one in columns if one.own),
            "condition": None if self.when is None else self.when.node(),
        }
        for name, value in found.items():
            object.__setattr__(self, name, value)

    @property
    def shards(self) -> Shards | None:
        """How the partition is spread, if it is."""
        column = self.pk[0]
        return column.template.shards if isinstance(column, TextColumn) else None

    def named(self, fields: tuple[str, ...], values: tuple[object, ...]) -> dict[str, object]:
        """The values by the names of their fields."""
        if len(values) != len(fields):
            raise InvalidValue(
                f"{self.owner}.{self.name} expects {len(fields)} values "
                f"({', '.join(fields)}), but got {len(values)}."
            )
        return dict(zip(fields, values, strict=True))

    def attributes(self, values: Mapping[str, object]) -> Item | None:
        """The key attributes for these values; None if one is absent: not in the index then."""
        found: dict[str, AttributeValue] = {}
        for column in self.columns:
            value = column.value(values)
            if value is None:
                return None
            found[column.attribute.name] = value
        return found

    def complete(self, values: Mapping[str, object]) -> Item:
        """The key attributes for these values, all of which must be there."""
        found = self.attributes(values)
        if found is None:
            absent = [name for name in self.fields if values.get(name) is None]
            raise InvalidValue(
                f"{self}: expected a value for {', '.join(absent)}, but got None. "
                "A key is made of all its values."
            )
        return found

    def holds_for(self, item: Item) -> bool:
        """Whether such an item belongs into the index at all."""
        return self.condition is None or holds(self.condition, item)

    def parse(self, item: Item) -> dict[str, object] | None:
        """The values that an item's key was made of; None if it is of another shape."""
        values: dict[str, object] = {}
        for column in self.columns:
            found = column.parse(item)
            if found is None:
                return None
            for name, value in found.items():
                if values.setdefault(name, value) != value:
                    return None
        return values

    @property
    def told(self) -> set[str]:
        """The fields whose values can be had back from the key, as they were."""
        found: set[str] = set()
        for column in self.columns:
            if isinstance(column, TextColumn):
                found |= {one.field for one in column.template.values if one.form.exact}
            else:
                found.add(column.field)
        return found

    @property
    def tested(self) -> tuple[expressions.Path, ...]:
        """The places that the index's own condition looks at."""
        return () if self.condition is None else tuple(expressions.paths_of(self.condition))

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}"
