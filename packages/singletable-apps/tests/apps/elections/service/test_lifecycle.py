"""Elections from setup to the signed close, and every rejection on the way."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from singletable_apps.elections.entities import Election, Publication, State, User
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.roles import Permission, Role
from singletable_apps.elections.rules.elections import state_of
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.elections.service.lifecycle import Lifecycle
from singletable_apps.elections.service.queries import Turnout
from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.errors import AlreadyExists, InvalidInput, NotFound, RequestRejected
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.shared.service import RevisionCheck, any_revision
from tests.apps.support.elections.checks import expect_rejection
from tests.apps.support.elections.scenario import make_image
from tests.apps.support.elections.world import World, ballot, dump_items, read_events

NAMES = ("#1 / 2 %2F", "🗳️ Wahl", "Straße", "a#BALLOT#b", "ELECTION#x")


@pytest.mark.parametrize("name", NAMES)
def test_election_with_any_name_runs_in_any_case(memory: World, name: str) -> None:
    ada, bob = memory.register("Ada", "Bob")
    service = memory.service
    created = service.lifecycle.create(ada, f"  {name} ")
    assert (created.name, state_of(created), created.owner_name) == (name, State.SETUP, "Ada")
    folded = name.casefold()
    service.lifecycle.set_candidates(ada, folded, ["Red", "Grün / #1"])
    service.lifecycle.set_voters(ada, folded, ["BOB"])
    assert state_of(service.lifecycle.launch(ada, folded, allow_edit=True)) is State.EDITABLE
    service.voting.cast(bob, folded, [("GRÜN / #1", 1)], "k")
    assert state_of(service.lifecycle.lock(ada, folded)) is State.FIXED
    closed = service.lifecycle.close(ada, folded)
    assert state_of(closed) is State.CLOSED
    assert closed.election_id == created.election_id
    tally = service.results.tally(bob, folded)
    assert tally.result.winners == ("Grün / #1",)
    service.lifecycle.delete(ada, folded)
    assert not any(name in item or "Red" in item for item in dump_items(memory.driver))
    assert memory.reload(ada).elections_owned == memory.reload(bob).ballots_cast == 0


def _create(world: World, owner: User, state: State = State.SETUP) -> Election:
    """Return an election in a state."""
    if state is not State.SETUP:
        created = world.launch(owner, "E", allow_edit=state is not State.FIXED)
        return created if state is not State.CLOSED else world.service.lifecycle.close(owner, "E")
    world.service.lifecycle.create(owner, "E")
    return world.service.lifecycle.set_candidates(owner, "E", ["Red", "Green"])


Step = Callable[[Lifecycle, User, RevisionCheck], object]
EARLY = {State.SETUP, State.EDITABLE}
# Each command, and the states in which it is accepted; in all others it is rejected.
STEPS: dict[str, tuple[Step, set[State]]] = {
    "settings": (
        lambda s, u, check: s.edit(u, "E", {"secret_ballot": True}, check),
        {State.SETUP},
    ),
    "rename": (lambda s, u, check: s.edit(u, "E", {"name": "F"}, check), EARLY),
    "candidates": (lambda s, u, check: s.set_candidates(u, "E", ["Red", "Black"], check), EARLY),
    "voters": (lambda s, u, check: s.set_voters(u, "E", ["Ada"], check), EARLY),
    "launch": (
        lambda s, u, check: s.launch(u, "E", allow_edit=True, check_revision=check),
        {State.SETUP},
    ),
    "lock": (lambda s, u, check: s.lock(u, "E", check), {State.EDITABLE}),
    "close": (lambda s, u, check: s.close(u, "E", check), {State.EDITABLE, State.FIXED}),
    "transfer": (lambda s, u, check: s.transfer(u, "E", "Carol", check), set(State)),
    "delete": (lambda s, u, check: s.delete(u, "E", check), set(State)),
}


def _stale(revision: int) -> None:
    raise WrongState(f"It is {revision} now.")


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("step", STEPS)
def test_command_needs_the_right_state_the_owner_and_the_current_revision(
    memory: World, step: str, state: State
) -> None:
    _, bob, carol = memory.register("Ada", "Bob", "Carol")
    _create(memory, bob, state)
    lifecycle = memory.service.lifecycle
    command, states = STEPS[step]
    expect_rejection(memory, NotPermitted, lambda: command(lifecycle, carol, any_revision))
    expect_rejection(memory, WrongState, lambda: command(lifecycle, bob, _stale))
    length = memory.event_count
    if state in states:
        command(lifecycle, bob, any_revision)
        assert memory.event_count > length
    else:
        expect_rejection(memory, WrongState, lambda: command(lifecycle, bob, any_revision))


@pytest.mark.parametrize("step", STEPS)
def test_commands_reject_missing_elections_and_removed_actors(memory: World, step: str) -> None:
    ada, bob = memory.register("Ada", "Bob")
    lifecycle = memory.service.lifecycle
    command, _ = STEPS[step]
    expect_rejection(memory, NotFound, lambda: command(lifecycle, bob, any_revision))
    memory.service.people.remove(ada, "Bob")
    expect_rejection(memory, NotSignedIn, lambda: command(lifecycle, bob, any_revision))


REJECTED: dict[str, tuple[Callable[[Lifecycle, User], object], type[RequestRejected], str]] = {
    "taken": (lambda s, u: s.create(u, "Élan"), AlreadyExists, "name"),
    "taken, other case": (lambda s, u: s.create(u, "ÉLAN"), AlreadyExists, "name"),
    "taken, other form": (lambda s, u: s.create(u, "E\u0301lan"), AlreadyExists, "name"),
    "rename to taken": (
        lambda s, u: s.edit(u, "E", {"name": "élan"}),
        AlreadyExists,
        "name",
    ),
    "stranger": (lambda s, u: s.set_voters(u, "E", ["Bob", "Stranger"]), InvalidInput, "voters"),
    "to a stranger": (lambda s, u: s.transfer(u, "E", "Stranger"), InvalidInput, "owner"),
    "to an observer": (lambda s, u: s.transfer(u, "E", "Olga"), WrongState, "owner"),
    "to a surrogate": (lambda s, u: s.transfer(u, "E", "\ud800"), InvalidInput, "owner"),
    "long name": (lambda s, u: s.launch(u, "x" * 5000, allow_edit=True), NotFound, "election"),
    "surrogate": (lambda s, u: s.lock(u, "\ud800"), NotFound, "election"),
}


@pytest.mark.parametrize("case", REJECTED)
def test_invalid_settings_name_the_wrong_field(memory: World, case: str) -> None:
    ada, bob, _ = memory.register("Ada", "Bob", "Olga")
    memory.service.people.change_role(ada, "Olga", Role.OBSERVER)
    memory.service.lifecycle.create(bob, "Élan")
    _create(memory, bob)
    command, why, field = REJECTED[case]
    error = expect_rejection(memory, why, lambda: command(memory.service.lifecycle, bob))
    assert error.field == field


def test_unchanged_values_create_no_event(memory: World) -> None:
    ada, _ = memory.register("Ada", "Bob")
    service = memory.service
    memory.launch(ada, "E", voters=["Bob"])
    length = memory.event_count
    service.lifecycle.set_candidates(ada, "E", ["Red", "Green", "Blue"])
    service.lifecycle.set_voters(ada, "E", ["BOB"])
    service.lifecycle.edit(ada, "e", {"name": "E"})
    service.lifecycle.transfer(ada, "E", "ada")
    service.lifecycle.edit(ada, "E", {})
    assert memory.event_count == length


def test_renaming_an_election_moves_everything_in_it(world: World) -> None:
    ada, bob = world.register("Ada", "Bob")
    service = world.service
    world.launch(ada, "Old", voters=["Bob"])
    cast = service.voting.cast(bob, "Old", ballot("Red"), "k")
    for name in ("old", "New / #1"):
        assert service.lifecycle.edit(ada, "OLD", {"name": name}).name == name
    assert service.context.read.find_election("Old") is None
    assert service.queries.is_eligible(ada, "new / #1", "Bob")
    seen = service.voting.ballot(bob, "NEW / #1", "bob")
    assert seen.receipt["confirmation"] == cast.receipt["confirmation"]
    assert service.voting.cast(bob, "New / #1", ballot("Red"), "k").is_repeat
    assert service.lifecycle.create(bob, "Old").candidate_count == 0


def test_name_and_settings_change_atomically(memory: World) -> None:
    (ada,) = memory.register("Ada")
    edit = memory.service.lifecycle.edit
    memory.service.lifecycle.create(ada, "E")
    memory.service.lifecycle.create(ada, "F")
    expect_rejection(
        memory, AlreadyExists, lambda: edit(ada, "E", {"name": "f", "secret_ballot": True})
    )
    both = edit(ada, "E", {"name": "G", "secret_ballot": True})
    assert (both.name, both.secret_ballot, both.publication) == ("G", True, Publication.TOTALS)
    soon = memory.clock.now + timedelta(hours=1)
    assert edit(ada, "G", {"no_voting_after": soon}).no_voting_after == soon
    wrong = {"no_voting_before": soon}
    assert (
        expect_rejection(memory, InvalidInput, lambda: edit(ada, "G", wrong)).field
        == "no_voting_after"
    )
    bare = soon.replace(tzinfo=None)
    expect_rejection(memory, InvalidInput, lambda: edit(ada, "G", {"no_voting_before": bare}))
    assert edit(ada, "G", {"no_voting_after": None}).no_voting_after is None
    plain = memory.service.lifecycle.edit(ada, "G", {"secret_ballot": False})
    assert (plain.secret_ballot, plain.publication) == (False, Publication.CONFIRMATIONS)
    # A publication that was chosen stays.
    edit(ada, "G", {"publication": Publication.ANONYMOUS})
    assert edit(ada, "G", {"secret_ballot": True}).publication is Publication.ANONYMOUS


def test_administrator_can_delete_and_transfer_any_election(memory: World) -> None:
    ada, bob, carol = memory.register("Ada", "Bob", "Carol")
    memory.service.people.change_role(ada, "Carol", Role.ADMIN)
    _create(memory, bob)
    expect_rejection(
        memory,
        NotPermitted,
        lambda: memory.service.lifecycle.edit(carol, "E", {"name": "F"}),
    )
    assert memory.service.lifecycle.transfer(carol, "E", "Ada").owner_name == "Ada"
    assert (memory.reload(bob).elections_owned, memory.reload(ada).elections_owned) == (0, 1)
    expect_rejection(memory, NotPermitted, lambda: memory.service.lifecycle.delete(bob, "E"))
    memory.service.lifecycle.delete(carol, "E")
    assert memory.reload(ada).elections_owned == 0


# Otherwise an owner could not change the list anymore after an administrator changed a role.
def test_listed_voter_who_loses_the_right_to_vote_can_stay_listed(memory: World) -> None:
    ada, _, _ = memory.register("Ada", "Bob", "Carol")
    lifecycle = memory.service.lifecycle
    lifecycle.create(ada, "E")
    lifecycle.set_voters(ada, "E", ["Bob"])
    memory.service.people.change_role(ada, "Bob", Role.OBSERVER)
    assert lifecycle.set_voters(ada, "E", ["Bob", "Carol"]).voter_count == 2
    assert not memory.service.queries.is_eligible(ada, "E", "Bob")


def test_names_offered_as_voters_and_owners_are_those_that_are_accepted(memory: World) -> None:
    people = {
        "Ada": None,
        **{f"Person {role.rank}": role for role in Role if role is not Role.OWNER},
    }
    ada, *_ = memory.register(*people)
    for name, role in people.items():
        if role is not None:
            memory.service.people.change_role(ada, name, role)
    memory.service.lifecycle.create(ada, "E")
    service = memory.service

    def accepted(accept: Callable[[str], object]) -> list[str]:
        names: list[str] = []
        for name in people:
            try:
                accept(name)
            except (InvalidInput, WrongState):
                continue
            names.append(name)
        return names

    def offered(permission: Permission) -> list[str]:
        names, cursor = list[str](), None
        while True:
            page, cursor = service.queries.user_names(ada, 2, cursor, permission=permission)
            names += page
            if cursor is None:
                return names

    voters = accepted(lambda name: service.lifecycle.set_voters(ada, "E", [name]))
    assert offered(Permission.VOTE) == voters
    owners = accepted(lambda name: service.lifecycle.transfer(ada, "E", name))
    assert offered(Permission.USE_APPLICATION) == owners
    assert (len(voters), len(owners)) == (5, 4)


def test_closing_time_in_the_past_is_rejected(memory: World) -> None:
    (ada,) = memory.register("Ada")
    lifecycle, now = memory.service.lifecycle, memory.clock.now
    past = ElectionSettings(no_voting_after=now - timedelta(days=1))
    error = expect_rejection(memory, InvalidInput, lambda: lifecycle.create(ada, "E", past))
    assert error.field == "no_voting_after"
    soon = now + timedelta(hours=1)
    lifecycle.create(ada, "E", ElectionSettings(no_voting_after=soon))
    edit = {"no_voting_after": now}
    error = expect_rejection(memory, InvalidInput, lambda: lifecycle.edit(ada, "E", edit))
    assert error.field == "no_voting_after"
    # Time passes while the election is set up: its other settings can still be changed.
    memory.clock.advance(hours=2)
    edited = lifecycle.edit(ada, "E", {"name": "F", "secret_ballot": True})
    assert (edited.name, edited.no_voting_after) == ("F", soon)


def test_event_of_cleared_closing_time_mentions_it(memory: World) -> None:
    (ada,) = memory.register("Ada")
    lifecycle = memory.service.lifecycle
    soon = memory.clock.now + timedelta(hours=1)
    lifecycle.create(ada, "E", ElectionSettings(no_voting_after=soon))
    lifecycle.edit(ada, "E", {"no_voting_after": None})
    event = read_events(memory.driver)[-1]
    assert event.event_type == "ElectionUpdated"
    assert event.event_data["no_voting_after"] is None


def test_turnout_counts_the_voter_list_or_everyone_who_may_vote(memory: World) -> None:
    ada, bob, _, _ = memory.register("Ada", "Bob", "Carol", "Dave")
    memory.service.people.change_role(ada, "Dave", Role.OBSERVER)
    memory.launch(ada, "All")
    memory.launch(ada, "Listed", voters=["Ada", "Bob"])
    for name in ("All", "Listed"):
        memory.service.voting.cast(bob, name, ballot("Red"), "k")
    turnout = memory.service.queries.turnout
    assert turnout(ada, "All") == Turnout(voted=1, eligible=3, answered=1, partly=0)
    assert turnout(ada, "Listed") == Turnout(voted=1, eligible=2, answered=1, partly=0)


# Each picture is an event, and a transaction stores at most 100.
def test_copy_has_the_pictures_of_all_candidates(memory: World) -> None:
    (ada,) = memory.register("Ada")
    lifecycle, image = memory.service.lifecycle, make_image()
    lifecycle.create(ada, "Board")
    names = [f"Candidate {number}" for number in range(100)]
    lifecycle.set_candidates(ada, "Board", names)
    for name in names:
        lifecycle.edit_candidate(ada, "Board", name, picture=image)
    copied = lifecycle.copy(ada, "Board", "Board 2")
    assert {*memory.service.context.book.record(copied).pictures} == {*names}
