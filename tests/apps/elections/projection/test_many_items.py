"""What takes more than one transaction ends as if it had been one, at the size that is in use."""

from __future__ import annotations

import pytest

from singletable import Engine
from singletable_apps.elections.entities import User
from singletable_apps.elections.projection import rebuild
from singletable_apps.elections.projection.chunks import ITEMS_PER_STEP
from singletable_apps.elections.roles import Role
from tests.apps.support.elections.checks import check_consistency
from tests.apps.support.elections.world import Clock, World, ballot, dump_items, open_store

MANY = ITEMS_PER_STEP * 2 + 3
NAMES = [f"Voter {number:02}" for number in range(MANY)]
MOST = 20


@pytest.fixture(scope="module")
def crowd() -> World:
    """An election with a long list and many ballots, of an owner with many elections."""
    world = World(Engine.in_memory())
    ada, *voters = world.register("Ada", *NAMES)
    world.launch(ada, "Crowded", [f"Candidate {n:02}" for n in range(MANY)], voters=NAMES)
    for voter in voters[: MANY - 2]:
        world.service.voting.cast(voter, "Crowded", ballot("Candidate 07"), "k")
    for number in range(MOST * 2):
        world.service.lifecycle.create(ada, f"Election {number}")
    return world


def _again(crowd: World) -> tuple[World, User]:
    """The same again, to be changed, and who owns all elections."""
    assert isinstance(crowd.driver, Engine)
    clock = Clock()
    clock.now = crowd.clock.now
    world = World(crowd.driver.copy(), clock)
    return world, world.service.context.read.get_user("Ada")


def _check(world: World) -> None:
    check_consistency(world)
    kept = dump_items(world.driver)
    rebuild(open_store(world.driver))
    assert dump_items(world.driver) == kept


def test_a_long_list_and_all_its_ballots_move_with_their_election(crowd: World) -> None:
    world, ada = _again(crowd)
    renamed = world.service.lifecycle.rename(ada, "Crowded", "Crowded / again")
    assert (renamed.voter_count, renamed.candidate_count) == (MANY, MANY)
    assert len(world.service.queries.who_voted(ada, "Crowded / again", 1000)[0]) == MANY - 2
    assert not any('ELECTION#Crowded"' in item for item in dump_items(world.driver))
    _check(world)


def test_an_election_goes_with_all_that_is_in_it(crowd: World) -> None:
    world, ada = _again(crowd)
    world.service.lifecycle.delete(ada, "Crowded")
    assert not any("Crowded" in item or "Candidate" in item for item in dump_items(world.driver))
    _check(world)


def test_an_owner_of_many_elections_is_renamed(crowd: World) -> None:
    world, ada = _again(crowd)
    world.service.people.rename(ada, "Ada", "Augusta")
    assert len(world.service.queries.elections_of(ada, "Augusta", 1000)[0]) == MOST * 2 + 1
    _check(world)


def test_a_long_list_is_emptied_and_filled(crowd: World) -> None:
    world, ada = _again(crowd)
    assert world.service.lifecycle.set_voters(ada, "Crowded", []).voter_count == 0
    assert world.service.lifecycle.set_voters(ada, "Crowded", NAMES[5:]).voter_count == MANY - 5
    _check(world)


def test_many_are_removed_and_the_list_never_lets_everybody_vote(crowd: World) -> None:
    world, ada = _again(crowd)
    for name in NAMES[: ITEMS_PER_STEP + 2]:
        world.service.people.remove(ada, name)
    election = world.service.context.read.get_election("Crowded")
    assert election.voter_count == MANY
    assert len(world.service.queries.who_voted(ada, "Crowded", 1000)[0]) == MANY - 2 - (
        ITEMS_PER_STEP + 2
    )
    (newcomer,) = world.register("Newcomer")
    assert not world.service.queries.is_eligible(ada, "Crowded", newcomer.name)
    assert world.service.people.change_role(ada, NAMES[-1], Role.VOTER).eligible_in == 1
    _check(world)
