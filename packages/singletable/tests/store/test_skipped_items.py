"""With on_mismatch, a read reports the items that do not fit, and goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dynamodb_engine.operations import PutItem
from singletable.errors import InvalidValue, ItemMismatch
from singletable.store import Store
from singletable.store.decoder import OnMismatch
from tests.store.store_adapter import StoreOpener
from tests.store.stores import all_pages
from tools.testing.designs.votes import Ballot, ballot, votes

ALL = Ballot.key.partition("L")
BAD = ["v1", "v3", "v4"]


@pytest.fixture
def store(opener: StoreOpener) -> Store:
    store = opener.open()
    store.admin.create_table(votes)
    store.put_many(ballot(f"v{number}", choice="Ann", rank=number) for number in range(6))
    for stored in store.admin.items(votes, 9).items:
        if stored["voter"]["S"] in BAD:
            opener.driver.execute(PutItem("vote_data", {**stored, "rank": {"S": "first"}}))
    return store


READS: dict[str, Callable[[Store, OnMismatch], Any]] = {
    "query": lambda s, skip: s.query(ALL, on_mismatch=skip),
    "page": lambda s, skip: s.page(ALL, 9, on_mismatch=skip).items,
    "hydrate": lambda s, skip: s.hydrate(Ballot.by_choice("L", "Ann"), on_mismatch=skip),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_read_reports_and_skips_items_that_do_not_fit(
    store: Store, read: Callable[[Store, OnMismatch], Any]
) -> None:
    problems: list[ItemMismatch] = []
    found = [one.voter for one in read(store, problems.append)]
    assert sorted(found) == ["v0", "v2", "v5"]
    keys = [dict(problem.key or {})["SK"]["S"] for problem in problems]
    assert sorted(map(str, keys)) == [f"BALLOT#{voter}" for voter in BAD]
    assert {problem.path for problem in problems} == {"Ballot.rank"}


def test_select_skips_items_that_do_not_fit(store: Store) -> None:
    problems: list[ItemMismatch] = []
    found = store.select(ALL, Ballot.voter, Ballot.rank, on_mismatch=problems.append)
    assert list(found) == [("v0", 0), ("v2", 2), ("v5", 5)]
    assert len(problems) == len(BAD)


# An iterator reads one item at a time here, and the second and third of them are skipped.
def test_query_with_a_limit_continues_after_skipped_items(store: Store) -> None:
    skip: OnMismatch = lambda _: None  # noqa: E731
    assert [one.voter for one in store.query(ALL.gt("v2"), limit=1, on_mismatch=skip)] == ["v5"]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_pages_are_full_although_items_are_skipped(store: Store, size: int) -> None:
    pages = all_pages(store.page, ALL, size, on_mismatch=lambda _: None)
    assert [len(page.items) for page in pages] == {1: [1, 1, 1], 2: [2, 1], 3: [3]}[size]
    assert [one.voter for page in pages for one in page.items] == ["v0", "v2", "v5"]


# An application may want to end the read after all.
def test_error_of_the_callback_ends_the_read(store: Store) -> None:
    def fail(problem: ItemMismatch) -> None:
        raise RuntimeError(str(problem))

    with pytest.raises(RuntimeError, match="BALLOT#v1"):
        list(store.query(ALL, on_mismatch=fail))


def test_callback_must_be_callable(store: Store) -> None:
    wrong: Any = "skip"
    with pytest.raises(InvalidValue, match="on_mismatch: expected a function"):
        store.query(ALL, on_mismatch=wrong)
