"""Events that take several transactions end as if they had taken one."""

from __future__ import annotations

from datetime import timedelta

import pytest

from singletable import Engine
from singletable.testing import StoreClock
from singletable_apps.elections.entities import User
from singletable_apps.elections.projection import ITEMS_PER_STEP
from singletable_apps.elections.rebuild import rebuild
from tests.apps.support.elections.checks import check_consistency
from tests.apps.support.elections.world import KEYS, World, ballot, dump_items, open_store

MANY = ITEMS_PER_STEP * 2 + 3
NAMES = [f"Voter {number:02}" for number in range(MANY)]
ELECTIONS = 40


@pytest.fixture(scope="module")
def crowd() -> World:
    """Create an election with many voters and ballots, whose owner has many elections."""
    world = World(Engine.in_memory())
    ada, *voters = world.register("Ada", *NAMES)
    world.launch(ada, "Crowded", [f"Candidate {n:02}" for n in range(MANY)], voters=NAMES)
    for voter in voters[: MANY - 2]:
        world.service.voting.cast(voter, "Crowded", ballot("Candidate 07"), "k")
    for number in range(ELECTIONS):
        world.service.lifecycle.create(ada, f"Election {number}")
    return world


def _copy(crowd: World) -> tuple[World, User]:
    """Return a copy to change, and the owner of all elections."""
    assert isinstance(crowd.driver, Engine)
    clock = StoreClock(tick=timedelta.resolution)
    clock.now = crowd.clock.now
    world = World(crowd.driver.copy(), clock)
    return world, world.service.context.read.get_user("Ada")


def _check(world: World) -> None:
    check_consistency(world)
    before = dump_items(world.driver)
    rebuild(open_store(world.driver), KEYS.ballot_key)
    assert dump_items(world.driver) == before


@pytest.mark.rest
def test_rename_election_moves_all_voters_and_ballots(crowd: World) -> None:
    world, ada = _copy(crowd)
    renamed = world.service.lifecycle.edit(ada, "Crowded", {"name": "Crowded / again"})
    assert (renamed.voter_count, renamed.candidate_count) == (MANY, MANY)
    assert len(world.service.queries.who_voted(ada, "Crowded / again", 1000)[0]) == MANY - 2
    assert not any('ELECTION#Crowded"' in item for item in dump_items(world.driver))
    _check(world)


def test_delete_election_deletes_everything_in_it(crowd: World) -> None:
    world, ada = _copy(crowd)
    world.service.lifecycle.delete(ada, "Crowded")
    assert not any("Crowded" in item or "Candidate" in item for item in dump_items(world.driver))
    _check(world)


def test_rename_owner_of_many_elections(crowd: World) -> None:
    world, ada = _copy(crowd)
    world.service.people.rename(ada, "Ada", "Augusta")
    assert len(world.service.queries.elections_of(ada, "Augusta", 1000)[0]) == ELECTIONS + 1
    _check(world)


def test_replace_a_long_voter_list(crowd: World) -> None:
    world, ada = _copy(crowd)
    assert world.service.lifecycle.set_voters(ada, "Crowded", []).voter_count == 0
    assert world.service.lifecycle.set_voters(ada, "Crowded", NAMES[5:]).voter_count == MANY - 5
    _check(world)


def test_removing_voters_never_opens_the_election_to_everyone(crowd: World) -> None:
    world, ada = _copy(crowd)
    for name in NAMES[: ITEMS_PER_STEP + 2]:
        world.service.people.remove(ada, name)
    election = world.service.context.read.get_election("Crowded")
    assert election.voter_count == MANY
    assert len(world.service.queries.who_voted(ada, "Crowded", 1000)[0]) == MANY - 2 - (
        ITEMS_PER_STEP + 2
    )
    (newcomer,) = world.register("Newcomer")
    assert not world.service.queries.is_eligible(ada, "Crowded", newcomer.name)
    _check(world)
