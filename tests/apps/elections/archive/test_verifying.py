"""Whether the table is what the log says: every item that is not is named."""

from __future__ import annotations

import pytest

from singletable import Engine
from singletable_apps.elections.archive import Difference, verify_log
from singletable_apps.elections.entities import Candidate, Sync, User, votes
from singletable_apps.elections.errors import Busy, CorruptTable, RebuildInProgress
from singletable_apps.elections.events import Event, event_log
from singletable_apps.elections.projection import get_last_event, rebuild
from singletable_apps.elections.roles import Role
from tests.apps.elections.archive.exported import store_on
from tests.apps.support.elections.sample import copy_sample, items


def test_a_table_that_is_right_is_found_right() -> None:
    sample = copy_sample()
    before = [list(items(sample.store, table)) for table in (votes, event_log)]
    found = verify_log(sample.store)
    assert (found.events, found.followed, found.differences) == (80, 80, ())
    assert found.items == len(before[0])
    newest = get_last_event(sample.store)
    assert newest is not None
    assert found.head == newest.hash
    assert [list(items(sample.store, table)) for table in (votes, event_log)] == before


# Somebody with access to the table has made themselves owner, and a candidate, and removed one.
def test_differences_are_named_in_order_and_a_rebuild_mends_them() -> None:
    store = copy_sample().store
    store.update(User.key("Radia"), User.role.set(Role.OWNER), User.revision.set(999))
    store.put(Candidate(election_name="Treasurer", candidate_name="Radia", since=1))
    store.delete(Candidate.key("Treasurer", "Claude"))
    assert verify_log(store).differences == (
        Difference("ELECTION#Treasurer", "CANDIDATE#Claude", "is missing from the table"),
        Difference("ELECTION#Treasurer", "CANDIDATE#Radia", "is in the table, and not in the log"),
        Difference("USER#Radia", "METADATA", "differs in revision, role"),
    )
    rebuild(store)
    assert verify_log(store).differences == ()


def test_of_many_differences_the_first_are_named() -> None:
    store = copy_sample().store
    for number in range(30):
        store.put(Candidate(election_name="Ghosts", candidate_name=f"{number:02}", since=1))
    named = [one.sort_key for one in verify_log(store).differences]
    assert named == [f"CANDIDATE#{number:02}" for number in range(10)]


def test_a_table_that_lags_is_compared_as_far_as_it_is() -> None:
    sample = copy_sample()
    store, newest = sample.store, get_last_event(sample.store)
    assert newest is not None
    store.delete(Event.key(newest.event_id))
    rebuild(store)
    store.put(newest)
    found = verify_log(store)
    assert (found.events, found.followed, found.differences) == (80, 79, ())


def test_a_table_that_leads_is_broken() -> None:
    store = copy_sample().store
    store.delete(Event.key(80))
    with pytest.raises(CorruptTable, match="followed 80 events, and the log has 79"):
        verify_log(store)


def test_a_table_that_is_being_built_is_not_verified() -> None:
    store = copy_sample().store
    store.update(Sync.key(), Sync.rebuilding.set(True))
    with pytest.raises(RebuildInProgress, match="Verify it when that is done"):
        verify_log(store)
    store.update(Sync.key(), Sync.rebuilding.set(False), Sync.step.set(1))
    with pytest.raises(Busy, match="Event 81 is half in the table"):
        verify_log(store)


# Comparing takes a while, and a service may go on meanwhile.
def test_a_table_that_moved_meanwhile_is_not_judged() -> None:
    sample = copy_sample()

    def vote(done: int, total: int) -> None:
        if done == total:
            cast = sample.elections.voting.cast
            cast(sample.user("hedy"), "What is for lunch", [("Soup", 1)], "meanwhile")

    with pytest.raises(Busy, match="from event 80 to 81"):
        verify_log(sample.store, vote)


def test_nothing_at_all_is_right() -> None:
    store = store_on(Engine.in_memory())
    for table in (votes, event_log):
        store.admin.create_table(table)
    found = verify_log(store)
    assert (found.events, found.head, found.items, found.differences) == (0, "", 0, ())
