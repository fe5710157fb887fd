"""A key that is ready to use: the columns of the primary key, or of an index, of one entity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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

    @property
    def columns(self) -> tuple[Column, ...]:
        """All key attributes."""
        return self.pk + self.sk

    @property
    def pk_fields(self) -> tuple[str, ...]:
        """The fields whose values the partition is called with."""
        return tuple(field for column in self.pk for field in column.asked)

    @property
    def sk_fields(self) -> tuple[str, ...]:
        """The fields whose values the sort key is called with."""
        return tuple(field for column in self.sk for field in column.asked)

    @property
    def fields(self) -> tuple[str, ...]:
        """All fields that the key is made of."""
        return tuple(dict.fromkeys(field for column in self.columns for field in column.fields))

    @property
    def own_attributes(self) -> tuple[str, ...]:
        """The attributes that are there for this key alone."""
        return tuple(column.attribute.name for column in self.columns if column.own)

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
        return self.when is None or holds(self.when.node(), item)

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
    def tested(self) -> tuple[expressions.Path, ...]:
        """The places that the index's own condition looks at."""
        return () if self.when is None else tuple(expressions.paths_of(self.when.node()))

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}"
