"""Values to show what an entity looks like, made up from the types of its fields."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from hashlib import md5
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin, get_type_hints
from uuid import UUID

from singletable.errors import InvalidValue
from singletable.schema import Model
from singletable.schema.column import TextColumn
from singletable.schema.template import Fixed, Value
from singletable.values import Item

# Two show what differs, and a third which fields may be absent.
HOW_MANY = 3
_BEGIN = datetime(2026, 1, 1, 9, 30, tzinfo=UTC)


def example_items(model: Model) -> list[Item]:
    """Some items of an entity; none if its fields allow nothing that could be made up."""
    words = dict(_words(model))
    found: list[Item] = []
    for number in range(1, HOW_MANY + 1):
        values: dict[str, object] = {}
        for name, field in model.fields.items():
            absent = number == HOW_MANY and field.codec().optional
            kind = field.annotation
            value = None if absent else example(kind, words.get(name, name), number)
            values[name] = value
        try:
            model.codec.check({n: v for n, v in values.items() if n not in model.in_key_only})
            item = model.item(values)
        except (InvalidValue, TypeError, ValueError):
            continue
        keys = [one.name for one in model.table.key_attributes]
        if all(any(item[key] != other[key] for key in keys) for other in found):
            found.append(item)
    return found


def _words(model: Model) -> Iterator[tuple[str, str]]:
    """The fields of the key with the words before them: one word has one value everywhere."""
    for column in model.key.columns:
        word = ""
        for segment in column.template.segments if isinstance(column, TextColumn) else ():
            match segment:
                case Fixed(text):
                    word = text.lower()
                case Value(field) if word:
                    yield field, word
                    word = ""
                case _:
                    word = ""


def example(kind: Any, name: str, number: int) -> object:
    """A value of a type, for a field of a name; TypeError if none can be made up."""
    made = _simple(kind, name, number)
    if made is not None:
        return made
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return example(arguments[0], name, number)
    if isinstance(kind, NewType):
        return example(kind.__supertype__, name, number)
    if origin is Literal:
        some = [one for one in arguments if one is not None]
        return some[number % len(some)]
    if origin in (Union, types.UnionType):
        return example(next(one for one in arguments if one is not type(None)), name, number)
    if origin is list:
        return [example(arguments[0], name, number)]
    if origin is tuple:
        return (example(arguments[0], name, number),)
    if origin in (set, frozenset):
        # Either will do for the other.
        return {example(arguments[0], name, number)}
    if origin is dict:
        return {name: example(arguments[1], name, number)}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return list(kind)[number % len(kind)]
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind, include_extras=True)
        needed = [one.name for one in dataclasses.fields(kind) if one.init]
        return kind(**{one: example(hints[one], one, number) for one in needed})
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
        return _BEGIN + timedelta(days=number)
    if kind is date:
        return (_BEGIN + timedelta(days=number)).date()
    if kind is UUID:
        return UUID(bytes=md5(f"{name}-{number}".encode(), usedforsecurity=False).digest())
    return None
