"""Prepare expressions for requests that differ only in their values, like prepared statements.

The texts, the names and the types of the values are checked once; then the expressions are a
function of the values. Three checks depend on the content of a value: the bounds of BETWEEN, the
name in attribute_type, and the size of a value. Expressions with one of these are not prepared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar, cast

from msgspec import Struct

from dynamodb_engine.expressions.nodes import Between, Constant, HasType, KeyClause
from dynamodb_engine.values import AttributeValue

__all__ = ["SAMPLES", "prepare"]

T = TypeVar("T", bound=Struct)

# A value of each type, to prepare expressions that other values will be filled into.
SAMPLES: dict[str, AttributeValue] = {
    "S": {"S": "any"},
    "N": {"N": "1"},
    "B": {"B": "YW55"},
    "SS": {"SS": ["any"]},
    "NS": {"NS": ["1"]},
    "BS": {"BS": ["YW55"]},
    "M": {"M": {}},
    "L": {"L": []},
    "NULL": {"NULL": True},
    "BOOL": {"BOOL": True},
}
# Python's parser limits how deep brackets may be nested.
MAX_DEPTH = 50


class _Unprepared(Exception):
    """The expression has to be parsed for each request."""


def prepare(
    parsed: T, values: Mapping[str, AttributeValue], *, literals: bool = False
) -> Callable[[Mapping[str, AttributeValue]], T] | None:
    """Return a function that builds `parsed` with other values of the same types, or None.

    Values are recognized in `parsed` by identity, so each must be an object of its own. With
    `literals`, all other values are the same for every request.
    """
    aliases = {id(value): alias for alias, value in values.items()}
    names: dict[str, object] = {}
    try:
        source = _source(parsed, aliases, names, 0, literals)
    except _Unprepared:
        return None
    # Safe to eval: names are bound to objects, and aliases consist of word characters.
    return cast("Callable[[Mapping[str, AttributeValue]], T]", eval(f"lambda v: {source}", names))


def _source(
    part: object, aliases: dict[int, str], names: dict[str, object], depth: int, literals: bool
) -> str:
    """Return Python source for the part; parts without a value are bound to a name."""
    if depth > MAX_DEPTH or _depends_on_content(part):
        raise _Unprepared
    if isinstance(part, dict):
        alias = aliases.get(id(part))  # pyright: ignore[reportUnknownArgumentType]
        if alias is None:
            if not literals:
                raise _Unprepared
            return _bind(cast(object, part), names)
        return f"v[{alias!r}]"
    if isinstance(part, tuple):
        inner = [
            _source(each, aliases, names, depth + 1, literals)
            for each in cast("tuple[object]", part)
        ]
        source = f"({' '.join(f'{each},' for each in inner)})"
    elif isinstance(part, Struct):
        fields = [getattr(part, name) for name in part.__struct_fields__]
        inner = [_source(each, aliases, names, depth + 1, literals) for each in fields]
        source = f"{_bind(type(part), names)}({', '.join(inner)})"
    else:
        return _bind(part, names)
    # A part without a value in it is the same for every request.
    return source if "v[" in source else _bind(cast(object, part), names)


def _depends_on_content(part: object) -> bool:
    match part:
        case HasType() | Between(_, Constant(), Constant()) | KeyClause(_, "BETWEEN"):
            return True
        case _:
            return False


def _bind(value: object, names: dict[str, object]) -> str:
    name = f"part_{len(names)}"
    names[name] = value
    return name
