"""Items to and from the JSON text in which they rest."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Raw
from msgspec.json import Decoder, Encoder

from singletable.values.attribute import AttributeValue, Item


def plain(value: object) -> object:
    """The bare string, or mapping, of one that is of a type of its own."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType]
    raise TypeError(f"JSON has nothing for Python's type {type(value).__name__}")


_decode = Decoder(dict[str, AttributeValue]).decode
_encode = Encoder(enc_hook=plain).encode


def item_from_json(raw: Raw | bytes) -> Item:
    """The item that the JSON text holds."""
    return _decode(raw)


def item_to_json(item: Item) -> bytes:
    """The item as JSON text."""
    return _encode(item)
