"""What an attribute may hold: its types, its order, its size, its limits."""

from singletable.values.attribute import (
    AttributeType,
    AttributeValue,
    Item,
    KeyType,
    content_of,
    type_of,
)
from singletable.values.check import (
    SEVERAL_TYPES,
    TOO_DEEP,
    binary_of,
    check_item,
    check_value,
    half_a_character,
    text_size,
)
from singletable.values.json import item_from_json, item_to_json, plain
from singletable.values.layer import INVALID, MODERN, OLDER, Layer
from singletable.values.number import (
    NotANumber,
    Number,
    add_numbers,
    canonical_number,
    number_bytes,
    number_size,
    number_text,
    parse_number,
    subtract_numbers,
)
from singletable.values.order import after_prefix, escaped, key_bytes, part
from singletable.values.size import MAX_ITEM_SIZE, attribute_size, item_size

__all__ = [
    "INVALID",
    "MAX_ITEM_SIZE",
    "MODERN",
    "OLDER",
    "SEVERAL_TYPES",
    "TOO_DEEP",
    "AttributeType",
    "AttributeValue",
    "Item",
    "KeyType",
    "Layer",
    "NotANumber",
    "Number",
    "add_numbers",
    "after_prefix",
    "attribute_size",
    "binary_of",
    "canonical_number",
    "check_item",
    "check_value",
    "content_of",
    "escaped",
    "half_a_character",
    "item_from_json",
    "item_size",
    "item_to_json",
    "key_bytes",
    "number_bytes",
    "number_size",
    "number_text",
    "parse_number",
    "part",
    "plain",
    "subtract_numbers",
    "text_size",
    "type_of",
]
