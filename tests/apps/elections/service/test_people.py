"""Who is here: joining, names, addresses, roles, and leaving."""

from __future__ import annotations

import pytest

from singletable_apps.elections.errors import (
    AlreadyTaken,
    InvalidInput,
    NotFound,
    NotPermitted,
    NotSignedIn,
    Rejected,
    WrongState,
)
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service.context import Settings
from tests.apps.support.elections.checks import expect_rejection
from tests.apps.support.elections.world import PASSWORD, World, ballot, dump_items


def test_the_first_is_the_owner_and_who_follows_is_what_the_operator_chose(world: World) -> None:
    first = world.service.people.register("Ada", "ada@example.org", PASSWORD)
    second = world.service.people.register("Bob", "bob@example.org", PASSWORD)
    assert (first.role, second.role) == (Role.OWNER, Role.USER)
    assert (first.user_id, second.user_id) == (1, 2)
    counts = world.service.queries.counts(first)
    assert (counts.user_count, counts.election_count) == (2, 0)


def test_newcomers_have_the_role_of_the_settings(memory: World) -> None:
    memory.register("Ada")
    other = memory.open_service(settings=Settings(new_user_role=Role.OBSERVER))
    assert other.people.register("Bob", "b@example.org", PASSWORD).role is Role.OBSERVER


@pytest.mark.parametrize(
    ("name", "address", "why", "field"),
    [
        ("ada", "new@example.org", AlreadyTaken, "name"),
        ("ADA", "new@example.org", AlreadyTaken, "name"),
        ("  Ada ", "new@example.org", AlreadyTaken, "name"),
        ("System", "new@example.org", AlreadyTaken, "name"),
        ("Bob", "ADA@example.org", AlreadyTaken, "email"),
        ("a@b", "new@example.org", InvalidInput, "name"),
        ("", "new@example.org", InvalidInput, "name"),
        ("x" * 201, "new@example.org", InvalidInput, "name"),
        ("half \ud800", "new@example.org", InvalidInput, "name"),
        ("Bob", "nowhere", InvalidInput, "email"),
    ],
)
def test_registering_is_refused_with_the_field_that_is_wrong(
    memory: World, name: str, address: str, why: type[Rejected], field: str
) -> None:
    memory.register("Ada")
    refusal = expect_rejection(
        memory, why, lambda: memory.service.people.register(name, address, PASSWORD)
    )
    assert refusal.field == field


def test_a_password_that_is_easy_to_guess_is_refused(memory: World) -> None:
    register = memory.service.people.register
    refusal = expect_rejection(
        memory, InvalidInput, lambda: register("Ada", "ada@example.org", "password")
    )
    assert refusal.field == "password"


@pytest.mark.parametrize("name", ["#1 / 2 %20", "Zoë 🗳️", "a#b#c", "..x", "ＷＩＤＥ", "ǅ", "straße"])
def test_a_user_of_any_name_is_found_whatever_its_case(world: World, name: str) -> None:
    ada, user = world.register("Ada", name)
    for written in (name, name.upper(), name.lower(), name.swapcase(), name.casefold()):
        assert world.service.queries.user(ada, written).user.user_id == user.user_id
    assert world.service.auth.sign_in(name, PASSWORD).user.user_id == user.user_id


def test_all_that_bears_a_name_follows_it(world: World) -> None:
    ada, bob = world.register("Ada", "Bob")
    world.launch(ada, "Colours", voters=["Bob"])
    world.service.voting.cast(bob, "Colours", ballot("Red"), "k")
    world.service.lifecycle.create(bob, "Bob's own")
    renamed = world.service.people.rename(bob, "bob", "Robert / #2")
    assert (renamed.name, renamed.user_id, renamed.pending_rename) == ("Robert / #2", 2, None)
    queries = world.service.queries
    assert queries.who_voted(ada, "Colours", 10)[0] == ["Robert / #2"]
    assert [one.voter_name for one in queries.voters(ada, "Colours", 10)[0]] == ["Robert / #2"]
    assert [one.name for one in queries.elections_of(ada, "robert / #2", 10)[0]] == ["Bob's own"]
    assert world.service.context.read.get_election("Bob's own").owner_name == "Robert / #2"
    assert not [item for item in dump_items(world.driver) if '"Bob"' in item or '#Bob"' in item]
    # The old name is anybody's again.
    other = world.service.people.register("BOB", "another@example.org", PASSWORD)
    assert queries.activity(other).ballots_cast == 0


def test_a_name_may_change_its_case_alone(world: World) -> None:
    ada, bob = world.register("Ada", "bob")
    world.launch(ada, "Colours", voters=["bob"])
    world.service.voting.cast(bob, "Colours", ballot("Red"), "k")
    world.service.people.rename(bob, "bob", "BOB")
    assert world.service.queries.who_voted(ada, "Colours", 10)[0] == ["BOB"]
    before = world.event_count
    world.service.people.rename(bob, "BOB", "BOB")
    assert world.event_count == before, "the same name again is nothing to do"


def test_name_and_address_change_together_or_not_at_all(memory: World) -> None:
    ada, bob = memory.register("Ada", "Bob")
    edit = memory.service.people.edit
    expect_rejection(
        memory, AlreadyTaken, lambda: edit(bob, "Bob", name="Robert", email="ADA@EXAMPLE.ORG")
    )
    expect_rejection(
        memory, AlreadyTaken, lambda: edit(bob, "Bob", name="aDA", email="r@example.org")
    )
    both = edit(bob, "Bob", name="Robert", email="r@example.org")
    assert (both.name, both.email) == ("Robert", "r@example.org")
    assert memory.service.auth.sign_in("R@EXAMPLE.ORG", PASSWORD).user.name == "Robert"
    expect_rejection(memory, NotSignedIn, lambda: memory.service.auth.sign_in("Bob", PASSWORD))
    assert memory.service.people.change_email(ada, "Ada", "ADA@example.org").email[:3] == "ADA"


def test_who_may_not_edit_is_refused(memory: World) -> None:
    ada, bob, carol = memory.register("Ada", "Bob", "Carol")
    rename = memory.service.people.rename
    expect_rejection(memory, NotPermitted, lambda: rename(bob, "Carol", "C"))
    expect_rejection(memory, NotPermitted, lambda: rename(bob, "Ada", "A"))
    expect_rejection(memory, NotFound, lambda: rename(ada, "Nobody", "N"))
    memory.service.people.change_role(ada, "Bob", Role.VOTER)
    expect_rejection(memory, NotPermitted, lambda: rename(bob, "Bob", "B"))
    assert rename(ada, "Carol", "C").user_id == carol.user_id


def test_roles_are_given_from_above(world: World) -> None:
    ada, bob, carol = world.register("Ada", "Bob", "Carol")
    change = world.service.people.change_role
    assert change(ada, "bob", Role.ADMIN).role is Role.ADMIN
    assert change(bob, "CAROL", Role.OBSERVER).role is Role.OBSERVER
    expect_rejection(world, NotPermitted, lambda: change(bob, "Carol", Role.ADMIN))
    expect_rejection(world, NotPermitted, lambda: change(bob, "Ada", Role.USER))
    expect_rejection(world, NotPermitted, lambda: change(bob, "Bob", Role.USER))
    expect_rejection(world, NotPermitted, lambda: change(carol, "Bob", Role.USER))
    expect_rejection(world, NotFound, lambda: change(ada, "Nobody", Role.USER))
    before = world.event_count
    change(ada, "Bob", Role.ADMIN)
    assert world.event_count == before


def test_there_is_one_owner_and_it_can_be_another(world: World) -> None:
    ada, bob = world.register("Ada", "Bob")
    assert world.service.people.change_role(ada, "Bob", Role.OWNER).role is Role.OWNER
    assert world.reload(ada).role is Role.AUDITOR
    expect_rejection(
        world, NotPermitted, lambda: world.service.people.change_role(ada, "Bob", Role.AUDITOR)
    )
    expect_rejection(world, WrongState, lambda: world.service.people.remove(bob, "Bob"))


def test_who_owns_elections_or_everything_leaves_last(memory: World) -> None:
    ada, bob = memory.register("Ada", "Bob")
    remove = memory.service.people.remove
    memory.service.lifecycle.create(bob, "Colours")
    expect_rejection(memory, WrongState, lambda: remove(bob, "Bob"))
    expect_rejection(memory, WrongState, lambda: remove(ada, "Bob"))
    expect_rejection(memory, NotPermitted, lambda: remove(bob, "Ada"))
    expect_rejection(memory, NotFound, lambda: remove(ada, "Nobody"))
    memory.service.lifecycle.delete(bob, "Colours")
    expect_rejection(memory, WrongState, lambda: remove(ada, "Ada"))
    remove(bob, "Bob")
    remove(ada, "Ada")
    (next_one,) = memory.register("Bob")
    assert next_one.role is Role.OWNER


def test_a_wish_that_was_based_on_another_revision_changes_nothing(memory: World) -> None:
    ada, bob = memory.register("Ada", "Bob")

    def stale(revision: int) -> None:
        raise WrongState(f"revision {revision} is not what you saw.")

    people = memory.service.people
    expect_rejection(
        memory, WrongState, lambda: people.rename(ada, "Bob", "B", check_revision=stale)
    )
    expect_rejection(
        memory, WrongState, lambda: people.change_email(ada, "Bob", "b@b", check_revision=stale)
    )
    expect_rejection(
        memory, WrongState, lambda: people.change_role(ada, "Bob", Role.ADMIN, check_revision=stale)
    )
    expect_rejection(memory, WrongState, lambda: people.remove(ada, "Bob", check_revision=stale))
    seen: list[int] = []
    people.rename(ada, "Bob", "B", check_revision=seen.append)
    assert seen == [bob.revision]
