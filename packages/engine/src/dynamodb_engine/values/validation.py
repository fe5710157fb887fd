"""Validate values as DynamoDB does; return them in canonical form with their size.

In canonical form, numbers have no redundant digits and sets are sorted: text and binary by their
bytes, numbers by value. DynamoDB returns both this way.

DynamoDB validates values in two layers of different age, which word some errors differently. The
engine knows which layer an operation uses; `ValidationLayer` knows what each layer says.
"""

from __future__ import annotations

import re
from binascii import Error as BinasciiError
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import inf
from typing import cast

from dynamodb_engine.errors import SerializationError, ValidationError
from dynamodb_engine.values.attributes import AttributeValue, Item
from dynamodb_engine.values.numbers import (
    NOT_NUMERIC,
    OVERFLOW,
    UNDERFLOW,
    InvalidNumber,
    canonical_number,
    integer_size,
    is_short_integer,
    number_size,
)

__all__ = [
    "INVALID",
    "LEGACY",
    "MAX_ITEM_SIZE",
    "MODERN",
    "MULTIPLE_TYPES",
    "TOO_DEEP",
    "ValidationLayer",
    "ValueTooLarge",
    "attribute_size",
    "check_item",
    "check_value",
    "decode_binary",
    "item_size",
    "lone_surrogate_error",
    "text_size",
]

MAX_ITEM_SIZE = 400 * 1024
INVALID = "One or more parameter values were invalid: "
MAX_NESTING = 32
MAX_NAME_SIZE = 65_535
NAME_TOO_LARGE = "Attribute name is too large, must be less than 65536 bytes"
EMPTY_VALUE = (
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
)
MULTIPLE_TYPES = (
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
NULL_IN_SET = INVALID + "An string set may not have a null string as a member"
# The order in which DynamoDB checks the types of a value that has several.
MODEL_ORDER = ("S", "B", "N", "BOOL", "NULL", "BS", "NS", "SS", "L", "M")
_HUGE_EXPONENT = re.compile(r"[^eE]*[eE]([+-]?)0*2147483647", re.ASCII)


@dataclass(frozen=True, slots=True)
class ValidationLayer:
    """One of DynamoDB's two validation layers, with the wording of its errors.

    Validation stops with ValueTooLarge as soon as a value exceeds `max_size`.
    """

    modern: bool
    max_size: float = inf
    limits_exponents: bool = False  # to 32 bits, as in the parameters of statements

    def bad_number(self, text: str, problem: InvalidNumber) -> str:
        """Return the error for text that is not a number."""
        if self.modern:
            return str(problem)
        if not text:
            return NOT_NUMERIC
        # The legacy layer negates the exponent in 32 bits, which wraps for this one value.
        if str(problem) == OVERFLOW and _HUGE_EXPONENT.fullmatch(text):
            return UNDERFLOW
        if self.limits_exponents and str(problem) in (OVERFLOW, UNDERFLOW):
            _, _, exponent = text.lower().partition("e")
            if not -(2**31) < int(exponent[:12] or "0") < 2**31:
                return f"{NOT_NUMERIC}: {text}"
        return str(problem)

    def duplicates(self, kind: str, members: list[str]) -> str:
        """Return the error for a set that contains a member twice."""
        if kind == "NS":
            text = "Input collection contains duplicates"
            return f"{INVALID}{text}." if self.modern else text
        listed = f"[{', '.join(members)}]"
        if self.modern:
            first = _first_duplicate(members)
            known = sorted(members[:first], key=a2b_base64 if kind == "BS" else str.encode)
            quoted = [f'"{member}"' for member in [*known, *members[first:]]]
            listed = f"[{(',' if kind == 'BS' else ', ').join(quoted)}]"
        of_type = "of type BS" if kind == "BS" else ""
        return f"{INVALID}Input collection {listed}{of_type} contains duplicates."


def _first_duplicate(members: list[str]) -> int:
    """Return the index of the first member that occurred before."""
    seen: set[str] = set()
    for index, member in enumerate(members):
        if member in seen:
            return index
        seen.add(member)
    return len(members)


MODERN = ValidationLayer(modern=True)
LEGACY = ValidationLayer(modern=False)


class ValueTooLarge(ValidationError):
    """A value exceeds the maximum size of an item."""

    def __init__(self) -> None:
        super().__init__("Item size has exceeded the maximum allowed size")


def item_size(item: Item) -> int:
    """Return the size that limits and capacity count: the bytes of names and values."""
    return check_item(item)[1]


def attribute_size(name: str, value: AttributeValue) -> int:
    """Return the size of one attribute in bytes, including its name."""
    return text_size(name) + check_value(value)[1]


def text_size(text: str) -> int:
    """Return the length of the text in UTF-8."""
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        raise lone_surrogate_error(error) from None


def lone_surrogate_error(error: UnicodeEncodeError) -> ValidationError:
    """Return the error for text that is not valid Unicode, which only Python callers can send."""
    half = error.object[error.start : error.end]
    return ValidationError(
        f"{INVALID}Text must be valid Unicode, but contains {half!r}, half of a surrogate pair. "
        "Send the whole character."
    )


def name_size(name: object) -> int:
    """Return the length of an attribute name in UTF-8; Python callers may send other types."""
    if isinstance(name, str):
        return len(name) if name.isascii() else text_size(name)
    raise ValidationError(f"{INVALID}Attribute names are strings, not {_shorten(name)}.")


def check_item(item: Item, layer: ValidationLayer = MODERN) -> tuple[Item, int]:
    """Return the item in canonical form and its size. Raise ValidationError if it is invalid."""
    size = 0
    canonical = item
    limit = layer.max_size
    if len(item) > limit:  # each takes at least one byte
        raise ValueTooLarge
    for name, value in item.items():
        # Most values and names are ASCII text: avoid a call for these.
        shape: type = value.__class__
        text = value.get("S") if shape is dict and len(value) == 1 else None
        if isinstance(text, str) and text.isascii():
            size += len(text)
        else:
            kept, value_size = check_value(value, layer)
            size += value_size
            if size > limit:
                raise ValueTooLarge
            if kept is not value:
                if canonical is item:
                    canonical = item.copy()
                canonical[name] = kept
        size += len(name) if name.__class__ is str and name.isascii() else name_size(name)
    if size > MAX_NAME_SIZE:
        _check_names(item)
    return canonical, size


def _check_names(names: Iterable[str]) -> None:
    """Raise if an attribute name is too long; only large items and maps can have one."""
    if max(map(text_size, names), default=0) > MAX_NAME_SIZE:
        raise ValidationError(NAME_TOO_LARGE)


def check_value(
    value: AttributeValue, layer: ValidationLayer = MODERN, depth: int = 1
) -> tuple[AttributeValue, int]:
    """Return the value in canonical form and its size. Raise ValidationError if it is invalid."""
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
            return value, len(decode_binary(text))
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
    raise ValidationError(_wrong_content(kind, content))


def _check_map(
    value: AttributeValue, content: Item, layer: ValidationLayer, depth: int
) -> tuple[AttributeValue, int]:
    if depth >= MAX_NESTING:
        raise ValidationError(TOO_DEEP)
    size = 3
    limit = layer.max_size
    changed: Item = {}
    for name, member in content.items():
        kept, member_size = check_value(member, layer, depth + 1)
        size += name_size(name) + member_size + 1
        if size > limit:
            raise ValueTooLarge
        if kept is not member:
            changed[name] = kept
    if size > MAX_NAME_SIZE:
        _check_names(content)
    return ({"M": {**content, **changed}} if changed else value), size


def _check_list(
    value: AttributeValue, content: list[AttributeValue], layer: ValidationLayer, depth: int
) -> tuple[AttributeValue, int]:
    if depth >= MAX_NESTING:
        raise ValidationError(TOO_DEEP)
    size = 3
    limit = layer.max_size
    changed = False
    members: list[AttributeValue] = []
    for member in content:
        kept, member_size = check_value(member, layer, depth + 1)
        size += member_size + 1
        if size > limit:
            raise ValueTooLarge
        changed = changed or kept is not member
        members.append(kept)
    return ({"L": members} if changed else value), size


def _check_set(
    value: AttributeValue, kind: str, members: list[str], layer: ValidationLayer
) -> tuple[AttributeValue, int]:
    if not members:
        raise ValidationError(EMPTY_SETS[kind])
    # A number takes at least two bytes; only one string or binary in a set can take none.
    if len(members) * (2 if kind == "NS" else 1) > layer.max_size + 1:
        raise ValueTooLarge
    for member in members:
        if member.__class__ is not str:
            raise ValidationError(NULL_IN_SET if member is None else _wrong_content(kind, members))
    order: Callable[[str], bytes | int | Decimal]
    if kind == "NS" and all(map(is_short_integer, members)):
        kept = members
        size = sum(map(integer_size, kept))
        order = int
    elif kind == "NS":
        kept = [_canonical(member, layer) for member in members]
        size = sum(map(number_size, kept))
        order = Decimal
    elif kind == "SS":
        kept = members
        size = sum(map(text_size, members))
        order = str.encode
    else:
        kept = members
        size = sum(len(decode_binary(member)) for member in members)
        order = a2b_base64
    if len(set(kept)) != len(kept):
        raise ValidationError(layer.duplicates(kind, members))
    kept = sorted(kept, key=order)
    # The three set types differ only in their name.
    return (value if kept == members else cast(AttributeValue, {kind: kept})), size


def _canonical(text: str, layer: ValidationLayer) -> str:
    try:
        return canonical_number(text)
    except InvalidNumber as problem:
        raise ValidationError(layer.bad_number(text, problem)) from None


def decode_binary(text: str) -> bytes:
    """Decode base64. Invalid base64 is a SerializationError, as on AWS."""
    if len(text) % 4:
        raise SerializationError(
            f"Base64 encoded length is expected a multiple of 4 bytes but found: {len(text)}"
        )
    try:
        data = a2b_base64(text, strict_mode=True)
        # Python ignores unused bits in the last character, but every value must have one text.
        if text[-1:] != "=" or (
            text[-3] in "AQgw" if text[-2] == "=" else text[-2] in "AEIMQUYcgkosw048"
        ):
            return data
    except (BinasciiError, ValueError):
        pass
    raise SerializationError("Invalid last non-pad Base64 character dectected")


def _not_one_type(value: object, layer: ValidationLayer, depth: int) -> ValidationError:
    if not isinstance(value, Mapping):
        return ValidationError(
            f'{INVALID}Expected an attribute value such as {{"S": "text"}}, but got '
            f"{_shorten(value)}."
        )
    # An error in one of the types takes precedence over the error that there are several.
    for kind in MODEL_ORDER:
        if kind in value:
            check_value(cast(AttributeValue, {kind: value[kind]}), layer, depth)
    return ValidationError(MULTIPLE_TYPES if value else EMPTY_VALUE)


def _wrong_content(kind: str, content: object) -> str:
    shapes = {
        "S": "a string",
        "N": "a number as a string",
        "B": "base64 text",
        "BOOL": "true or false",
        "NULL": "true",
        "M": "a mapping of values",
        "L": "a list of values",
        "SS": "a list of strings",
        "NS": "a list of numbers as strings",
        "BS": "a list of base64 texts",
    }
    if kind not in shapes:
        return EMPTY_VALUE
    return f"{INVALID}Expected {shapes[kind]} for type {kind}, but got {_shorten(content)}."


def _shorten(value: object) -> str:
    """Return the start of the value's repr, or its type if repr() fails."""
    try:
        return f"{value!r:.60}"
    except (ValueError, RecursionError):
        return f"a value of Python type {type(value).__name__}"
