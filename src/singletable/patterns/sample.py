"""The parameters of a pattern, and an example of each: a pattern is tried once when it is declared.

A text is exemplified by its name in braces, so that a key made of it reads as its template.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum
from types import MethodType, NoneType, UnionType
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin, get_type_hints
from uuid import UUID

from singletable.errors import DeclarationError
from singletable.patterns.pattern import Parameter
from singletable.patterns.serve import ByFields
from singletable.schema import model_of
from singletable.schema.keys import BoundIndexKey, BoundKey
from singletable.schema.unique import BoundUnique

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

_EXAMPLES: dict[object, object] = {
    bool: True,
    bytes: b"x",
    date: NOON.date(),
    datetime: NOON,
    Decimal: Decimal(1),
    float: 1.0,
    int: 1,
    time: NOON.timetz(),
    UUID: UUID(int=1),
}


def parameters_of(
    where: str, asks: Callable[..., object], example: Sequence[object] | None
) -> tuple[Parameter, ...]:
    """What a key or a function is called with."""
    named = _named(where, asks)
    if example is not None and len(example) != len(named):
        raise DeclarationError(
            f"{where}: example has {len(example)} values, and the pattern is called with "
            f"{len(named)} ({', '.join(name for name, _ in named)})."
        )
    if example is not None:
        return tuple(
            Parameter(name, type_, value)
            for (name, type_), value in zip(named, example, strict=True)
        )
    return tuple(Parameter(name, type_, _example(where, name, type_)) for name, type_ in named)


def _named(where: str, asks: Callable[..., object]) -> list[tuple[str, object]]:
    """The names and types of the values."""
    if isinstance(asks, ByFields):
        return [(name, asks.model.fields[name].annotation) for name in asks.by]
    key = asks.__self__ if isinstance(asks, MethodType) else asks
    if isinstance(key, BoundKey | BoundIndexKey | BoundUnique):
        return _of_key(key, partition=isinstance(asks, MethodType))  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(asks, type):
        raise DeclarationError(
            f"{where}: expected a key, but got the class {asks.__name__}. Ask by a key of it: "
            f"{asks.__name__}.key for one item, {asks.__name__}.key.partition for several."
        )
    try:
        signature = inspect.signature(asks)
        hints = get_type_hints(asks)
    except (TypeError, ValueError, NameError) as error:
        raise DeclarationError(
            f"{where}: expected a key (Ballot.key, Ballot.key.partition, Ballot.by_voter) or a "
            f"function with annotated parameters, but got {asks!r} ({error})."
        ) from None
    named: list[tuple[str, object]] = []
    for name, parameter in signature.parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise DeclarationError(
                f"{where}: *{name} could be any number of values. Name each parameter."
            )
        if name not in hints:
            raise DeclarationError(f"{where}: the parameter {name} has no type. Annotate it.")
        named.append((name, hints[name]))
    return named


def _of_key(
    key: BoundKey[Any, Any] | BoundIndexKey[Any, Any] | BoundUnique[Any], *, partition: bool
) -> list[tuple[str, object]]:
    model = model_of(key._entity)
    if isinstance(key, BoundUnique):
        names = model.uniques[key._name].fields
    elif isinstance(key, BoundIndexKey):
        names = model.indexes[key._name].pk_fields
    else:
        names = model.key.pk_fields + (() if partition else model.key.sk_fields)
    return [(name, model.fields[name].annotation) for name in names]


def _example(where: str, name: str, type_: object) -> object:
    if type_ is str:
        return f"{{{name}}}"
    if type_ in _EXAMPLES:
        return _EXAMPLES[type_]
    if isinstance(type_, NewType):
        return _example(where, name, type_.__supertype__)
    if isinstance(type_, type) and issubclass(type_, Enum):
        return next(iter(type_))
    origin, inner = get_origin(type_), get_args(type_)
    if origin is Literal:
        return inner[0]
    if origin in (Union, UnionType):
        return _example(where, name, next(one for one in inner if one is not NoneType))
    if origin is Annotated:
        return _example(where, name, inner[0])
    shown = type_.__name__ if isinstance(type_, type) else str(type_)
    raise DeclarationError(
        f"{where}: there is no example of {name}, a {shown}, to try the pattern with. Give one "
        "value for each parameter: example=(…)."
    )
