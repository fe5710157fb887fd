"""Types that cannot be stored are rejected when they are declared, with advice."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NotRequired, TypedDict, TypeVar, cast

import pytest
from typing_extensions import TypeAliasType

from singletable import DeclarationError, codec
from singletable.schema.codec import TimeFormat, codec_of
from tests.schema.codec.strategies import Color, Ranking, Tree

T = TypeVar("T")
Names = TypeAliasType("Names", list[str])
# A recursive type can refer to itself only by name.
Endless = TypeAliasType("Endless", "dict[str, Endless]")


class Mixed(Enum):
    ONE = 1
    TWO = "two"


class Empty(Enum):
    pass


class Yes(Enum):
    YES = True


@dataclass
class Needy:
    name: str
    seed: InitVar[int]


@dataclass
class Card:
    kind: Literal["card"]


@dataclass
class CardAgain:
    kind: Literal["card", "other"]


@dataclass
class Untagged:
    kind: str


class Partial(TypedDict):
    thing: NotRequired[Sequence[str]]


COMPLEX: Any = Annotated[
    int, codec(encode=complex, decode=lambda number: int(number.real), stored_as=complex)
]
MAYBE: Any = Annotated[int, codec(encode=str, decode=int, stored_as=cast(Any, str | None))]


@dataclass
class Holder:
    thing: Sequence[str]


@pytest.mark.parametrize(
    ("kind", "fragment"),
    [
        (complex, "cannot store complex. Supported types: str, int, Decimal"),
        (Sequence[str], "Supported types: str"),
        (Mapping[str, str], "Supported types: str"),
        (T, "Supported types: str"),
        ("str", "Supported types: str"),
        (None, "Supported types: str"),
        (int | Decimal, "int and Decimal are both stored as a number (N)"),
        (int | float | None, "int and float are both stored as a number (N)"),
        (str | datetime, "Declare a field for each type"),
        (list[int] | list[str], "are both stored as a list (L)"),
        (int | Any, "Any has every type, or None"),
        (int | set[str], "a set cannot be one of several types"),
        (Ranking | Tree, 'kind: Literal["ranking"] in Ranking'),
        (Ranking | dict[str, int], "are stored as maps"),
        (Card | CardAgain, "are stored as maps"),
        (Card | Untagged, "are stored as maps"),
        (Partial, "Partial['thing']: an attribute cannot store"),
        (COMPLEX, "cannot store complex"),
        (MAYBE, "expected a stored type without None"),
        (tuple[int, str], "Write tuple[T, ...]"),
        (dict[int, str], "dict[str, T]"),
        (set, "set[str]"),
        (set[bool], "strings, numbers or binary"),
        (set[str | None], "Use a list"),
        (set[Ranking], "Use a list"),
        (frozenset[Any], "Use a list"),
        (set[str] | None, "Write set[str]"),
        (Mixed, "Mixed is stored by value, so its values must be all str or all int"),
        (Empty, "but they are: none"),
        (Yes, "but they are: True"),
        (Literal["a", 1], "must be all str or all int"),
        (Literal[True], "but they are: True"),
        (Literal[Color.RED], "but they are: <Color.RED"),
        (Needy, "'seed', which instances do not keep"),
        (Holder, "Holder.thing: an attribute cannot store"),
        (list[Holder], "Holder.thing: an attribute cannot store"),
        (Endless, "Supported types: str"),
    ],
)
def test_unsupported_type_is_rejected(kind: object, fragment: str) -> None:
    with pytest.raises(DeclarationError, match=re.escape(fragment)):
        codec_of(kind)


def test_recursive_type_alias_is_rejected() -> None:
    class Alias:
        __value__: Any

    alias = Alias()
    alias.__value__ = list[alias]  # type: ignore[valid-type]
    with pytest.raises(DeclarationError, match="cannot contain itself"):
        codec_of(alias)


def test_time_format_requires_a_datetime() -> None:
    with pytest.raises(DeclarationError, match="list\\[str\\] contains no datetime"):
        codec_of(list[str], time_format=TimeFormat.SECONDS)
    assert codec_of(list[datetime | None], time_format=TimeFormat.SECONDS)


def test_local_dataclass_may_refer_to_itself_but_not_to_other_local_names() -> None:
    @dataclass
    class Link:
        next: Link | None

    codec = codec_of(Link)
    assert codec.decode(codec.encode(Link(Link(None)))) == Link(Link(None))

    @dataclass
    class Stranger:
        link: Link

    with pytest.raises(DeclarationError, match="Stranger: the type 'Link' is not defined"):
        codec_of(Stranger)


def test_type_alias_has_the_codec_of_its_type() -> None:
    assert codec_of(Names).encode(["ada"]) == {"L": [{"S": "ada"}]}


def test_bare_container_types_accept_any_members() -> None:
    for kind, value in ((list, ["a", 1, None]), (dict, {"a": [True]}), (tuple, ("a", b"b"))):
        codec = codec_of(kind)
        assert codec.decode(codec.encode(value)) == value
