"""Attribute values and items in DynamoDB's wire format, and their JSON.

A value is a mapping with exactly one entry, whose name is its type: `{"S": "ada"}`, `{"N": "36"}`.
Numbers are text, because DynamoDB has 38 digits and JSON parsers do not; binary is base64 text.
Items are stored and sent in this format.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from msgspec import Raw
from msgspec.json import Decoder, Encoder
from typing_extensions import TypedDict

__all__ = [
    "AttributeType",
    "AttributeValue",
    "Item",
    "KeyType",
    "content_of",
    "item_from_json",
    "item_to_json",
    "to_builtin",
    "type_of",
]

AttributeType: TypeAlias = Literal["S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL"]
KeyType: TypeAlias = Literal["S", "N", "B"]


class AttributeValue(TypedDict, total=False):
    """One value; exactly one of the entries is present."""

    S: str
    N: str
    B: str
    SS: list[str]
    NS: list[str]
    BS: list[str]
    M: dict[str, AttributeValue]
    L: list[AttributeValue]
    NULL: bool
    BOOL: bool


Item: TypeAlias = dict[str, AttributeValue]


def type_of(value: AttributeValue) -> str:
    """Return the name of the value's type: "S", "N", "M" and so on."""
    return next(iter(value))


def content_of(value: Mapping[str, object]) -> object:
    """Return the content of the value, without its type name."""
    return next(iter(value.values()))


def to_builtin(value: object) -> object:
    """Convert a subclass of str, or any mapping, to the built-in type for JSON."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType]
    raise TypeError(f"Python type {type(value).__name__} cannot be encoded as JSON.")


_encode = Encoder(enc_hook=to_builtin).encode


# Decodes an item from JSON. A function around it would take as long as a tenth of the work.
item_from_json: Callable[[Raw | bytes], Item] = Decoder(dict[str, AttributeValue]).decode


def item_to_json(item: Item) -> bytes:
    """Encode an item as JSON."""
    return _encode(item)
