"""Why a request is not of its operation's shape, in the words of AWS's reader.

Members are looked at in order and the first that is wrong is told. What AWS reads leniently (a
boolean written as a string, a number with a fraction where a whole one is due) is read so here.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import floor
from typing import Any, cast

from msgspec import Struct

from singletable.errors import SerializationError
from singletable.values import decode_binary
from singletable.wire.shapes import (
    ListOf,
    MapOf,
    Scalar,
    Shape,
    Structure,
    Value,
    members_of,
)

MODEL = "com.amazonaws.dynamodb.v20120810"
START = "Start of structure or map found where not expected"
NOT_A_CLASS = (
    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class "
    "java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and "
    "java.lang.Class are in module java.base of loader 'bootstrap')"
)
_TRUE, _FALSE = ("true", "1", "yes"), ("false", "0", "no")
_VALUE_MEMBERS: dict[str, Shape] = {
    "S": Scalar("String"),
    "B": Scalar("Blob"),
    "N": Scalar("String"),
    "BOOL": Scalar("Boolean"),
    "NULL": Scalar("Boolean"),
    "BS": ListOf(Scalar("Blob")),
    "NS": ListOf(Scalar("String")),
    "SS": ListOf(Scalar("String")),
    "L": ListOf(Value()),
    "M": MapOf(Value()),
}
_JAVA = {"String": "java.lang.String", "Blob": "java.nio.ByteBuffer"}


def read_structure(structure: type[Struct], raw: dict[str, Any]) -> Struct:
    """The structure that the JSON object holds; what is missing and required is None in it.

    A missing member is no matter of shape: whoever executes the operation says what AWS says.
    """
    read: dict[str, object] = {}
    for member in members_of(structure):
        value = raw.get(member.name)
        if value is not None:
            read[member.field] = _read(member.shape, value, in_structure=True)
        elif member.required:
            read[member.field] = None
    return structure(**read)


def _read(shape: Shape, raw: Any, *, in_structure: bool) -> object:
    match shape:
        case Scalar():
            return _scalar(shape, raw)
        case ListOf(member):
            return _list(member, raw)
        case MapOf(member):
            return _map(member, raw, in_structure=in_structure)
        case Value():
            return _value(_object("AttributeValue", raw, in_structure=in_structure))
        case Structure(kind):
            return read_structure(kind, _object(shape.name, raw, in_structure=in_structure))


def _object(name: str, raw: Any, *, in_structure: bool) -> dict[str, Any]:
    if isinstance(raw, dict):
        return cast("dict[str, Any]", raw)  # JSON has no other keys
    if isinstance(raw, list):
        raise SerializationError(f"Unrecognized collection type class {MODEL}.{name}")
    raise SerializationError(
        "Unexpected field type" if in_structure else "Unexpected value type in payload"
    )


def _value(raw: dict[str, Any]) -> dict[str, object]:
    read: dict[str, object] = {}
    for name, shape in _VALUE_MEMBERS.items():
        if raw.get(name) is not None:
            read[name] = _read(shape, raw[name], in_structure=True)
    return read


def _list(member: Shape, raw: Any) -> list[object]:
    if isinstance(raw, dict):
        raise SerializationError(START)
    if not isinstance(raw, list):
        raise SerializationError("Unexpected field type")
    members = cast("Iterable[Any]", raw)
    return [_read(member, one, in_structure=False) for one in members]


def _map(member: Shape, raw: Any, *, in_structure: bool) -> dict[str, object]:
    if isinstance(raw, list):
        raise SerializationError(
            f"Unrecognized collection type java.util.Map<java.lang.String, {_java(member)}>"
        )
    if not isinstance(raw, dict):
        raise SerializationError("Unexpected field type" if in_structure else NOT_A_CLASS)
    members = cast("dict[str, Any]", raw)
    return {
        key: _read(member, one, in_structure=False)
        for key, one in members.items()
        if one is not None
    }


def _java(shape: Shape) -> str:
    match shape:
        case Scalar(name):
            return _JAVA.get(name, f"java.lang.{name}")
        case ListOf(member):
            return f"java.util.List<{_java(member)}>"
        case MapOf(member):
            return f"java.util.Map<java.lang.String, {_java(member)}>"
        case Value():
            return f"{MODEL}.AttributeValue"
        case Structure():
            return f"{MODEL}.{shape.name}"


def _scalar(shape: Scalar, raw: Any) -> object:
    if isinstance(raw, dict):
        raise SerializationError(START)
    if isinstance(raw, list):
        raise SerializationError(f"Unrecognized collection type class {_java(shape)}")
    name = shape.name
    match name:
        case "String":
            return raw if isinstance(raw, str) else _cannot(raw, name)
        case "Long" | "Integer":
            if isinstance(raw, bool) or not isinstance(raw, int | float):
                return _cannot(raw, name)
            return floor(raw)
        case "Boolean":
            return _boolean(raw)
        case _:
            return _blob(raw)


def _boolean(raw: Any) -> object:
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, str):
        word = raw.lower()
        if word in _TRUE or word in _FALSE:
            return word in _TRUE
        raise SerializationError("Unexpected token received from parser")
    return _cannot(raw, "Boolean")


def _blob(raw: Any) -> str:
    if not isinstance(raw, str):
        raise SerializationError("only base-64-encoded strings are convertible to bytes")
    decode_binary(raw)
    return raw


def _cannot(raw: object, name: str) -> object:
    match raw:
        case bool():
            kind = "TRUE_VALUE" if raw else "FALSE_VALUE"
        case float():
            kind = "DECIMAL_VALUE"
        case int():
            kind = "NUMBER_VALUE"
        case _:
            kind = "STRING_VALUE"
    raise SerializationError(f"{kind} cannot be converted to {name}")
