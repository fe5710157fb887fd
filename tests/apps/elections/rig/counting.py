"""What must be so in every table, whatever has happened: counted from outside, item by item."""

from __future__ import annotations

from collections import Counter

from singletable import Driver
from singletable_apps.elections.entities import (
    Ballot,
    Candidate,
    Counts,
    Election,
    Ownership,
    Sync,
    User,
    Voter,
)
from singletable_apps.elections.events import check_event
from singletable_apps.elections.removed import is_removed
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules import folded
from singletable_apps.elections.states import STATES
from tests.apps.elections.rig.world import World, events_of, store_on


def check_sound(world: World) -> None:
    """Fail unless log and table are sound."""
    check_log(world.driver)
    check_table(world.driver)


def check_log(driver: Driver) -> None:
    """Fail unless the log has every number once, and each entry follows the one before."""
    previous = ""
    for number, event in enumerate(events_of(driver), 1):
        check_event(event, number, previous)
        previous = event.hash


def check_table(driver: Driver) -> None:
    """Fail unless the table says the same about everything wherever it says it."""
    scan = store_on(driver).admin.scan
    users, elections = list(scan(User)), list(scan(Election))
    (counts,), (sync,) = scan(Counts), scan(Sync)
    assert (counts.user_count, counts.election_count) == (len(users), len(elections))
    assert (sync.step, sync.rebuilding) == (0, False)
    owners = [user.name for user in users if user.role is Role.OWNER]
    assert len(owners) == min(1, len(users)), f"there is one owner, and not {owners}"
    _check_names(users, elections)

    ballots, voters, candidates = list(scan(Ballot)), list(scan(Voter)), list(scan(Candidate))
    owned = Counter(one.owner_name for one in scan(Ownership))
    cast = Counter(one.voter_name for one in ballots)
    listed = Counter(one.voter_name for one in voters)
    for user in users:
        theirs = (user.elections_owned, user.ballots_cast, user.eligible_in, user.moving)
        assert theirs == (owned[user.name], cast[user.name], listed[user.name], None), user.name
    known = {user.name for user in users}
    assert owned.keys() <= known
    assert {name for name in (*cast, *listed) if not is_removed(name)} <= known

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
        [folded(user.name) for user in users],
        [folded(user.email) for user in users],
        [folded(election.name) for election in elections],
        [user.user_id for user in users],
        [election.election_id for election in elections],
    ):
        assert len(set(names)) == len(names), f"something is there twice: {names}"
