"""Whether a value is one that DynamoDB takes; it comes back in canonical form, with its size.

Canonical are numbers without superfluous digits and sets in order: text and binary by their bytes,
numbers by value. DynamoDB gives both back so.
"""

from __future__ import annotations

from binascii import Error as BinasciiError
from binascii import a2b_base64
from collections.abc import Callable, Mapping
from typing import cast

from singletable.errors import SerializationError, ValidationError
from singletable.values.attribute import AttributeValue, Item
from singletable.values.layer import INVALID, MODERN, Layer
from singletable.values.number import (
    NotANumber,
    canonical_number,
    integer_size,
    is_short_integer,
    number_bytes,
    number_size,
    parse_number,
)

MAX_NESTING = 32
EMPTY_VALUE = (
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
)
SEVERAL_TYPES = (
    "Supplied AttributeValue has more than one datatypes set, "
    "must contain exactly one of the supported datatypes"
)
NULL_FALSE = INVALID + "Null attribute value types must have the value of true"
TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)
EMPTY_SETS = {
    "SS": INVALID + "An string set  may not be empty",
    "NS": INVALID + "An number set  may not be empty",
    "BS": INVALID + "Binary sets should not be empty",
}
# In this order DynamoDB looks at the types of a value that has several.
MODEL_ORDER = ("S", "B", "N", "BOOL", "NULL", "BS", "NS", "SS", "L", "M")


def text_size(text: str) -> int:
    """The length of the text in UTF-8."""
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        raise half_a_character(error) from None


def half_a_character(error: UnicodeEncodeError) -> ValidationError:
    """What is said of text that cannot be written; JSON cannot bring it, only Python can."""
    half = error.object[error.start : error.end]
    return ValidationError(
        f"{INVALID}Text must be valid Unicode, and {half!r} is half of a surrogate pair. "
        "Send the whole character."
    )


def name_size(name: object) -> int:
    """The length of an attribute's name in UTF-8; only Python can bring one that is no text."""
    if isinstance(name, str):
        return len(name) if name.isascii() else text_size(name)
    raise ValidationError(f"{INVALID}An attribute's name is text, not {_shown(name)}.")


def check_item(item: Item, layer: Layer = MODERN) -> tuple[Item, int]:
    """The item in canonical form and its size; ValidationError if it cannot be kept."""
    size = 0
    canonical = item
    for name, value in item.items():
        # Most values are plain text, and most names: for these no call is needed.
        shape: type = value.__class__
        text = value.get("S") if shape is dict and len(value) == 1 else None
        if isinstance(text, str) and text.isascii():
            size += len(text)
        else:
            kept, value_size = check_value(value, layer)
            size += value_size
            if kept is not value:
                if canonical is item:
                    canonical = item.copy()
                canonical[name] = kept
        size += len(name) if name.__class__ is str and name.isascii() else name_size(name)
    return canonical, size


def check_value(
    value: AttributeValue, layer: Layer = MODERN, depth: int = 1
) -> tuple[AttributeValue, int]:
    """The value in canonical form and its size; ValidationError if it cannot be kept."""
    try:
        ((kind, content),) = value.items()
    except (ValueError, AttributeError):
        raise _not_one_type(value, layer, depth) from None
    if isinstance(content, str):
        text = content
        if kind == "S":
            return value, len(text) if text.isascii() else text_size(text)
        if kind == "N":
            if is_short_integer(text):
                return value, integer_size(text)
            kept = _canonical(text, layer)
            return (value if kept == text else {"N": kept}), number_size(kept)
        if kind == "B":
            return value, len(binary_of(text))
    elif content.__class__ is bool:
        if kind == "BOOL":
            return value, 1
        if kind == "NULL":
            if not content:
                raise ValidationError(NULL_FALSE)
            return value, 1
    elif kind == "M":
        if isinstance(content, Mapping):
            return _check_map(value, cast(Item, content), layer, depth)
    elif content.__class__ is list:
        if kind == "L":
            return _check_list(value, cast("list[AttributeValue]", content), layer, depth)
        if kind in EMPTY_SETS:
            return _check_set(value, kind, cast("list[str]", content), layer)
    raise ValidationError(_misshapen(kind, content))


def _check_map(
    value: AttributeValue, content: Item, layer: Layer, depth: int
) -> tuple[AttributeValue, int]:
    if depth >= MAX_NESTING:
        raise ValidationError(TOO_DEEP)
    size = 3
    changed: Item = {}
    for name, member in content.items():
        kept, member_size = check_value(member, layer, depth + 1)
        size += name_size(name) + member_size + 1
        if kept is not member:
            changed[name] = kept
    return ({"M": {**content, **changed}} if changed else value), size


def _check_list(
    value: AttributeValue, content: list[AttributeValue], layer: Layer, depth: int
) -> tuple[AttributeValue, int]:
    if depth >= MAX_NESTING:
        raise ValidationError(TOO_DEEP)
    size = 3
    changed = False
    members: list[AttributeValue] = []
    for member in content:
        kept, member_size = check_value(member, layer, depth + 1)
        size += member_size + 1
        changed = changed or kept is not member
        members.append(kept)
    return ({"L": members} if changed else value), size


def _check_set(
    value: AttributeValue, kind: str, members: list[str], layer: Layer
) -> tuple[AttributeValue, int]:
    if not members:
        raise ValidationError(EMPTY_SETS[kind])
    for member in members:
        if member.__class__ is not str:
            raise ValidationError(_misshapen(kind, members))
    if kind == "NS":
        kept = [_canonical(member, layer) for member in members]
        size = sum(map(number_size, kept))
        order: Callable[[str], bytes] = _number_order
    elif kind == "SS":
        kept = members
        size = sum(map(text_size, members))
        order = str.encode
    else:
        kept = members
        size = sum(len(binary_of(member)) for member in members)
        order = a2b_base64
    if len(set(kept)) != len(kept):
        raise ValidationError(layer.duplicates(kind, members))
    kept = sorted(kept, key=order)
    # One cast for three types that differ in their name only.
    return (value if kept == members else cast(AttributeValue, {kind: kept})), size


def _canonical(text: str, layer: Layer) -> str:
    try:
        return canonical_number(text)
    except NotANumber as problem:
        raise ValidationError(layer.bad_number(text, problem)) from None


def binary_of(text: str) -> bytes:
    """The bytes that base64 text stands for. Other text is no binary: a matter of shape at AWS."""
    if len(text) % 4:
        raise SerializationError(
            f"Base64 encoded length is expected a multiple of 4 bytes but found: {len(text)}"
        )
    try:
        return a2b_base64(text, strict_mode=True)
    except (BinasciiError, ValueError):
        raise SerializationError("Invalid last non-pad Base64 character dectected") from None


def _number_order(member: str) -> bytes:
    return number_bytes(parse_number(member))


def _not_one_type(value: object, layer: Layer, depth: int) -> ValidationError:
    if not isinstance(value, Mapping):
        return ValidationError(
            f'{INVALID}An attribute value is a mapping such as {{"S": "text"}}, not '
            f"{_shown(value)}."
        )
    # What is wrong with one of the types is said before that there are several.
    for kind in MODEL_ORDER:
        if kind in value:
            check_value(cast(AttributeValue, {kind: value[kind]}), layer, depth)
    return ValidationError(SEVERAL_TYPES if value else EMPTY_VALUE)


def _misshapen(kind: str, content: object) -> str:
    shapes = {
        "S": "text",
        "N": "a number as text",
        "B": "base64 text",
        "BOOL": "true or false",
        "NULL": "true",
        "M": "a mapping of values",
        "L": "a list of values",
        "SS": "a list of texts",
        "NS": "a list of numbers as text",
        "BS": "a list of base64 texts",
    }
    if kind not in shapes:
        return EMPTY_VALUE
    return f"{INVALID}A value of type {kind} holds {shapes[kind]}, not {_shown(content)}."


def _shown(value: object) -> str:
    """The beginning of what Python prints for the value; some things it cannot print."""
    try:
        return f"{value!r:.60}"
    except (ValueError, RecursionError):
        return f"a value of Python's type {type(value).__name__}"
