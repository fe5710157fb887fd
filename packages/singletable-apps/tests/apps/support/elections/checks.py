"""Invariants of log and table, checked from outside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

import pytest

from singletable import Driver
from singletable_apps.elections.entities import (
    STATES,
    Ballot,
    Candidate,
    Counts,
    Election,
    Ownership,
    Sync,
    User,
    Voter,
    is_account,
    votes,
)
from singletable_apps.elections.events import check_event, event_log
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.names import fold_name
from singletable_apps.shared.errors import AppError
from tests.apps.support.elections.world import KEYS, World, dump_items, open_store, read_events


def check_consistency(world: World) -> None:
    """Fail unless log and table are consistent."""
    check_log(world.driver)
    check_table(world.driver)


def check_log(driver: Driver) -> None:
    """Fail unless the log has every number once, and each entry follows the one before."""
    previous = ""
    for number, event in enumerate(read_events(driver), 1):
        check_event(event, number, previous, KEYS.ballot_key)
        previous = event.hash


def check_table(driver: Driver) -> None:
    """Fail unless all items of the table agree with each other."""
    scan = open_store(driver).admin.scan
    users, elections = list(scan(User)), list(scan(Election))
    (counts,), (sync,) = scan(Counts), scan(Sync)
    assert (counts.user_count, counts.election_count) == (len(users), len(elections))
    assert (sync.step, sync.rebuilding) == (0, False)
    owners = [user.name for user in users if user.role is Role.OWNER]
    assert len(owners) == min(1, len(users)), f"expected one owner, but got {owners}"
    _check_names(users, elections)

    ballots, voters, candidates = list(scan(Ballot)), list(scan(Voter)), list(scan(Candidate))
    owned = Counter(one.owner_name for one in scan(Ownership))
    cast = Counter(one.voter_name for one in ballots)
    listed = Counter(one.voter_name for one in voters)
    for user in users:
        theirs = (user.elections_owned, user.ballots_cast)
        assert theirs == (owned[user.name], cast[user.name]), user.name
    known = {user.name for user in users}
    assert owned.keys() <= known
    assert {name for name in (*cast, *listed) if is_account(name)} <= known

    standing, lists = (Counter(one.election_name for one in kept) for kept in (candidates, voters))
    for election in elections:
        assert (election.allow_edit, election.allow_vote) in STATES
        assert election.candidate_count == standing[election.name], election.name
        assert election.voter_count == lists[election.name], election.name
    there = {election.name for election in elections}
    assert {*standing, *lists, *(one.election_name for one in ballots)} <= there
    assert {one.election_name: one.owner_name for one in scan(Ownership)} == {
        one.name: one.owner_name for one in elections
    }


def _check_names(users: list[User], elections: list[Election]) -> None:
    for names in (
        [fold_name(user.name) for user in users],
        [fold_name(user.email) for user in users],
        [fold_name(election.name) for election in elections],
        [user.user_id for user in users],
        [election.election_id for election in elections],
    ):
        assert len(set(names)) == len(names), f"duplicates: {names}"


E = TypeVar("E", bound=AppError)


def expect_rejection(world: World, why: type[E], command: Callable[[], object]) -> E:
    """Return the error of a rejected command, and check that nothing was changed."""
    before = dump_items(world.driver, event_log), dump_items(world.driver, votes)
    with pytest.raises(why) as raised:
        command()
    assert type(raised.value) is why
    assert str(raised.value).endswith((".", "?")), "the message is a sentence"
    assert (dump_items(world.driver, event_log), dump_items(world.driver, votes)) == before
    return raised.value
