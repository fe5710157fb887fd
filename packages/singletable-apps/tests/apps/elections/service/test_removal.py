"""What happens to the data of a removed user."""

from __future__ import annotations

from datetime import timedelta

import pytest

from singletable_apps.elections.entities import User
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.errors import NotFound
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.support.elections.checks import check_consistency, expect_rejection
from tests.apps.support.elections.world import PASSWORD, World, ballot, dump_items
from tests.apps.support.tables import stored_text


@pytest.fixture
def bob(world: World) -> User:
    """Return Bob, who voted in an open, a closed and an ended election, all with voter lists."""
    ada, bob, carol = world.register("Ada", "Bob", "Carol")
    soon = world.clock.now + timedelta(hours=1)
    world.launch(ada, "Open", voters=["Bob"])
    world.launch(ada, "Closed", voters=["Bob", "Carol"])
    world.launch(ada, "Ended", voters=["Bob"], terms=ElectionSettings(no_voting_after=soon))
    for name in ("Open", "Closed", "Ended"):
        world.service.voting.cast(bob, name, ballot("Red"), "k")
    world.service.voting.cast(carol, "Closed", ballot("Blue"), "k")
    world.service.lifecycle.close(ada, "Closed")
    world.clock.advance(hours=2)
    return bob


def test_removing_a_user_deletes_open_ballots_and_anonymizes_closed_ones(
    world: World, bob: User
) -> None:
    ada = world.service.context.read.get_user("Ada")
    results, nobody = world.service.results, f"removed@{bob.user_id}"
    shown = {one.voter_name for one in results.ballots(ada, "Closed")}
    assert shown == {"Bob", "Carol"}
    signed = results.published(ada, "Closed")
    world.service.people.remove(ada, "bob")
    who = world.service.queries.who_voted
    assert who(ada, "Open", 10)[0] == []
    assert sorted(who(ada, "Closed", 10)[0]) == ["Carol", nobody]
    assert who(ada, "Ended", 10)[0] == [nobody]
    assert results.tally(ada, "Ended").ballots_cast == 1
    assert results.published(ada, "Closed") == signed
    # Cached results do not show the name either.
    assert {one.voter_name for one in results.ballots(ada, "Closed")} == {nobody, "Carol"}
    assert world.service.voting.ballot(ada, "Closed", nobody).voter_name == nobody
    for unknown in ("removed@", "removed@1000", "removed@²"):
        with pytest.raises(NotFound):
            world.service.voting.ballot(ada, "Closed", unknown)
    kept = [item for item in dump_items(world.driver) if '"Bob"' in item or "#Bob" in item]
    assert not kept, "no item contains the name"
    check_consistency(world)


def test_voter_list_never_becomes_everyone_after_removals(world: World, bob: User) -> None:
    ada = world.service.context.read.get_user("Ada")
    world.service.people.remove(ada, "Bob")
    assert world.service.context.read.get_election("Open").voter_count == 1
    assert world.service.queries.voters(ada, "Open", 10)[0] == []
    cast = world.service.voting.cast
    expect_rejection(world, NotPermitted, lambda: cast(ada, "Open", ballot("Red"), "k"))
    (dave,) = world.register("Dave")
    world.service.lifecycle.set_voters(ada, "Open", ["Dave"])
    assert world.service.context.read.get_election("Open").voter_count == 2
    cast(dave, "Open", ballot("Red"), "k")
    assert world.service.lifecycle.set_voters(ada, "Open", []).voter_count == 0
    cast(ada, "Open", ballot("Red"), "k")
    check_consistency(world)


def test_new_user_with_a_removed_name_inherits_nothing(world: World, bob: User) -> None:
    access = world.service.auth
    signed_in = access.sign_in("Bob", PASSWORD)
    access.request_reset("Bob")
    ada = world.service.context.read.get_user("Ada")
    assert "RESET" in stored_text(world.service.context.store)
    world.service.people.remove(ada, "Bob")
    assert "RESET" not in stored_text(world.service.context.store)
    other = world.service.people.register("Bob", "bob@example.org", "orchard violet engine")
    assert other.user_id != bob.user_id
    assert (other.ballots_cast, other.elections_owned) == (0, 0)
    voting = world.service.voting
    expect_rejection(world, NotFound, lambda: voting.ballot(other, "Closed", "Bob"))
    expect_rejection(world, NotPermitted, lambda: voting.cast(other, "Open", ballot("Red"), "k"))
    for ask in (
        lambda: access.authenticate(signed_in.access),
        lambda: access.renew(signed_in.refresh),
        lambda: access.sign_in("Bob", PASSWORD),
        lambda: voting.cast(bob, "Open", ballot("Red"), "k"),
    ):
        expect_rejection(world, NotSignedIn, ask)
    assert access.sessions(other) == []


def test_renamed_voter_appears_beside_the_ballot_at_once(world: World, bob: User) -> None:
    ada = world.service.context.read.get_user("Ada")
    results = world.service.results
    assert {one.voter_name for one in results.ballots(ada, "Closed")} == {"Bob", "Carol"}
    world.service.people.rename(ada, "Bob", "Robert")
    assert {one.voter_name for one in results.ballots(ada, "Closed")} == {"Robert", "Carol"}
