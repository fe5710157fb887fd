"""What each member of a request may be, read from the operations' own declarations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from singletable.values import AttributeValue


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string, a number or a boolean, by the name AWS has for its type."""

    name: Literal["String", "Long", "Integer", "Boolean", "Blob"]


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of one kind."""

    member: Shape


@dataclass(frozen=True, slots=True)
class MapOf:
    """A map from strings to one kind."""

    member: Shape


@dataclass(frozen=True, slots=True)
class Value:
    """An attribute value."""


@dataclass(frozen=True, slots=True)
class Structure:
    """A structure with named members."""

    type: type[Struct]

    @property
    def name(self) -> str:
        """The name AWS has for it."""
        return self.type.__name__


Shape: TypeAlias = Scalar | ListOf | MapOf | Value | Structure


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a structure: its field, its name at AWS, and what it may be."""

    field: str
    name: str
    shape: Shape
    required: bool


# Whole numbers are Long at AWS, but for these.
_INTEGER = Scalar("Integer")
_INTEGERS = ("Limit", "Segment", "TotalSegments", "RecoveryPeriodInDays")


@cache
def members_of(structure: type[Struct]) -> tuple[Member, ...]:
    """The members of a structure, in the order they are declared."""
    hints = get_type_hints(structure)
    return tuple(
        Member(
            field.name,
            field.encode_name,
            _INTEGER if field.encode_name in _INTEGERS else _shape(hints[field.name]),
            required=field.default is NODEFAULT and field.default_factory is NODEFAULT,
        )
        for field in fields(structure)
    )


def _shape(hint: Any) -> Shape:
    """The shape that a type annotation stands for."""
    if get_origin(hint) in (Union, UnionType):
        hint = next(option for option in get_args(hint) if option is not type(None))
    if hint is AttributeValue:
        return Value()
    origin = get_origin(hint)
    if origin is list:
        return ListOf(_shape(get_args(hint)[0]))
    if origin is dict:
        return MapOf(_shape(get_args(hint)[1]))
    if origin is Literal or hint is str:
        return Scalar("String")
    if hint is bool:
        return Scalar("Boolean")
    if hint in (int, float):
        return Scalar("Long")
    return Structure(hint)
