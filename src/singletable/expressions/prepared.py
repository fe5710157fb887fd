"""Expressions made ready for requests that differ in their values alone.

What texts, names and the types of values decide is decided once; then expressions are a function of
the values. Three things look at what a value holds while they are read: the bounds of BETWEEN, the
name in attribute_type, the size of a value. Expressions with one of these are never made ready.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar, cast

from msgspec import Struct

from singletable.expressions.key_condition import KeyClause
from singletable.expressions.nodes import Between, Constant, HasType
from singletable.values import AttributeValue

T = TypeVar("T", bound=Struct)

# Python's own reader takes no more than some dozens of brackets within each other.
MAX_DEPTH = 50


class _Unprepared(Exception):
    """The expression must be read anew for each request."""


def prepare(
    read: T, values: Mapping[str, AttributeValue]
) -> Callable[[Mapping[str, AttributeValue]], T] | None:
    """What makes, of other values of the same types, what was read of these; None if nothing can.

    Each of the values is an object of its own, by which it is found again in what was read.
    """
    aliases = {id(value): alias for alias, value in values.items()}
    names: dict[str, object] = {}
    try:
        source = _source(read, aliases, names, 0)
    except _Unprepared:
        return None
    # The only input is what was read, of which the names are bound and the aliases are words.
    return cast("Callable[[Mapping[str, AttributeValue]], T]", eval(f"lambda v: {source}", names))


def _source(part: object, aliases: dict[int, str], names: dict[str, object], depth: int) -> str:
    """How Python writes the part; what has no value in it is named, not written."""
    if depth > MAX_DEPTH or _depends_on_content(part):
        raise _Unprepared
    if isinstance(part, dict):
        alias = aliases.get(id(part))  # pyright: ignore[reportUnknownArgumentType]
        if alias is None:
            raise _Unprepared
        return f"v[{alias!r}]"
    if isinstance(part, tuple):
        inner = [_source(each, aliases, names, depth + 1) for each in cast("tuple[object]", part)]
        written = f"({' '.join(f'{each},' for each in inner)})"
    elif isinstance(part, Struct):
        fields = [getattr(part, name) for name in part.__struct_fields__]
        inner = [_source(each, aliases, names, depth + 1) for each in fields]
        written = f"{_name(type(part), names)}({', '.join(inner)})"
    else:
        return _name(part, names)
    # A part without a value in it is the same for every request.
    return written if "v[" in written else _name(cast(object, part), names)


def _depends_on_content(part: object) -> bool:
    match part:
        case HasType() | Between(_, Constant(), Constant()) | KeyClause(_, "BETWEEN"):
            return True
        case _:
            return False


def _name(value: object, names: dict[str, object]) -> str:
    name = f"given_{len(names)}"
    names[name] = value
    return name
