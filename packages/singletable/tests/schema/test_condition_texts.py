"""Conditions, sizes and selections print as they are written, and reject wrong values at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from singletable.errors import InvalidValue
from singletable.schema import Attr, Condition, Entity, Index, Key, Table, attr

by_town = Index("by_town", pk="GSI1PK", sk="GSI1SK")
ballots = Table("ballots", indexes=[by_town])


class Ballot(Entity, table=ballots):
    election: Attr[str] = attr()
    number: Attr[int] = attr()
    rank: Attr[int] = attr(default=0, name="R")
    town: Attr[str] = attr(default="")
    choice: Attr[str | None] = attr(default=None)
    tags: Attr[set[str]] = attr(factory=set)
    notes: Attr[list[str]] = attr(factory=list)
    marks: Attr[dict[str, int]] = attr(factory=dict)
    key = Key(pk=("ELECTION", election), sk=("BALLOT", number))
    in_town = Key(pk=("TOWN", town), sk=(election, number)).on(by_town, when=notes.size() > 0)


WRITTEN = """
Ballot.rank > 3
Ballot.rank == Ballot.number
Ballot.choice != 'x'
Ballot.rank.between(1, 3)
Ballot.town.in_('a', 'b')
Ballot.town.begins_with('a')
Ballot.tags.contains('a')
Ballot.marks.a >= 1
Ballot.notes.size() < 10
Ballot.choice.exists()
Ballot.choice.missing()
(Ballot.rank > 3) & (Ballot.choice.missing())
~((Ballot.rank > 3) | (Ballot.rank < 1))
Ballot.key.partition(election='L')
Ballot.key.partition(election='L').eq(7)
Ballot.key.partition(election='L').between(1, 2)
Ballot.in_town(town='a').eq('L').gt(3)
"""


@pytest.mark.parametrize("text", WRITTEN.strip().splitlines())
def test_text_equals_the_source_of_the_condition(text: str) -> None:
    written = text.replace("Ballot.marks.a", "Ballot.marks['a']")
    assert repr(eval(written)) == text


def test_size_prints_its_path() -> None:
    assert repr(Ballot.notes.size()) == "Ballot.notes.size()"


def test_condition_prints_while_its_class_is_declared() -> None:
    field: Attr[int] = attr()
    assert repr(field > 3) == "Condition(…)"


field: Any = Ballot
WRONG: dict[str, Callable[[], Condition[Any]]] = {
    "in_ of nothing": lambda: field.town.in_(),
    "in_ of a number": lambda: field.town.in_(3),
    "begins_with on a number": lambda: field.rank.begins_with("3"),
    "contains of a number": lambda: field.town.contains(3),
    "contains on a number": lambda: field.rank.contains(3),
    "contains of a member of another type": lambda: field.tags.contains(3),
    "between of texts": lambda: field.rank.between("1", "3"),
    "comparison with a text": lambda: field.rank == "3",
    "comparison of a member with a text": lambda: field.marks["a"] == "3",
    "size of a number": lambda: field.rank.size() > 3,
}


@pytest.mark.parametrize("write", WRONG.values(), ids=WRONG)
def test_wrong_value_is_rejected_where_it_is_written(write: Callable[[], object]) -> None:
    with pytest.raises(InvalidValue):
        write()
