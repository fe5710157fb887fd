"""Polls with many votes: all pages are counted, and results read only new entries."""

from __future__ import annotations

from collections import Counter

import pytest

from singletable import Query, Store
from singletable_apps.polls.entities import Snapshot, SnapshotPart
from singletable_apps.polls.rules import PollDraft
from tests.apps.polls.support.bulk_votes import crowd, one_of
from tests.apps.polls.support.harness import (
    World,
    cast,
    check_counted,
    delete,
    dump,
    items_of,
)

LONG = [f"{number:02} {'a long name of an option ' * 3}"[:95] for number in range(8)]


def _pages(world: World) -> int:
    """How many pages the queries of votes had."""
    sent = [one for call in world.calls for one in call.requests]
    return sum(isinstance(one.operation, Query) and "VOTE#" in str(one.operation) for one in sent)


def test_bulk_votes_equal_votes_of_the_service(memory: World) -> None:
    managed, other = memory.made(), memory.made()
    crowd(memory, managed, 30)
    for number in range(30):
        vote = memory.service.voting.find_vote(managed.poll, one_of(number))
        assert vote is not None
        answer = cast(memory.service, other, vote.rankings, one_of(number))
        assert answer.vote.rankings == vote.rankings

    def shapes(poll_id: str) -> Counter[tuple[str, ...]]:
        items = [item for item in items_of(memory.driver) if poll_id in item["PK"]["S"]]
        return Counter(tuple(sorted(f"{name} {[*item[name]]}" for name in item)) for item in items)

    assert shapes(managed.poll.id) == shapes(other.poll.id)
    recounts = [memory.service.tallies.recount(one.poll) for one in (managed, other)]
    assert recounts[0].by_entries.counts == recounts[1].by_entries.counts
    again = cast(memory.service, managed, ["Go"], one_of(3))
    assert not again.is_new
    assert check_counted(memory, managed) == 30


# The original ignored the votes beyond one megabyte.
def test_votes_beyond_one_megabyte_are_all_counted(world: World) -> None:
    managed = world.made(PollDraft("Q", LONG))
    crowd(world, managed, 2_000)
    world.calls.clear()
    recount = world.open().tallies.recount(managed.poll)
    assert _pages(world) > 1, "the votes are on several pages"
    assert recount.agrees
    assert recount.votes == recount.by_entries.votes == 2_000


def test_snapshot_with_many_parts_has_all_counts(
    memory: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable_apps.polls.tally.PART_BYTES", 1_500)
    managed = memory.made(PollDraft("Q", LONG))
    counting = memory.service.tallies
    for votes in (400, 1_200):
        crowd(memory, managed, votes, seed=votes)
        counting.get(managed.poll)
        store = Store(memory.driver)
        head = store.get(Snapshot.key(managed.poll.id))
        assert head is not None
        assert head.parts > 3
        parts = list(store.query(SnapshotPart.key.partition(managed.poll.id)))
        assert len(parts) == head.parts, "those of the snapshot before are gone"
        fresh = memory.open()
        assert fresh.tallies.snapshots.read(managed.poll)[1] == counting.get(managed.poll)
        assert fresh.tallies.recount(managed.poll).agrees
    cast(memory.service, managed, LONG[:1], "one more")
    assert check_counted(memory, managed) == 1_601
    delete(memory.service, managed)
    assert dump(memory.driver) == []
