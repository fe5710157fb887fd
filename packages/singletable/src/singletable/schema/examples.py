"""Example values, for documentation."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from hashlib import md5
from typing import (
    Annotated,
    Any,
    Literal,
    NewType,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)
from uuid import UUID

from typing_extensions import is_typeddict

from singletable.schema.codec.containers import type_hints
from singletable.schema.codec.typed_dicts import without_qualifiers
from singletable.schema.key_template import FieldSegment, FixedSegment
from singletable.schema.resolved_key import Column, TextColumn

_FIRST_TIME = datetime(2026, 1, 1, 9, 30, tzinfo=UTC)


def example_value(kind: Any, name: str, number: int) -> object:
    """Return an example value of a type for a named field, or raise TypeError."""
    value = _simple(kind, name, number)
    if value is not None:
        return value
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return example_value(arguments[0], name, number)
    if isinstance(kind, NewType):
        return example_value(kind.__supertype__, name, number)
    if origin is Literal:
        values = [one for one in arguments if one is not None]
        return values[number % len(values)]
    if origin in (Union, types.UnionType):
        return example_value(next(one for one in arguments if one is not type(None)), name, number)
    if origin is list:
        return [example_value(arguments[0], name, number)]
    if origin is tuple:
        return (example_value(arguments[0], name, number),)
    if origin in (set, frozenset):
        # A set is accepted for a frozenset.
        return {example_value(arguments[0], name, number)}
    if origin is dict:
        return {name: example_value(arguments[1], name, number)}
    if is_typeddict(cast("object", kind)):
        members = type_hints(kind).items()
        return {one: example_value(without_qualifiers(hint), one, number) for one, hint in members}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return list(kind)[number % len(kind)]
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind, include_extras=True)
        names = [one.name for one in dataclasses.fields(kind) if one.init]
        return kind(**{one: example_value(hints[one], one, number) for one in names})
    raise TypeError(f"no example for {kind}")


def _simple(kind: Any, name: str, number: int) -> object:
    if kind is str or kind is Any or kind is object:
        return f"{name}-{number}"
    if kind is bool:
        return number % 2 == 1
    if kind is int:
        return number
    if kind is Decimal:
        return Decimal(number) + Decimal("0.5")
    if kind is float:
        return number + 0.5
    if kind is bytes:
        return f"{name}-{number}".encode()
    if kind is datetime:
        return _FIRST_TIME + timedelta(days=number)
    if kind is date:
        return (_FIRST_TIME + timedelta(days=number)).date()
    if kind is timedelta:
        return timedelta(minutes=number)
    if kind is UUID:
        return UUID(bytes=md5(f"{name}-{number}".encode(), usedforsecurity=False).digest())
    return None


def field_labels(columns: Iterable[Column]) -> dict[str, str]:
    """Return the constant before each field in a key, which names the field's examples.

    Fields after the same constant have the same examples, so that items of several entities
    share a partition.
    """
    labels: dict[str, str] = {}
    for column in columns:
        label = ""
        for segment in column.template.segments if isinstance(column, TextColumn) else ():
            match segment:
                case FixedSegment() as fixed:
                    label = fixed.label
                case FieldSegment(field) if label:
                    labels[field] = label
                    label = ""
                case _:
                    label = ""
    return labels
