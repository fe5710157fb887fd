"""Pages of an index that contains only some attributes: typed fields, or hydrated items."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.errors import InvalidValue
from singletable.store import Page, Store
from tools.testing.designs.votes import Ballot, ballot, votes

OF_ANN = Ballot.by_choice("L", "Ann")


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(votes)
    empty.put_many(ballot(f"v{number}", rank=number, choice="Ann") for number in range(5))
    return empty


def test_page_of_fields_has_tuples(store: Store) -> None:
    first: Page[tuple[str, str]] = store.page(OF_ANN, 2, fields=(Ballot.voter, Ballot.election))
    assert first.items == [("v0", "L"), ("v1", "L")]
    second = store.page(OF_ANN, 2, fields=(Ballot.voter,), cursor=first.cursor, reverse=False)
    assert second.items == [("v2",), ("v3",)]
    back = store.page(OF_ANN, 2, fields=(Ballot.voter,), cursor=second.previous)
    assert back.items == [("v0",), ("v1",)]
    last = store.page(OF_ANN, 2, fields=(Ballot.voter,), reverse=True)
    assert last.items == [("v4",), ("v3",)]


def test_page_of_fields_works_on_the_table(store: Store) -> None:
    everyone = Ballot.key.partition("L")
    page = store.page(
        everyone,
        2,
        fields=(Ballot.rank, Ballot.voter, Ballot.choice, Ballot.tags),
        where=Ballot.rank > 2,
        consistent=True,
    )
    assert page.items == [(3, "v3", "Ann", set()), (4, "v4", "Ann", set())]
    assert page.cursor is None


def test_hydrated_page_has_whole_items(store: Store) -> None:
    first = store.page(OF_ANN, 2, hydrate=True)
    assert [one.rank for one in first.items] == [0, 1]
    second = store.page(OF_ANN, 9, hydrate=True, cursor=first.cursor)
    assert [one.rank for one in second.items] == [2, 3, 4]
    assert store.page(OF_ANN, 2, hydrate=True, cursor=second.previous).items == first.items
    # The cursor is for the query, whatever it reads of the items.
    assert store.page(OF_ANN, 1, fields=(Ballot.voter,), cursor=first.cursor).items == [("v2",)]


def test_page_rejects_fields_that_the_index_does_not_contain(store: Store) -> None:
    with pytest.raises(InvalidValue, match=r"does not contain Ballot\.rank"):
        store.page(OF_ANN, 2, fields=(Ballot.rank,))
    with pytest.raises(InvalidValue, match="hydrate"):
        store.page(OF_ANN, 2)


@pytest.mark.parametrize("fields", [(), "voter", ("voter",), Ballot.voter, (None,)])
def test_page_rejects_values_that_are_not_fields(store: Store, fields: Any) -> None:
    with pytest.raises(InvalidValue):
        store.page(OF_ANN, 2, fields=fields)


def test_page_rejects_fields_together_with_hydrate(store: Store) -> None:
    with pytest.raises(InvalidValue, match="either"):
        store.page(OF_ANN, 2, fields=(Ballot.voter,), hydrate=True)  # type: ignore[call-overload]
