"""The types of constraints on members of a request, as data.

Bounds are inclusive; a `maximum` of None means no bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from msgspec import Struct

from dynamodb_engine.operations.arn import find_arn_error, is_name, parse_dynamodb_arn

MIN_INTEGER, MAX_INTEGER = -(2**63), 2**63 - 1
MAX_NAME_LENGTH = 255


@dataclass(frozen=True, slots=True)
class Text:
    """A string within bounds of length.

    With `pattern`, it must be a name; AWS lists that violation before or after those of length.
    """

    minimum: int = 0
    maximum: int | None = None
    pattern: Literal["first", "last"] | None = None


@dataclass(frozen=True, slots=True)
class TableName:
    """The name of a table, of a minimal length, or its ARN."""

    minimum: int


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several words, in the order in which AWS lists them.

    AWS's newer check names neither value nor member, and lists `newer_words`, mistakes included.
    """

    words: tuple[str, ...]
    newer_words: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class CustomChoice:
    """One of several words, with AWS's own message for any other."""

    words: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer of 64 bits within bounds."""

    minimum: int
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class Plain:
    """A value of some Python types, with content that is checked elsewhere."""

    types: tuple[type, ...]
    name: str


FLAG = Plain((bool,), "a boolean")
TIMESTAMP = Plain((float, int), "a number")
ATTRIBUTES = Plain((dict,), "a map")  # an item, a key or a value


@dataclass(frozen=True, slots=True)
class List:
    """A list within bounds of length."""

    element: Constraint
    minimum: int = 0
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class Map:
    """A map from strings, within bounds of length."""

    element: Constraint
    minimum: int = 0
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class TableMap:
    """A map from the names of tables, with at least one entry.

    If a name is invalid, AWS echoes the whole map. If the requests of each table are a list, its
    bounds are given here, because AWS words the lower one as a constraint of the map.
    """

    element: Constraint
    maximum: int
    echo: Literal["java", "json"]
    request_bounds: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a structure; `missing_message` replaces AWS's usual text if it is missing."""

    field: str
    constraint: Constraint
    required: bool = False
    missing_message: str | None = None


@dataclass(frozen=True, slots=True)
class Structure:
    """A structure, its members in the order in which AWS lists their violations.

    With `empty_message`, at least one member must be present.
    """

    type: type[Struct]
    members: tuple[Member, ...]
    empty_message: str | None = None


Constraint: TypeAlias = (
    Text | TableName | Choice | CustomChoice | Integer | Plain | List | Map | TableMap | Structure
)


def required(field: str, constraint: Constraint, missing_message: str | None = None) -> Member:
    """Return a member that must be present."""
    return Member(field, constraint, required=True, missing_message=missing_message)


def is_table_name(text: str, minimum: int) -> bool:
    """Return whether `text` is a table's name of at least that length, or its ARN."""
    if parse_dynamodb_arn(text) is not None:
        return find_arn_error(text) is None
    return minimum <= len(text) <= MAX_NAME_LENGTH and is_name(text)
