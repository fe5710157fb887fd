"""How many bytes DynamoDB counts for an item that is already in canonical form."""

from __future__ import annotations

from singletable.values.attribute import AttributeValue, Item
from singletable.values.check import check_item, check_value, text_size

MAX_ITEM_SIZE = 400 * 1024


def item_size(item: Item) -> int:
    """The bytes that limits and capacity are counted by: names and values."""
    return check_item(item)[1]


def attribute_size(name: str, value: AttributeValue) -> int:
    """The bytes of one attribute, its name included."""
    return text_size(name) + check_value(value)[1]
