"""Read a request as leniently as AWS does, and report wrong types in AWS's words.

Members are read in the order of their declaration, and the first that does not fit is reported. AWS
accepts a boolean as a string and a number with a fraction where an integer is expected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import floor
from types import UnionType
from typing import Any, Literal, TypeAlias, Union, cast, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from dynamodb_engine.errors import SerializationError
from dynamodb_engine.values import MAX_ITEM_SIZE, AttributeValue, decode_binary
from dynamodb_engine.values.validation import EMPTY_SETS

MODEL = "com.amazonaws.dynamodb.v20120810"
UNEXPECTED_START = "Start of structure or map found where not expected"
NOT_A_CLASS = (
    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class "
    "java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and "
    "java.lang.Class are in module java.base of loader 'bootstrap')"
)
# The longest list of structures that is read; no operation allows nearly as many.
MAX_STRUCTURES = 1000
_TRUE, _FALSE = ("true", "1", "yes"), ("false", "0", "no")
_JAVA_NAMES = {"String": "java.lang.String", "Blob": "java.nio.ByteBuffer"}


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string, number, boolean or binary, by AWS's name of its type."""

    name: Literal["String", "Long", "Integer", "Timestamp", "Boolean", "Blob"]


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of one type."""

    element: WireType


@dataclass(frozen=True, slots=True)
class MapOf:
    """A map from strings to one type."""

    element: WireType


@dataclass(frozen=True, slots=True)
class ValueType:
    """An attribute value."""


@dataclass(frozen=True, slots=True)
class StructOf:
    """A structure with named members."""

    type: type[Struct]

    @property
    def name(self) -> str:
        """AWS's name of the structure."""
        return self.type.__name__


WireType: TypeAlias = Scalar | ListOf | MapOf | ValueType | StructOf

_VALUE_MEMBERS: dict[str, WireType] = {
    "S": Scalar("String"),
    "B": Scalar("Blob"),
    "N": Scalar("String"),
    "BOOL": Scalar("Boolean"),
    "NULL": Scalar("Boolean"),
    "BS": ListOf(Scalar("Blob")),
    "NS": ListOf(Scalar("String")),
    "SS": ListOf(Scalar("String")),
    "L": ListOf(ValueType()),
    "M": MapOf(ValueType()),
}


@dataclass(frozen=True, slots=True)
class WireMember:
    """A member of a structure: our field, its name on the wire, and its type."""

    field: str
    name: str
    type: WireType
    required: bool


# Integers are Long on AWS, except for these.
_INTEGERS = ("Limit", "Segment", "TotalSegments", "RecoveryPeriodInDays")


@cache
def members_of(structure: type[Struct]) -> tuple[WireMember, ...]:
    """Return the members of a structure, in the order of their declaration."""
    hints = get_type_hints(structure)
    return tuple(
        WireMember(
            field.name,
            field.encode_name,
            Scalar("Integer") if field.encode_name in _INTEGERS else _wire_type(hints[field.name]),
            required=field.default is NODEFAULT and field.default_factory is NODEFAULT,
        )
        for field in fields(structure)
    )


def _wire_type(hint: Any) -> WireType:
    """Return the wire type of a type annotation."""
    if get_origin(hint) in (Union, UnionType):
        hint = next(option for option in get_args(hint) if option is not type(None))
    if hint is AttributeValue:
        return ValueType()
    origin = get_origin(hint)
    if origin is list:
        return ListOf(_wire_type(get_args(hint)[0]))
    if origin is dict:
        return MapOf(_wire_type(get_args(hint)[1]))
    if origin is Literal or hint is str:
        return Scalar("String")
    if hint is bool:
        return Scalar("Boolean")
    if hint in (int, float):
        return Scalar("Long" if hint is int else "Timestamp")
    return StructOf(hint)


def read_structure(structure: type[Struct], raw: dict[str, Any]) -> Struct:
    """Return the structure that a JSON object holds; raise SerializationError if it does not fit.

    A missing required member becomes None: the driver rejects it with AWS's message.
    """
    values: dict[str, object] = {}
    for member in members_of(structure):
        value = raw.get(member.name)
        if value is not None:
            values[member.field] = _read(member.type, value, in_structure=True)
        elif member.required:
            values[member.field] = None
    return structure(**values)


def _read(wire_type: WireType, raw: Any, *, in_structure: bool) -> object:
    match wire_type:
        case Scalar():
            return _read_scalar(wire_type, raw)
        case ListOf(element):
            return _read_list(element, raw)
        case MapOf(element):
            return _read_map(element, raw, in_structure=in_structure)
        case ValueType():
            return _read_value(_expect_object("AttributeValue", raw, in_structure=in_structure))
        case StructOf(kind):
            content = _expect_object(wire_type.name, raw, in_structure=in_structure)
            return read_structure(kind, content)


def _expect_object(name: str, raw: Any, *, in_structure: bool) -> dict[str, Any]:
    if isinstance(raw, dict):
        return cast("dict[str, Any]", raw)  # JSON has no other keys
    if isinstance(raw, list):
        raise SerializationError(f"Unrecognized collection type class {MODEL}.{name}")
    raise SerializationError(
        "Unexpected field type" if in_structure else "Unexpected value type in payload"
    )


def _read_value(raw: dict[str, Any]) -> dict[str, object]:
    value: dict[str, object] = {}
    for name, wire_type in _VALUE_MEMBERS.items():
        content = raw.get(name)
        if name in EMPTY_SETS and isinstance(content, list) and None in content:
            value[name] = [None]
        elif content is not None:
            value[name] = _read(wire_type, content, in_structure=True)
    return value


def _read_list(element: WireType, raw: Any) -> list[object]:
    if isinstance(raw, dict):
        raise SerializationError(UNEXPECTED_START)
    if not isinstance(raw, list):
        raise SerializationError("Unexpected field type")
    values = cast("Sequence[Any]", raw)
    if len(values) > (MAX_STRUCTURES if isinstance(element, StructOf) else MAX_ITEM_SIZE):
        raise SerializationError("")
    return [_read(element, value, in_structure=False) for value in values]


def _read_map(element: WireType, raw: Any, *, in_structure: bool) -> dict[str, object]:
    if isinstance(raw, list):
        raise SerializationError(
            f"Unrecognized collection type java.util.Map<java.lang.String, {_java_name(element)}>"
        )
    if not isinstance(raw, dict):
        raise SerializationError("Unexpected field type" if in_structure else NOT_A_CLASS)
    entries = cast("dict[str, Any]", raw)
    return {
        key: _read(element, value, in_structure=False)
        for key, value in entries.items()
        if value is not None
    }


def _java_name(wire_type: WireType) -> str:
    match wire_type:
        case Scalar(name):
            return _JAVA_NAMES.get(name, f"java.lang.{name}")
        case ListOf(element):
            return f"java.util.List<{_java_name(element)}>"
        case MapOf(element):
            return f"java.util.Map<java.lang.String, {_java_name(element)}>"
        case ValueType():
            return f"{MODEL}.AttributeValue"
        case StructOf():
            return f"{MODEL}.{wire_type.name}"


def _read_scalar(wire_type: Scalar, raw: Any) -> object:
    if isinstance(raw, dict):
        raise SerializationError(UNEXPECTED_START)
    if isinstance(raw, list):
        raise SerializationError(f"Unrecognized collection type class {_java_name(wire_type)}")
    name = wire_type.name
    match name:
        case "String":
            if not isinstance(raw, str):
                raise _cannot_convert(raw, name)
            return raw
        case "Long" | "Integer" | "Timestamp":
            if isinstance(raw, bool) or not isinstance(raw, int | float):
                raise _cannot_convert(raw, name)
            return raw if name == "Timestamp" else floor(raw)
        case "Boolean":
            return _read_boolean(raw)
        case _:
            return _read_blob(raw)


def _read_boolean(raw: Any) -> bool:
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, str):
        word = raw.lower()
        if word in _TRUE or word in _FALSE:
            return word in _TRUE
        raise SerializationError("Unexpected token received from parser")
    raise _cannot_convert(raw, "Boolean")


def _read_blob(raw: Any) -> str:
    if not isinstance(raw, str):
        raise SerializationError("only base-64-encoded strings are convertible to bytes")
    decode_binary(raw)
    return raw


def _cannot_convert(raw: object, name: str) -> SerializationError:
    kinds = {bool: str(raw is True).upper(), float: "DECIMAL", int: "NUMBER"}
    kind = kinds.get(raw.__class__, "STRING")
    return SerializationError(f"{kind}_VALUE cannot be converted to {name}")
