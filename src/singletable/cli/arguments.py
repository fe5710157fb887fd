"""Values of access patterns as they are typed: each is read by the type of its parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin
from uuid import UUID

from singletable.errors import InvalidValue
from singletable.patterns import ReadPattern
from singletable.patterns.pattern import Parameter


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("no time zone")
    return moment


def _truth(text: str) -> bool:
    return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[
        text.lower()
    ]


_READ: dict[object, tuple[str, Callable[[str], object]]] = {
    str: ("a text", str),
    int: ("a whole number", int),
    float: ("a number", float),
    Decimal: ("a number", Decimal),
    datetime: ("a moment with its time zone, such as 2026-01-31T12:00:00Z", _moment),
    date: ("a day, such as 2026-01-31", date.fromisoformat),
    time: ("a time, such as 12:00:00Z", time.fromisoformat),
    bool: ("true or false", _truth),
    UUID: ("a UUID", UUID),
    bytes: ("a text, for its bytes", str.encode),
}


def read_arguments(pattern: ReadPattern[Any, Any], given: Sequence[str]) -> list[object]:
    """The values to call a pattern with."""
    wanted = pattern.parameters
    if len(given) != len(wanted):
        listed = ", ".join(f"{one.name} ({_expected(one.type)})" for one in wanted) or "no values"
        came = ", ".join(map(repr, given)) or "none"
        raise InvalidValue(
            f"{pattern.code} ({pattern.description}) expects {len(wanted)} "
            f"value{'' if len(wanted) == 1 else 's'}: {listed}; but got {len(given)}: {came}."
        )
    return [_read(one, text) for one, text in zip(wanted, given, strict=True)]


def _read(parameter: Parameter, text: str) -> object:
    try:
        return _value(parameter.type, text)
    except (ValueError, KeyError, InvalidOperation):
        expected = _expected(parameter.type)
        raise InvalidValue(f"{parameter.name}: expected {expected}, but got {text!r}.") from None


def _value(kind: Any, text: str) -> object:
    kind, optional = _core(kind)
    if optional and text == "None":
        return None
    if kind in _READ:
        return _READ[kind][1](text)
    for choice in _choices(kind):
        if text in (str(choice), *_written(choice)):
            return choice
    raise ValueError(text)


def _expected(kind: Any) -> str:
    kind, optional = _core(kind)
    if kind in _READ:
        said = _READ[kind][0]
    elif choices := _choices(kind):
        said = f"one of {', '.join(_written(choice)[0] for choice in choices)}"
    else:
        said = f"a {getattr(kind, '__name__', kind)}, which cannot be typed"
    return f"{said}, or None" if optional else said


def _core(kind: Any) -> tuple[Any, bool]:
    """The type itself, and whether None will do as well."""
    if isinstance(kind, NewType):
        return _core(kind.__supertype__)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _core(inner[0])
    if origin in (Union, UnionType) and NoneType in inner:
        rest = [one for one in inner if one is not NoneType]
        return (_core(rest[0])[0] if len(rest) == 1 else kind), True
    return kind, False


def _choices(kind: Any) -> Sequence[object]:
    if get_origin(kind) is Literal:
        return get_args(kind)
    return list(kind) if isinstance(kind, type) and issubclass(kind, Enum) else ()


def _written(choice: object) -> tuple[str, ...]:
    """How a choice may be typed: a member by its name or its value."""
    return (choice.name, str(choice.value)) if isinstance(choice, Enum) else (str(choice),)
