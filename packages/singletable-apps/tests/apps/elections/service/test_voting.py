"""Cast and withdraw ballots: who can, when, what counts, and repeats of a request."""

from __future__ import annotations

import pytest

from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import IdempotencyKeyReused, WrongState
from singletable_apps.elections.log_state import REMEMBERED_REQUESTS
from singletable_apps.elections.rebuild import rebuild
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.elections.service.voting import Lines
from singletable_apps.shared.errors import InvalidInput, NotFound
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.support.elections.checks import expect_rejection
from tests.apps.support.elections.world import KEYS, World, ballot, dump_items, open_store


@pytest.mark.parametrize("secret", [False, True])
def test_ballot_can_be_replaced_and_the_last_one_counts(memory: World, secret: bool) -> None:
    ada, bob, cat = memory.register("Ada", "Bob", "Cat")
    memory.launch(ada, "E", terms=ElectionSettings(secret_ballot=secret))
    first = memory.service.voting.cast(bob, "E", ballot("Red", "Blue"), "1")
    second = memory.service.voting.cast(bob, "E", ballot("Blue", "Red"), "2")
    assert first.receipt["confirmation"] != second.receipt["confirmation"]
    assert second.when_cast > first.when_cast
    memory.service.voting.cast(ada, "E", ballot("Blue"), "3")
    memory.service.voting.cast(cat, "E", ballot("Blue"), "4")
    memory.service.lifecycle.close(ada, "E")
    tally = memory.service.results.tally(ada, "E")
    assert (tally.ballots_cast, tally.result.winners) == (3, ("Blue",))
    assert memory.reload(bob).ballots_cast == 1


def test_ballot_in_a_locked_election_is_final(memory: World) -> None:
    ada, bob = memory.register("Ada", "Bob")
    memory.launch(ada, "E", allow_edit=False)
    voting = memory.service.voting
    cast = voting.cast(bob, "E", ballot("Red"), "1")
    expect_rejection(memory, WrongState, lambda: voting.cast(bob, "E", ballot("Red"), "2"))
    expect_rejection(memory, WrongState, lambda: voting.withdraw(bob, "E"))
    again = voting.cast(bob, "E", ballot("Red"), "1")
    assert (again.is_repeat, again.receipt) == (True, cast.receipt)


def test_withdrawn_ballot_leaves_no_trace(memory: World) -> None:
    ada, bob = memory.register("Ada", "Bob")
    memory.launch(ada, "E")
    voting = memory.service.voting
    expect_rejection(memory, NotFound, lambda: voting.withdraw(bob, "E"))
    voting.cast(bob, "E", ballot("Red"), "1")
    voting.withdraw(bob, "E")
    assert memory.reload(bob).ballots_cast == 0
    expect_rejection(memory, NotFound, lambda: voting.ballot(bob, "E", "Bob"))
    assert memory.service.results.tally(ada, "E").ballots_cast == 0


def test_late_repeat_of_a_request_casts_nothing(world: World) -> None:
    ada, bob = world.register("Ada", "Bob")
    world.launch(ada, "E", terms=ElectionSettings(secret_ballot=True))
    voting = world.service.voting
    first = voting.cast(bob, "E", ballot("Red"), "1")
    second = voting.cast(bob, "E", ballot("Green"), "2")
    voting.withdraw(bob, "E")
    # Names may change meanwhile; whose request it is does not.
    world.service.lifecycle.edit(ada, "E", {"name": "F"})
    bob = world.service.people.rename(bob, "Bob", "Robert")

    def come_late() -> None:
        length = world.event_count
        for sent, lines, key in ((first, "Red", "1"), (second, "Green", "2")):
            late = voting.cast(bob, "F", ballot(lines), key)
            assert (late.is_repeat, late.receipt["confirmation"]) == (
                True,
                sent.receipt["confirmation"],
            )
        expect_rejection(
            world, IdempotencyKeyReused, lambda: voting.cast(bob, "F", ballot("Blue"), "1")
        )
        assert world.event_count == length

    come_late()
    expect_rejection(world, NotFound, lambda: voting.ballot(bob, "F", "Robert"))
    third = voting.cast(bob, "F", ballot("Blue"), "3")
    assert not third.is_repeat
    come_late()
    voting.withdraw(bob, "F")
    come_late()
    assert voting.cast(bob, "F", ballot("Blue"), "3").is_repeat
    kept = dump_items(world.driver)
    rebuild(open_store(world.driver), KEYS.ballot_key)
    assert dump_items(world.driver) == kept


@pytest.mark.parametrize("lines", [[], [("Purple", 1)], [("\ud800", 1)], [("x" * 10_000, 1)]])
def test_invalid_ballot_is_rejected(memory: World, lines: Lines) -> None:
    (ada,) = memory.register("Ada")
    memory.launch(ada, "E")
    cast = memory.service.voting.cast
    assert (
        expect_rejection(memory, InvalidInput, lambda: cast(ada, "E", lines, "k")).field
        == "rankings"
    )


def test_blank_ballot_is_accepted_and_ranks_nobody(memory: World) -> None:
    (ada,) = memory.register("Ada")
    memory.launch(ada, "E")
    memory.service.voting.cast(ada, "E", [("Red", None)], "k")
    assert memory.service.results.tally(ada, "E").ballots_cast == 1
    assert memory.service.queries.rankings(ada, "E") == [
        ("Red", None),
        ("Green", None),
        ("Blue", None),
    ]


def test_ineligible_voter_is_rejected(memory: World) -> None:
    ada, bob, carol = memory.register("Ada", "Bob", "Carol")
    voting = memory.service.voting
    memory.launch(ada, "E", voters=["Bob"])
    expect_rejection(memory, NotPermitted, lambda: voting.cast(carol, "E", ballot("Red"), "k"))
    expect_rejection(memory, NotPermitted, lambda: voting.cast(ada, "E", ballot("Red"), "k"))
    memory.service.people.change_role(ada, "Bob", Role.OBSERVER)
    expect_rejection(memory, NotPermitted, lambda: voting.cast(bob, "E", ballot("Red"), "k"))
    expect_rejection(memory, NotPermitted, lambda: voting.withdraw(bob, "E"))
    assert not memory.service.queries.is_eligible(ada, "E", "Bob")
    memory.service.lifecycle.set_voters(ada, "E", [])
    voting.cast(carol, "E", ballot("Red"), "k")
    expect_rejection(memory, NotFound, lambda: voting.cast(carol, "F", ballot("Red"), "k"))


def test_ballot_of_a_delisted_voter_stays_and_cannot_change(memory: World) -> None:
    ada, bob, _ = memory.register("Ada", "Bob", "Carol")
    memory.launch(ada, "E", voters=["Bob", "Carol"])
    memory.service.voting.cast(bob, "E", ballot("Red"), "k")
    memory.service.lifecycle.set_voters(ada, "E", ["Carol"])
    cast = memory.service.voting.cast
    expect_rejection(memory, NotPermitted, lambda: cast(bob, "E", ballot("Blue"), "l"))
    assert memory.service.results.tally(ada, "E").ballots_cast == 1


def test_readded_candidate_starts_without_rankings(memory: World) -> None:
    ada, bob, carol = memory.register("Ada", "Bob", "Carol")
    service = memory.service
    memory.launch(ada, "E")
    service.voting.cast(bob, "E", ballot("Red", "Green"), "1")
    service.lifecycle.set_candidates(ada, "E", ["Green", "Blue"])
    assert service.results.tally(ada, "E").result.winners == ("Green",)
    service.lifecycle.set_candidates(ada, "E", ["Red", "Green", "Blue"])
    assert service.results.tally(ada, "E").result.winners == ("Green",)
    assert service.queries.rankings(bob, "E") == [("Red", None), ("Green", 1), ("Blue", None)]
    for voter in (carol, ada):
        service.voting.cast(voter, "E", ballot("Red"), "1")
    assert service.results.tally(ada, "E").result.winners == ("Red",)
    # What was cast stays what it was, and its receipt holds.
    assert service.voting.ballot(bob, "E", "Bob").receipt["ranking"] == [["Red"], ["Green"]]


def test_different_spelling_is_a_different_candidate(memory: World) -> None:
    ada, _ = memory.register("Ada", "Bob")
    memory.launch(ada, "E")
    memory.service.voting.cast(ada, "E", ballot("Red"), "1")
    memory.service.lifecycle.set_candidates(ada, "E", ["RED", "Green"])
    assert memory.service.queries.rankings(ada, "E") == [("RED", None), ("Green", None)]


@pytest.fixture
def voter(memory: World) -> User:
    """Somebody who has cast a ballot by the key `k`."""
    ada, bob = memory.register("Ada", "Bob")
    memory.launch(ada, "E", terms=ElectionSettings(secret_ballot=True))
    memory.service.voting.cast(bob, "E", ballot("Red", "Blue"), "k")
    return bob


def test_repeated_request_returns_the_same_ballot(memory: World, voter: User) -> None:
    cast, length = memory.service.voting.cast, memory.event_count
    first = cast(voter, "E", ballot("Red", "Blue"), "k")
    ada = memory.service.context.read.get_user("Ada")
    memory.service.lifecycle.edit(ada, "E", {"name": "F"})
    memory.service.people.rename(ada, "Bob", "Robert")
    renamed = cast(voter, "F", ballot("Red", "Blue"), "k")
    memory.service.lifecycle.close(ada, "F")
    closed = cast(voter, "F", list(reversed(ballot("Red", "Blue"))), "k")
    answers = {(one.is_repeat, one.receipt["confirmation"]) for one in (first, renamed, closed)}
    assert answers == {(True, first.receipt["confirmation"])}
    assert memory.event_count == length + 3, "no event more than the three commands between"


@pytest.mark.parametrize(
    "lines", [ballot("Blue", "Red"), ballot("Red"), [("Red", 1), ("Blue", 1)], [("Red", 1)]]
)
def test_idempotency_key_is_for_one_ballot(memory: World, voter: User, lines: Lines) -> None:
    expect_rejection(
        memory, IdempotencyKeyReused, lambda: memory.service.voting.cast(voter, "E", lines, "k")
    )


def test_idempotency_keys_of_voters_are_independent(memory: World, voter: User) -> None:
    ada = memory.service.context.read.get_user("Ada")
    assert not memory.service.voting.cast(ada, "E", ballot("Blue"), "k").is_repeat
    memory.launch(ada, "F")
    assert not memory.service.voting.cast(voter, "F", ballot("Red", "Blue"), "k").is_repeat


def test_number_of_remembered_idempotency_keys_is_limited(memory: World, voter: User) -> None:
    cast, lines = memory.service.voting.cast, ballot("Green")
    for number in range(REMEMBERED_REQUESTS - 1):
        cast(voter, "E", lines, f"key {number}")
    assert cast(voter, "E", ballot("Red", "Blue"), "k").is_repeat
    cast(voter, "E", lines, "one more")
    assert not cast(voter, "E", ballot("Red", "Blue"), "k").is_repeat
