"""Compile constraints to one Python expression, so that valid requests are accepted fast.

The expression is true only for valid values, but not for all of them: for a subclass of `str`, say,
it is false, and it may raise. Then `violations` decides.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TypeAlias, assert_never, cast

from dynamodb_engine.engine.constraints.types import (
    MAX_INTEGER,
    Choice,
    Constraint,
    CustomChoice,
    Integer,
    List,
    Map,
    Member,
    Plain,
    Structure,
    TableMap,
    TableName,
    Text,
    is_table_name,
)
from dynamodb_engine.operations.arn import is_name

Test: TypeAlias = Callable[[object], bool]

MAX_ARN_LENGTH = 1024
# A program has few tables and indexes, and names them again and again.
_is_name = lru_cache(maxsize=1024)(is_name)
_is_table_name = {
    minimum: lru_cache(maxsize=1024)(partial(is_table_name, minimum=minimum)) for minimum in (1, 3)
}


def compile_test(constraint: Constraint) -> Test:
    """Return a test that is true only for valid values; it may raise Type- or AttributeError."""
    scope: dict[str, object] = {"join": "".join}
    source = f"lambda v: {_source(constraint, 'v', scope)}"
    # The only input is the constraints, which are ours.
    return cast("Test", eval(source, scope))


def _source(constraint: Constraint, v: str, scope: dict[str, object]) -> str:
    """Return the expression that tests `v`, and add the values it uses to `scope`."""
    match constraint:
        case Text():
            pattern = f" and {_bind(_is_name, scope)}({v})" if constraint.pattern else ""
            size = _size(constraint.minimum, constraint.maximum, v)
            return f"{v}.__class__ is str{size}{pattern}"
        case TableName():
            # Check the length first, so that no long text gets into the cache.
            is_table_name = _bind(_is_table_name[constraint.minimum], scope)
            return f"len({v}) <= {MAX_ARN_LENGTH} and {is_table_name}({v})"
        case Choice() | CustomChoice():
            return f"{v} in {_bind(frozenset(constraint.words), scope)}"
        case Integer():
            maximum = MAX_INTEGER if constraint.maximum is None else constraint.maximum
            return f"{v}.__class__ is int and {constraint.minimum} <= {v} <= {maximum}"
        case Plain():
            return f"{v}.__class__ in {_bind(constraint.types, scope)}"
        case List():
            size = _size(constraint.minimum, constraint.maximum, v)
            return f"{v}.__class__ is list{size} and {_each(constraint.element, v, scope)}"
        case Map():
            size = _size(constraint.minimum, constraint.maximum, v)
            is_map = f"{v}.__class__ is dict{size}"
            if isinstance(constraint.element, Text):
                return f"{is_map} and {_are_texts(f'[*{v}, *{v}.values()]')}"
            values = _each(constraint.element, f"{v}.values()", scope)
            return f"{is_map} and {_are_texts(v)} and {values}"
        case TableMap():
            return f"{v}.__class__ is dict and {_table_map(constraint, v, scope)}"
        case Structure():
            members = [_member(member, v, scope) for member in constraint.members]
            if constraint.empty_message:
                fields = (f"{v}.{member.field} is not None" for member in constraint.members)
                members.append(f"({' or '.join(fields)})")
            is_type = f"{v}.__class__ is {_bind(constraint.type, scope)}"
            return " and ".join([is_type, *members])
        case _:
            assert_never(constraint)


def _table_map(constraint: TableMap, v: str, scope: dict[str, object]) -> str:
    parts = [
        f"1 <= len({v}) <= {constraint.maximum}",
        f"max(map(len, {v})) <= {MAX_ARN_LENGTH}",
        f"all(map({_bind(_is_table_name[3], scope)}, {v}))",
    ]
    if constraint.request_bounds:
        minimum, maximum = constraint.request_bounds
        parts.append(f"all({minimum} <= len(each) <= {maximum} for each in {v}.values())")
    return " and ".join([*parts, _each(constraint.element, f"{v}.values()", scope)])


def _member(member: Member, v: str, scope: dict[str, object]) -> str:
    field = f"{v}.{member.field}"
    if member.required:
        return _source(member.constraint, field, scope)
    if isinstance(member.constraint, Choice | CustomChoice):
        return f"{field} in {_bind(frozenset({None, *member.constraint.words}), scope)}"
    return f"({field} is None or {_source(member.constraint, field, scope)})"


def _each(constraint: Constraint, values: str, scope: dict[str, object]) -> str:
    if constraint == Text():
        return _are_texts(values)
    return f"all(map({_bind(compile_test(constraint), scope)}, {values}))"


def _are_texts(values: str) -> str:
    # Joining raises TypeError if one of them is not a string.
    return f"join({values}) is not None"


def _size(minimum: int, maximum: int | None, v: str) -> str:
    if maximum is not None:
        return f" and {minimum} <= len({v}) <= {maximum}"
    return f" and {minimum} <= len({v})" if minimum else ""


def _bind(value: object, scope: dict[str, object]) -> str:
    name = f"value_{len(scope)}"
    scope[name] = value
    return name
