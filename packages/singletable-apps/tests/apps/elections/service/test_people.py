"""Users: registration, names, e-mail addresses, roles and removal."""

from __future__ import annotations

import pytest

from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service.people import set_email
from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.errors import AlreadyExists, InvalidInput, NotFound, RequestRejected
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.support.elections.checks import expect_rejection
from tests.apps.support.elections.world import PASSWORD, World, ballot, dump_items


def test_first_user_becomes_owner_and_others_get_the_default_role(memory: World) -> None:
    first = memory.service.people.register("Ada", "ada@example.org", PASSWORD)
    second = memory.service.people.register("Bob", "bob@example.org", PASSWORD)
    assert (first.role, second.role) == (Role.OWNER, Role.USER)
    assert (first.user_id, second.user_id) == (1, 2)
    counts = memory.service.queries.counts(first)
    assert (counts.user_count, counts.election_count) == (2, 0)


@pytest.mark.parametrize(
    ("name", "address", "why", "field"),
    [
        ("ada", "new@example.org", AlreadyExists, "name"),
        ("ADA", "new@example.org", AlreadyExists, "name"),
        ("  Ada ", "new@example.org", AlreadyExists, "name"),
        ("System", "new@example.org", AlreadyExists, "name"),
        ("Bob", "ADA@example.org", AlreadyExists, "email"),
        ("a@b", "new@example.org", InvalidInput, "name"),
        ("Bob", "nowhere", InvalidInput, "email"),
    ],
)
def test_invalid_registration_names_the_wrong_field(
    memory: World, name: str, address: str, why: type[RequestRejected], field: str
) -> None:
    memory.register("Ada")
    error = expect_rejection(
        memory, why, lambda: memory.service.people.register(name, address, PASSWORD)
    )
    assert error.field == field


@pytest.mark.parametrize("name", ["#1 / 2 %20", "Zoë 🗳️", "a#b#c", "..x", "ＷＩＤＥ", "ǅ", "straße"])
def test_user_is_found_by_any_name_in_any_case(memory: World, name: str) -> None:
    ada, user = memory.register("Ada", name)
    for written in (name, name.upper(), name.lower(), name.swapcase(), name.casefold()):
        assert memory.service.people.get_person(ada, written).user_id == user.user_id
    assert memory.service.auth.sign_in(name, PASSWORD).user.user_id == user.user_id


def test_renaming_a_user_updates_everything(world: World) -> None:
    ada, bob = world.register("Ada", "Bob")
    world.launch(ada, "Colors", voters=["Bob"])
    world.service.voting.cast(bob, "Colors", ballot("Red"), "k")
    world.service.lifecycle.create(bob, "Bob's own")
    renamed = world.service.people.rename(bob, "bob", "Robert / #2")
    assert (renamed.name, renamed.user_id) == ("Robert / #2", 2)
    queries = world.service.queries
    assert queries.who_voted(ada, "Colors", 10)[0] == ["Robert / #2"]
    assert [one.voter_name for one in queries.voters(ada, "Colors", 10)[0]] == ["Robert / #2"]
    assert [one.name for one in queries.elections_of(ada, "robert / #2", 10)[0]] == ["Bob's own"]
    assert world.service.context.read.get_election("Bob's own").owner_name == "Robert / #2"
    assert not [item for item in dump_items(world.driver) if '"Bob"' in item or '#Bob"' in item]
    # The old name is available again.
    other = world.service.people.register("BOB", "another@example.org", PASSWORD)
    assert other.ballots_cast == 0


def test_name_can_change_only_in_case(memory: World) -> None:
    ada, bob = memory.register("Ada", "bob")
    memory.launch(ada, "Colors", voters=["bob"])
    memory.service.voting.cast(bob, "Colors", ballot("Red"), "k")
    memory.service.people.rename(bob, "bob", "BOB")
    assert memory.service.queries.who_voted(ada, "Colors", 10)[0] == ["BOB"]
    before = memory.event_count
    memory.service.people.rename(bob, "BOB", "BOB")
    assert memory.event_count == before, "the same name creates no event"


def test_name_and_email_change(memory: World) -> None:
    ada, bob = memory.register("Ada", "Bob")
    people = memory.service.people
    context = memory.service.context
    expect_rejection(memory, AlreadyExists, lambda: set_email(context, bob, "ADA@EXAMPLE.ORG"))
    expect_rejection(memory, AlreadyExists, lambda: people.rename(bob, "Bob", "aDA"))
    people.rename(bob, "Bob", "Robert")
    assert set_email(context, bob, "r@example.org").email == "r@example.org"
    assert memory.service.auth.sign_in("R@EXAMPLE.ORG", PASSWORD).user.name == "Robert"
    expect_rejection(memory, NotSignedIn, lambda: memory.service.auth.sign_in("Bob", PASSWORD))
    assert set_email(context, ada, "ADA@example.org").email[:3] == "ADA"


def test_editing_without_permission_is_rejected(memory: World) -> None:
    ada, bob, carol = memory.register("Ada", "Bob", "Carol")
    rename = memory.service.people.rename
    expect_rejection(memory, NotPermitted, lambda: rename(bob, "Carol", "C"))
    expect_rejection(memory, NotPermitted, lambda: rename(bob, "Ada", "A"))
    expect_rejection(memory, NotFound, lambda: rename(ada, "Nobody", "N"))
    memory.service.people.change_role(ada, "Bob", Role.VOTER)
    expect_rejection(memory, NotPermitted, lambda: rename(bob, "Bob", "B"))
    assert rename(ada, "Carol", "C").user_id == carol.user_id


def test_only_higher_roles_assign_roles(memory: World) -> None:
    ada, bob, carol = memory.register("Ada", "Bob", "Carol")
    change = memory.service.people.change_role
    assert change(ada, "bob", Role.ADMIN).role is Role.ADMIN
    assert change(bob, "CAROL", Role.OBSERVER).role is Role.OBSERVER
    expect_rejection(memory, NotPermitted, lambda: change(bob, "Carol", Role.ADMIN))
    expect_rejection(memory, NotPermitted, lambda: change(bob, "Ada", Role.USER))
    expect_rejection(memory, NotPermitted, lambda: change(bob, "Bob", Role.USER))
    expect_rejection(memory, NotPermitted, lambda: change(carol, "Bob", Role.USER))
    expect_rejection(memory, NotFound, lambda: change(ada, "Nobody", Role.USER))
    before = memory.event_count
    change(ada, "Bob", Role.ADMIN)
    assert memory.event_count == before


def test_owner_of_elections_or_site_cannot_be_removed(memory: World) -> None:
    ada, bob = memory.register("Ada", "Bob")
    remove = memory.service.people.remove
    memory.service.lifecycle.create(bob, "Colors")
    expect_rejection(memory, WrongState, lambda: remove(bob, "Bob"))
    expect_rejection(memory, WrongState, lambda: remove(ada, "Bob"))
    expect_rejection(memory, NotPermitted, lambda: remove(bob, "Ada"))
    expect_rejection(memory, NotFound, lambda: remove(ada, "Nobody"))
    memory.service.lifecycle.delete(bob, "Colors")
    expect_rejection(memory, WrongState, lambda: remove(ada, "Ada"))
    remove(bob, "Bob")
    remove(ada, "Ada")
    (next_one,) = memory.register("Bob")
    assert next_one.role is Role.OWNER
