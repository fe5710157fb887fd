"""A key that is ready to use: the columns of the primary key, or of an index, of one entity."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from singletable import expressions
from singletable.errors import InvalidValue, ItemMismatch
from singletable.expressions import holds
from singletable.schema.codec import Codec
from singletable.schema.condition import Condition
from singletable.schema.key_parts import Shards
from singletable.schema.key_template import KeyTemplate
from singletable.schema.table import Index, KeyAttribute
from singletable.values import AttributeValue, Item

# FROM column.py: A key attribute of an entity: a text made by a template, or a field as it is.


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A key attribute that a template makes."""

    attribute: KeyAttribute
    template: KeyTemplate
    max_bytes: int
    # Whether the attribute is there for this key alone.
    dedicated: bool = True

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields it is made of."""
        return self.template.fields

    @property
    def parameters(self) -> tuple[str, ...]:
        """The fields whose values it is called with."""
        return tuple(value.field for value in self.template.field_segments)

    def value(
        self, values: Mapping[str, object], shard: str | None = None
    ) -> AttributeValue | None:
        """The attribute for these values; None if one is absent."""
        text = self.template.render(values, shard)
        return None if text is None else {"S": self.checked(text)}

    def checked(self, text: str) -> str:
        """The text, if DynamoDB allows one so long."""
        # A character has four bytes at most.
        if len(text) * 4 <= self.max_bytes:
            return text
        size = len(text.encode())
        if size > self.max_bytes:
            fields = ", ".join(self.fields)
            raise InvalidValue(
                f"{self.template.owner}: the key {self.template} would have {size} bytes; DynamoDB "
                f"allows {self.max_bytes} in {self.attribute.name}. Give a shorter {fields}."
            )
        return text

    def fits(self, text: str) -> bool:
        """Whether DynamoDB allows a text so long."""
        return len(text.encode()) <= self.max_bytes

    def parse(self, item: Item) -> dict[str, object] | None:
        """The values in an item's attribute; None if it is not of this shape."""
        text = item.get(self.attribute.name, {}).get("S")
        return None if text is None else self.template.parse(text)


@dataclass(frozen=True, slots=True)
class FieldColumn:
    """A key attribute that holds a field as it is, by the field's own name or as a copy."""

    owner: str
    attribute: KeyAttribute
    field: str
    codec: Codec
    max_bytes: int
    # Whether values sort as they are held: the texts of an Enum do not.
    ordered: bool
    # Whether the attribute is a copy, there for this key alone.
    dedicated: bool

    @property
    def fields(self) -> tuple[str, ...]:
        """The field it holds."""
        return (self.field,)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The field whose value it is called with."""
        return (self.field,)

    def value(
        self, values: Mapping[str, object], shard: str | None = None
    ) -> AttributeValue | None:
        """The attribute for these values; None if the field is absent."""
        value = values.get(self.field)
        if value is None:
            return None
        try:
            encoded = self.codec.encode(value)
        except InvalidValue as error:
            raise InvalidValue(f"{self.owner}.{self.field} in a key: {error}") from None
        if encoded in ({"S": ""}, {"B": ""}, {"B": b""}):
            raise InvalidValue(f"{self.owner}.{self.field}: a value in a key is never empty.")
        size = _size(encoded)
        if size > self.max_bytes:
            raise InvalidValue(
                f"{self.owner}.{self.field} would have {size} bytes; DynamoDB allows "
                f"{self.max_bytes} in {self.attribute.name}, which is a key."
            )
        return encoded

    def parse(self, item: Item) -> dict[str, object] | None:
        """The value in an item's attribute; None if it is not of this type."""
        held = item.get(self.attribute.name)
        if held is None or self.attribute.type not in held:
            return None
        try:
            return {self.field: self.codec.decode(held)}
        except ItemMismatch:
            return None


def _size(held: AttributeValue) -> int:
    """The bytes of a text or a binary; numbers are never too long."""
    if "S" in held:
        return len(held["S"].encode())
    return len(b64decode(held["B"])) if "B" in held else 0


Column: TypeAlias = TextColumn | FieldColumn


@dataclass(frozen=True, slots=True)
class ResolvedKey:
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
    dedicated_attributes: tuple[str, ...] = field(init=False, repr=False, compare=False)
    # The index's own condition, in DynamoDB's language.
    condition: expressions.Condition | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        columns = self.pk + self.sk
        found: dict[str, object] = {
            "columns": columns,
            "pk_fields": tuple(name for column in self.pk for name in column.parameters),
            "sk_fields": tuple(name for column in self.sk for name in column.parameters),
            "fields": tuple(dict.fromkeys(name for one in columns for name in one.fields)),
            "dedicated_attributes": tuple(one.attribute.name for one in columns if one.dedicated),
            "condition": None if self.when is None else self.when.node(),
        }
        for name, value in found.items():
            object.__setattr__(self, name, value)

    @property
    def shards(self) -> Shards | None:
        """How the partition is spread, if it is."""
        column = self.pk[0]
        return column.template.shards if isinstance(column, TextColumn) else None

    def bind(self, fields: tuple[str, ...], values: tuple[object, ...]) -> dict[str, object]:
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

    def require_attributes(self, values: Mapping[str, object]) -> Item:
        """The key attributes for these values, all of which must be there."""
        found = self.attributes(values)
        if found is None:
            absent = [name for name in self.fields if values.get(name) is None]
            raise InvalidValue(
                f"{self}: expected a value for {', '.join(absent)}, but got None. "
                "A key is made of all its values."
            )
        return found

    def includes(self, item: Item) -> bool:
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
    def recoverable_fields(self) -> set[str]:
        """The fields whose values can be had back from the key, as they were."""
        found: set[str] = set()
        for column in self.columns:
            if isinstance(column, TextColumn):
                found |= {one.field for one in column.template.field_segments if one.encoding.exact}
            else:
                found.add(column.field)
        return found

    @property
    def condition_paths(self) -> tuple[expressions.Path, ...]:
        """The places that the index's own condition looks at."""
        return () if self.condition is None else tuple(expressions.condition_paths(self.condition))

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}"
