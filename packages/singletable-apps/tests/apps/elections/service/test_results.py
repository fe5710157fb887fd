"""Results: who can see them and when, and that they match what was signed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from singletable_apps.elections.entities import Publication, State, User
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.events import SYSTEM_ACTOR
from singletable_apps.elections.proofs.merkle import MerkleTree
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.elections import state_of
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.shared.errors import NotFound
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.support.elections.checks import expect_rejection
from tests.apps.support.elections.world import World, ballot, read_events


def _voted(world: World, terms: ElectionSettings) -> tuple[User, User]:
    ada, bob, carol = world.register("Ada", "Bob", "Carol")
    world.launch(ada, "E", terms=terms)
    cast = world.service.voting.cast
    for voter, lines in ((ada, ("Red", "Blue")), (bob, ("Red",)), (carol, ("Green",))):
        cast(voter, "E", ballot(*lines), "k")
    return ada, bob


def test_open_ballots_are_counted_live(memory: World) -> None:
    ada, bob = _voted(memory, ElectionSettings())
    tally = memory.service.results.tally(bob, "E")
    assert (tally.ballots_cast, tally.result.winners, tally.closing) == (3, ("Red",), None)
    shown = memory.service.results.ballots(bob, "E")
    assert [one.voter_name for one in shown] == ["Ada", "Bob", "Carol"]
    assert memory.service.voting.ballot(bob, "E", "Carol").receipt["ranking"] == [["Green"]]
    expect_rejection(memory, WrongState, lambda: memory.service.results.published(ada, "E"))


def test_secret_ballots_are_counted_after_the_close(memory: World) -> None:
    ada, bob = _voted(memory, ElectionSettings(secret_ballot=True))
    results, voting = memory.service.results, memory.service.voting
    for look in (results.tally, results.ballots, results.published):
        expect_rejection(memory, WrongState, lambda look=look: look(ada, "E"))  # type: ignore[misc]
    expect_rejection(memory, NotPermitted, lambda: voting.ballot(ada, "E", "Bob"))
    assert voting.ballot(bob, "E", "bob").receipt["ranking"] == [["Red"]]
    memory.service.lifecycle.close(ada, "E")
    assert results.tally(bob, "E").result.winners == ("Red",)
    expect_rejection(memory, NotPermitted, lambda: results.ballots(ada, "E"))
    expect_rejection(memory, NotPermitted, lambda: results.export_ballots(ada, "E", "csv"))
    expect_rejection(memory, NotPermitted, lambda: voting.ballot(ada, "E", "Bob"))
    # Where votes go in a runoff shows the next choice of a voter.
    expect_rejection(memory, NotPermitted, lambda: results.export_ballots(ada, "E", "rctab"))
    expect_rejection(memory, NotPermitted, lambda: results.tally(ada, "E", "instant runoff"))


@pytest.mark.parametrize(
    ("secret", "level", "confirmations", "names"),
    [
        (True, Publication.ANONYMOUS, False, False),
        (True, Publication.CONFIRMATIONS, True, False),
        (False, Publication.ANONYMOUS, False, False),
        (False, Publication.CONFIRMATIONS, True, True),
    ],
)
def test_ballots_show_only_what_is_published(
    memory: World, secret: bool, level: Publication, confirmations: bool, names: bool
) -> None:
    ada, bob = _voted(memory, ElectionSettings(secret_ballot=secret, publication=level))
    memory.service.lifecycle.close(ada, "E")
    for one in memory.service.results.ballots(bob, "E"):
        assert (one.confirmation is not None, one.voter_name is not None) == (confirmations, names)
        assert (one.when_cast is not None) is names
    assert b"Red" in memory.service.results.export_ballots(bob, "E", "csv")


def test_viewer_without_permission_sees_nothing(memory: World) -> None:
    ada, bob = _voted(memory, ElectionSettings())
    memory.service.people.change_role(ada, "Bob", Role.NO_ACCESS)
    bob = memory.reload(bob)
    results, queries, voting = (
        memory.service.results,
        memory.service.queries,
        memory.service.voting,
    )
    for look in (
        lambda: results.tally(bob, "E"),
        lambda: results.ballots(bob, "E"),
        lambda: results.export_ballots(bob, "E", "csv"),
        lambda: queries.elections(bob, 10),
        lambda: queries.elections_of(bob, "Ada", 10),
        lambda: queries.candidates(bob, "E"),
        lambda: queries.voters(bob, "E", 10),
        lambda: queries.who_voted(bob, "E", 10),
        lambda: queries.is_eligible(bob, "E", "Ada"),
        lambda: queries.rankings(bob, "E"),
        lambda: queries.counts(bob),
        lambda: voting.ballot(bob, "E", "Ada"),
    ):
        expect_rejection(memory, NotPermitted, look)
    # What is their own they see, whatever they are.
    assert bob.ballots_cast == 1
    assert voting.ballot(bob, "E", "Bob").receipt["ranking"] == [["Red"]]


def test_election_closes_when_viewed_after_its_closing_time(world: World) -> None:
    ends = world.clock.now + timedelta(hours=1)
    ada, bob = _voted(world, ElectionSettings(secret_ballot=True, no_voting_after=ends))
    results = world.service.results
    world.clock.tick = timedelta()
    world.clock.now = ends - timedelta(microseconds=1)
    assert state_of(results.close_if_due("E")) is State.EDITABLE
    expect_rejection(world, WrongState, lambda: results.tally(bob, "E"))
    world.clock.now = ends
    length = world.event_count
    assert results.tally(bob, "e").result.winners == ("Red",)
    last = read_events(world.driver)[-1]
    assert (last.actor, last.event_type, world.event_count) == (
        SYSTEM_ACTOR,
        "ElectionFinalized",
        length + 1,
    )
    assert state_of(results.close_if_due("E")) is State.CLOSED
    expect_rejection(world, WrongState, lambda: world.service.lifecycle.close(ada, "E"))
    assert world.event_count == length + 1


@pytest.mark.parametrize("secret", [False, True])
def test_signed_statement_matches_the_table(world: World, secret: bool) -> None:
    ada, bob = _voted(world, ElectionSettings(secret_ballot=secret))
    world.service.lifecycle.close(ada, "E")
    tally = world.service.results.tally(bob, "E")
    assert tally.closing is not None
    said = tally.closing["statement"]
    codes = [
        world.service.voting.ballot(voter, "E", voter.name).receipt["confirmation"]
        for voter in (ada, bob, world.service.context.read.get_user("Carol"))
    ]
    assert (said["ballots"], said["root"]) == (3, MerkleTree(codes).root)
    proof = world.service.voting.ballot(bob, "E", "bob").receipt["proof"]
    assert proof is not None
    assert proof["size"] == 3


def test_lists_are_paginated_by_name(memory: World) -> None:
    ada, bob, *_ = memory.register("Ada", "bob", "Carol", "dave")
    queries = memory.service.queries
    for name in ("b", "A", "c"):
        memory.service.lifecycle.create(ada, name)
    page = queries.elections(bob, 2)
    rest = queries.elections(bob, 2, page.cursor)
    assert [one.name for one in (*page.items, *rest.items)] == ["A", "b", "c"]
    names, cursor = queries.user_names(bob, 3)
    assert names + queries.user_names(bob, 3, cursor)[0] == ["Ada", "bob", "Carol", "dave"]
    owned, _ = queries.elections_of(bob, "ADA", 10)
    assert [one.name for one in owned] == ["A", "b", "c"]
    people = memory.service.people
    listed = people.list_people(ada).items
    assert [one.name for one in listed] == ["Ada", "bob", "Carol", "dave"]
    assert people.allowed_roles(ada, listed[1])[-1] is Role.AUDITOR
    assert people.may_make_owner(ada, listed[1])
    expect_rejection(memory, NotPermitted, lambda: people.list_people(bob))
    expect_rejection(memory, NotPermitted, lambda: people.get_person(bob, "Carol"))
    expect_rejection(memory, NotPermitted, lambda: queries.events(bob, 10))
    expect_rejection(memory, NotFound, lambda: people.get_person(ada, "Nobody"))
    assert people.get_person(bob, "BOB").email == "bob@example.org"
    assert queries.events(ada, 3).items[0].event_id == queries.version() == memory.event_count
