"""A key attribute of an entity: a text made by a template, or a field as it is."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from singletable.errors import InvalidValue, ItemMismatch
from singletable.schema.codec import Codec
from singletable.schema.table import KeyAttribute
from singletable.schema.template import Template
from singletable.values import AttributeValue, Item


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A key attribute that a template makes."""

    attribute: KeyAttribute
    template: Template
    most_bytes: int
    # Whether the attribute is there for this key alone.
    own: bool = True

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields it is made of."""
        return self.template.fields

    @property
    def asked(self) -> tuple[str, ...]:
        """The fields whose values it is called with."""
        return tuple(value.field for value in self.template.values)

    def value(
        self, values: Mapping[str, object], shard: str | None = None
    ) -> AttributeValue | None:
        """The attribute for these values; None if one is absent."""
        text = self.template.text(values, shard)
        return None if text is None else {"S": self.checked(text)}

    def checked(self, text: str) -> str:
        """The text, if DynamoDB allows one so long."""
        # A character has four bytes at most.
        if len(text) * 4 <= self.most_bytes:
            return text
        size = len(text.encode())
        if size > self.most_bytes:
            fields = ", ".join(self.fields)
            raise InvalidValue(
                f"{self.template.owner}: the key {self.template} would have {size} bytes; DynamoDB "
                f"allows {self.most_bytes} in {self.attribute.name}. Give a shorter {fields}."
            )
        return text

    def fits(self, text: str) -> bool:
        """Whether DynamoDB allows a text so long."""
        return len(text.encode()) <= self.most_bytes

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
    most_bytes: int
    # Whether values sort as they are held: the texts of an Enum do not.
    ordered: bool
    # Whether the attribute is a copy, there for this key alone.
    own: bool

    @property
    def fields(self) -> tuple[str, ...]:
        """The field it holds."""
        return (self.field,)

    @property
    def asked(self) -> tuple[str, ...]:
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
        if size > self.most_bytes:
            raise InvalidValue(
                f"{self.owner}.{self.field} would have {size} bytes; DynamoDB allows "
                f"{self.most_bytes} in {self.attribute.name}, which is a key."
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
