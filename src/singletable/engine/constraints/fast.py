"""Compile a shape to one Python expression, so that a valid operation is seen to be so at once.

The expression is true only of valid values, but not of all: a subclass of `str`, say, fails it,
and so may raise. Whoever is not certain must walk.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TypeAlias, assert_never, cast

from singletable.engine.constraints.names import has_name_characters, names_a_table
from singletable.engine.constraints.shape import (
    MOST_INTEGER,
    Attributes,
    Choice,
    Custom,
    Flag,
    List,
    Map,
    Member,
    Number,
    Shape,
    Struct,
    TableMap,
    TableName,
    Text,
)

Test: TypeAlias = Callable[[object], bool]


def compile_test(shape: Shape) -> Test:
    """A function that is true only of valid values; it may raise TypeError or AttributeError."""
    names: dict[str, object] = {"join": "".join}
    source = f"lambda v: {_source(shape, 'v', names)}"
    # The only input is the shape, which is ours.
    return cast("Test", eval(source, names))


# A program has few tables and indexes, and names them all day.
_spelt = lru_cache(maxsize=1024)(has_name_characters)
_tables = {least: lru_cache(maxsize=1024)(partial(names_a_table, least=least)) for least in (1, 3)}


def _source(shape: Shape, v: str, names: dict[str, object]) -> str:
    match shape:
        case Text():
            spelt = f" and {_name(_spelt, names)}({v})" if shape.pattern else ""
            return f"{v}.__class__ is str{_size(shape.least, shape.most, v)}{spelt}"
        case TableName():
            return f"{_name(_tables[shape.least], names)}({v})"
        case Choice() | Custom():
            return f"{v} in {_name(frozenset(shape.words), names)}"
        case Number():
            most = MOST_INTEGER if shape.most is None else shape.most
            return f"{v}.__class__ is int and {shape.least} <= {v} <= {most}"
        case Flag():
            return f"{v}.__class__ is bool"
        case Attributes():
            return f"{v}.__class__ is dict"
        case List():
            size = _size(shape.least, shape.most, v)
            return f"{v}.__class__ is list{size} and {_each(shape.of, v, names)}"
        case Map():
            known = f"{v}.__class__ is dict{_size(shape.least, shape.most, v)}"
            if shape.of == Text():
                return f"{known} and {_are_texts(f'[*{v}, *{v}.values()]')}"
            return f"{known} and {_are_texts(v)} and {_each(shape.of, f'{v}.values()', names)}"
        case TableMap():
            return f"{v}.__class__ is dict and {_table_map(shape, v, names)}"
        case Struct():
            members = [_member(member, v, names) for member in shape.members]
            if shape.empty:
                fields = (f"{v}.{member.field} is not None" for member in shape.members)
                members.append(f"({' or '.join(fields)})")
            own = f"{v}.__class__ is {_name(shape.type, names)}"
            return " and ".join([own, *members])
        case _:
            assert_never(shape)


def _table_map(shape: TableMap, v: str, names: dict[str, object]) -> str:
    parts = [f"1 <= len({v}) <= {shape.most}", f"all(map({_name(_tables[3], names)}, {v}))"]
    if shape.requests:
        least, most = shape.requests
        parts.append(f"all({least} <= len(each) <= {most} for each in {v}.values())")
    return " and ".join([*parts, _each(shape.of, f"{v}.values()", names)])


def _member(member: Member, v: str, names: dict[str, object]) -> str:
    field = f"{v}.{member.field}"
    if member.required:
        return _source(member.shape, field, names)
    if isinstance(member.shape, Choice | Custom):
        return f"{field} in {_name(frozenset({None, *member.shape.words}), names)}"
    return f"({field} is None or {_source(member.shape, field, names)})"


def _each(shape: Shape, values: str, names: dict[str, object]) -> str:
    if shape == Text():
        return _are_texts(values)
    return f"all(map({_name(compile_test(shape), names)}, {values}))"


def _are_texts(values: str) -> str:
    # Joining raises TypeError if one of them is not a string.
    return f"join({values}) is not None"


def _size(least: int, most: int | None, v: str) -> str:
    if most is not None:
        return f" and {least} <= len({v}) <= {most}"
    return f" and {least} <= len({v})" if least else ""


def _name(value: object, names: dict[str, object]) -> str:
    name = f"given_{len(names)}"
    names[name] = value
    return name
