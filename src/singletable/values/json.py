"""Items to and from the JSON text in which they rest."""

from __future__ import annotations

from msgspec import Raw
from msgspec.json import Decoder, Encoder

from singletable.values.attribute import AttributeValue, Item

_decode = Decoder(dict[str, AttributeValue]).decode
_encode = Encoder().encode


def item_from_json(raw: Raw | bytes) -> Item:
    """The item that the JSON text holds."""
    return _decode(raw)


def item_to_json(item: Item) -> bytes:
    """The item as JSON text."""
    return _encode(item)
