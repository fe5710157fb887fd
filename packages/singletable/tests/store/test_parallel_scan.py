"""A scan in segments returns every item once; items that do not fit can be skipped."""

from __future__ import annotations

from typing import Any

import pytest

from dynamodb_engine.operations import PutItem, Scan
from dynamodb_engine.values import Item
from singletable.errors import InvalidValue, ItemMismatch
from singletable.store import Call, Store
from tests.store.store_adapter import StoreOpener
from tools.testing.designs.votes import Ballot, Candidate, Election, ballot, votes

MANY = 300


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(votes)
    # 10 KB each, so that the table has several pages.
    empty.put_many(ballot(f"v{number}", notes=["x" * 10_000]) for number in range(MANY))
    empty.put_many([Election(name="L"), Candidate(election="L", name="Ann")])
    return empty


@pytest.mark.parametrize("segments", [1, 2, 7])
def test_scan_in_segments_returns_each_item_once(
    store: Store, calls: list[Call], segments: int
) -> None:
    observed = store.observed(calls.append)
    found = [one.voter for one in observed.admin.scan(Ballot, segments=segments)]
    assert sorted(found) == sorted(f"v{number}" for number in range(MANY))
    scans = [sent.operation for call in calls for sent in call.requests]
    assert all(isinstance(one, Scan) for one in scans)
    assert {getattr(one, "total_segments", 0) for one in scans} == {
        None if segments == 1 else segments
    }
    assert len(calls[0].requests) == segments


@pytest.mark.parametrize("segments", [0, -1, 1.5, "4", True, 1_000_001])
def test_scan_rejects_invalid_segments(store: Store, segments: Any) -> None:
    with pytest.raises(InvalidValue, match="segments"):
        store.admin.scan(Ballot, segments=segments)


def test_scan_rejects_items_that_do_not_fit(store: Store, opener: StoreOpener) -> None:
    bad: Item = {"PK": {"S": "ELECTION#L"}, "SK": {"S": "BALLOT#bad"}}
    opener.driver.execute(
        PutItem("vote_data", {**bad, "entity_type": {"S": "BALLOT"}, "rank": {"S": "x"}})
    )
    with pytest.raises(ItemMismatch):
        list(store.admin.scan(Ballot))
