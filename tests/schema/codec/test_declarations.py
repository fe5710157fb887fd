"""Types that an attribute cannot hold are refused when they are declared, in words that help."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass
from datetime import datetime
from enum import Enum
from typing import Any, Literal, TypeVar

import pytest
from typing_extensions import TypeAliasType

from singletable import DeclarationError
from singletable.schema.codec import TimeFormat, codec_of
from tests.schema.codec.values import Color, Ranking, Tree

T = TypeVar("T")
Names = TypeAliasType("Names", list[str])
# A type that contains itself can be told by name alone.
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
class Holder:
    thing: Sequence[str]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (complex, "cannot hold complex. There are: str, int, Decimal"),
        (Sequence[str], "There are: str"),
        (Mapping[str, str], "There are: str"),
        (T, "There are: str"),
        ("str", "There are: str"),
        (None, "There are: str"),
        (int | str, "An attribute holds one type, or None"),
        (Ranking | Tree, "one dataclass whose members may be None"),
        (int | str | None, "An attribute holds one type, or None"),
        (tuple[int, str], "Write tuple[T, ...]"),
        (dict[int, str], "write dict[str, T]"),
        (set, "set[str], for instance"),
        (set[bool], "A set holds what is text, a number or binary"),
        (set[str | None], "For others write a list"),
        (set[Ranking], "For others write a list"),
        (frozenset[Any], "For others write a list"),
        (set[str] | None, "Write set[str]: an attribute that is not there is an empty set"),
        (Mixed, "Mixed is held by its values, which must be all str or all int"),
        (Empty, "and has: none"),
        (Yes, "and has: True"),
        (Literal["a", 1], "must be all str or all int"),
        (Literal[True], "and has: True"),
        (Literal[Color.RED], "and has: <Color.RED"),
        (Needy, "'seed' is needed to make one and is not kept"),
        (Holder, "Holder.thing: an attribute cannot hold"),
        (list[Holder], "Holder.thing: an attribute cannot hold"),
        (Endless, "There are: str"),
    ],
)
def test_a_type_that_cannot_be_held_is_refused(kind: object, words: str) -> None:
    with pytest.raises(DeclarationError, match=re.escape(words)):
        codec_of(kind)


def test_an_alias_that_contains_itself_is_refused() -> None:
    class Alias:
        __value__: Any

    alias = Alias()
    alias.__value__ = list[alias]  # type: ignore[valid-type]
    with pytest.raises(DeclarationError, match="may not contain itself; a dataclass may"):
        codec_of(alias)


def test_a_form_is_for_moments() -> None:
    with pytest.raises(DeclarationError, match="list\\[str\\] contains no datetime"):
        codec_of(list[str], time_format=TimeFormat.SECONDS)
    assert codec_of(list[datetime | None], time_format=TimeFormat.SECONDS)


def test_a_dataclass_inside_a_function_may_contain_itself_and_must_know_the_rest() -> None:
    @dataclass
    class Link:
        next: Link | None

    codec = codec_of(Link)
    assert codec.decode(codec.encode(Link(Link(None)))) == Link(Link(None))

    @dataclass
    class Stranger:
        link: Link

    with pytest.raises(DeclarationError, match="Stranger: the type 'Link' is not known"):
        codec_of(Stranger)


def test_an_alias_is_its_type() -> None:
    assert codec_of(Names).encode(["ada"]) == {"L": [{"S": "ada"}]}


def test_what_is_not_said_further_may_be_anything() -> None:
    for kind, value in ((list, ["a", 1, None]), (dict, {"a": [True]}), (tuple, ("a", b"b"))):
        codec = codec_of(kind)
        assert codec.decode(codec.encode(value)) == value
