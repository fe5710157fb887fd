"""The vocabulary of the rules: what a member may hold, as data.

A shape says what is allowed; `walk` finds what is not, `fast` compiles the test of a whole
operation, `wording` puts it in AWS's words. Bounds are inclusive; `most` None means no bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from msgspec import Struct as MsgspecStruct

LEAST_INTEGER, MOST_INTEGER = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class Text:
    """A string of so many characters; `pattern` if it is a name, and where AWS lists that fault."""

    least: int = 0
    most: int | None = None
    pattern: Literal["first", "last"] | None = None


@dataclass(frozen=True, slots=True)
class TableName:
    """A table's name, of at least so many characters, or its ARN."""

    least: int


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some words, in the order in which AWS lists them.

    Where AWS names neither value nor member, it lists `nameless` instead, slips included.
    """

    words: tuple[str, ...]
    nameless: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """An integer of 64 bits."""

    least: int
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""


@dataclass(frozen=True, slots=True)
class Attributes:
    """An item, a key or a value: a map whose content is checked elsewhere."""


@dataclass(frozen=True, slots=True)
class List:
    """So many of one shape."""

    of: Shape
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Map:
    """So many of one shape, by name."""

    of: Shape
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class TableMap:
    """At least one of one shape, by table; AWS shows the whole map if a name is bad.

    A table's requests, where they are a list, have their bounds here: AWS words the lower one as a
    rule for the map.
    """

    of: Shape
    most: int
    shown_as: Literal["java", "json"]
    requests: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a structure; `absent` is what AWS says if it is missing, in place of the usual."""

    field: str
    shape: Shape
    required: bool = False
    absent: str | None = None


@dataclass(frozen=True, slots=True)
class Struct:
    """A structure, its members in the order in which AWS lists their faults.

    With `empty`, at least one member must be there, and this is what AWS says if none is.
    """

    type: type[MsgspecStruct]
    members: tuple[Member, ...]
    empty: str | None = None


@dataclass(frozen=True, slots=True)
class Custom:
    """One of some words; if it is not, AWS says `sentence` and nothing else."""

    words: tuple[str, ...]
    sentence: str


Shape: TypeAlias = (
    Text | TableName | Choice | Custom | Number | Flag | Attributes | List | Map | TableMap | Struct
)


def required(field: str, shape: Shape, absent: str | None = None) -> Member:
    """A member that must be there."""
    return Member(field, shape, required=True, absent=absent)
