"""Checks of field values: every way to set a whole value applies them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from singletable.errors import InvalidValue
from singletable.schema import Attr, Edit, Entity, Key, Table, attr
from singletable.store import Store

scores = Table("scores")


def short(name: str | None) -> bool:
    return name is None or len(name) <= 5


class Score(Entity, table=scores):
    player: Attr[str] = attr()
    nick: Attr[str | None] = attr(default=None, check=short)
    marks: Attr[set[str]] = attr(factory=set)
    key = Key(pk=("SCORE", player), sk="SCORE")


ZOE = Score.key("zoe")


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(scores)
    empty.create(Score(player="zoe"))
    return empty


def not_made(value: str) -> Score:
    score = Score(player="zoe")
    score.nick = value
    return score


WAYS: dict[str, Callable[[Store, str], object]] = {
    "set": lambda store, value: store.update(ZOE, Score.nick.set(value)),
    "set_if_missing": lambda store, value: store.update(ZOE, Score.nick.set_if_missing(value)),
    "put": lambda store, value: store.put(not_made(value)),
    "replace": lambda store, value: store.replace(not_made(value)),
}


@pytest.mark.parametrize("way", WAYS)
def test_check_prevents_writes_of_invalid_values(store: Store, way: str) -> None:
    with pytest.raises(InvalidValue, match=r"Score\.nick: .* that short accepts"):
        WAYS[way](store, "zoe the great")
    assert store.get(ZOE) == Score(player="zoe")
    WAYS[way](store, "zzz")
    assert store.get(ZOE) == Score(player="zoe", nick="zzz")


EDITS: dict[str, Callable[[], Edit[Score]]] = {
    "set": lambda: Score.nick.set(cast(Any, 5)),
    "set_if_missing": lambda: Score.nick.set_if_missing(cast(Any, 5)),
}


# The check for strings would fail with another error for a number.
@pytest.mark.parametrize("way", EDITS)
def test_type_is_checked_before_the_field_check(way: str) -> None:
    with pytest.raises(InvalidValue, match=r"expected a string .* but got 5"):
        EDITS[way]()


def test_inherited_field_keeps_its_check() -> None:
    class Named(Entity):
        name: Attr[str] = attr(check=short)
        key = Key(pk=("PLAYER", name), sk="PLAYER")

    class Player(Named, table=scores):
        pass

    with pytest.raises(InvalidValue, match=r"Player\.name"):
        Player(name="zoe the great")


# Null would be a value that is never set again.
@pytest.mark.parametrize(
    "edit",
    [lambda: Score.nick.set_if_missing(None), lambda: Score.marks.set_if_missing(set())],
)
def test_set_if_missing_rejects_none(edit: Callable[[], Edit[Score]]) -> None:
    with pytest.raises(InvalidValue, match="expected a value, but got"):
        edit()
