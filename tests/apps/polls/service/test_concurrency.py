"""Many who vote at once, through two services: one vote a voter, and nothing after the close."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

import pytest

from singletable_apps.polls.entities import Protection
from singletable_apps.polls.errors import NotFound, PollClosed, PollHasVotes, RequestRejected
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import CastVote, Polls, Viewer, Voter
from tests.apps.polls.support.harness import OPTIONS, World, check_counted, code_voter, dump

T = TypeVar("T")
THREADS = 16
CODES = PollDraft("Q", OPTIONS, protection=Protection.CODES)


def at_once(deeds: Sequence[Callable[[], T]]) -> list[T | RequestRejected]:
    """Run the calls concurrently and return each outcome."""
    begin = threading.Barrier(THREADS)

    def run(numbered: tuple[int, Callable[[], T]]) -> T | RequestRejected:
        number, deed = numbered
        if number < THREADS:
            begin.wait()
        try:
            return deed()
        except RequestRejected as refusal:
            return refusal

    assert len(deeds) >= THREADS
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, enumerate(deeds)))


def _votes(
    services: Sequence[Polls], poll_id: str, voters: Sequence[Voter]
) -> list[Callable[[], CastVote]]:
    """Each votes through one of the services; every eighth ranks the same."""

    def deed(number: int, voter: Voter) -> Callable[[], CastVote]:
        service, ranked = services[number % len(services)], OPTIONS[number // 2 % 4 :]
        return lambda: service.voting.cast(poll_id, ranked, voter)

    return [deed(number, voter) for number, voter in enumerate(voters)]


def _confirmed(answers: Sequence[CastVote | RequestRejected]) -> dict[str, list[str]]:
    return {one.vote.id: one.vote.rankings for one in answers if isinstance(one, CastVote)}


# The issue's own words: five hundred voters with one-time codes, exactly one vote a code. The tests
# below run on every driver.
@pytest.mark.parametrize("drivers", ["file"], indirect=True)
def test_500_codes_sent_twice_concurrently_are_500_votes(
    worlds: tuple[World, World],
) -> None:
    world, other = worlds
    managed = world.made(CODES, codes=500)
    voters = [code_voter(managed, number // 2) for number in range(1_000)]
    answers = at_once(_votes([world.service, other.service], managed.poll.id, voters))
    casts = [one for one in answers if isinstance(one, CastVote)]
    assert len(casts) == 1_000
    assert sum(one.is_new for one in casts) == 500
    assert set(Counter(one.vote.id for one in casts).values()) == {2}
    assert check_counted(world, managed, _confirmed(answers)) == 500
    assert all(
        one.is_used for one in world.service.codes.list_issued(managed.poll.id, managed.admin_key)
    )


def test_concurrent_rankings_of_one_code_are_one_vote(worlds: tuple[World, World]) -> None:
    world, other = worlds
    managed = world.made(replace(CODES, changeable=False), codes=12)
    voters = [code_voter(managed, number % 12) for number in range(24)]
    answers = at_once(_votes([world.service, other.service], managed.poll.id, voters))
    assert sum(isinstance(one, CastVote) for one in answers) == 12
    assert check_counted(world, managed, _confirmed(answers)) == 12


def test_no_vote_is_counted_after_close_returns(worlds: tuple[World, World]) -> None:
    world, other = worlds
    managed = world.made()
    closed = list[int]()

    def close() -> CastVote:
        other.service.lifecycle.close(managed.poll.id, managed.admin_key)
        closed.append(other.service.results.get(managed.poll.id, Viewer()).tally.votes)
        raise PollClosed("It is closed.")

    deeds = _votes(
        [world.service, other.service], managed.poll.id, [Voter(f"{n}") for n in range(100)]
    )
    answers = at_once([*deeds[:40], close, *deeds[40:]])
    confirmed = _confirmed(answers)
    assert {type(one) for one in answers} == {CastVote, PollClosed}
    assert closed == [check_counted(world, managed, confirmed)]
    assert confirmed


def test_concurrent_edits_of_options_and_votes_are_serialized(worlds: tuple[World, World]) -> None:
    world, other = worlds
    managed = world.made()

    def edit_question(number: int) -> Callable[[], CastVote]:
        def deed() -> CastVote:
            other.service.lifecycle.edit(
                managed.poll.id,
                managed.admin_key,
                lambda draft: replace(draft, candidates=(*OPTIONS, f"More {number}")[::-1]),
            )
            raise PollHasVotes("It is done.")

        return deed

    voters = [Voter(f"{number}") for number in range(16)]
    deeds = _votes([world.service, other.service], managed.poll.id, voters)
    answers = at_once([edit_question(0), edit_question(1), *deeds])
    assert check_counted(world, managed, _confirmed(answers)) == 16


def test_texts_and_times_can_change_during_voting(worlds: tuple[World, World]) -> None:
    world, other = worlds
    managed = world.made()

    def change(number: int) -> Callable[[], CastVote]:
        def deed() -> CastVote:
            other.service.lifecycle.edit(
                managed.poll.id,
                managed.admin_key,
                lambda draft: replace(draft, title=f"T{number}", changeable=number % 2 == 0),
            )
            raise PollHasVotes("It is done.")

        return deed

    voters = [Voter(f"{number}") for number in range(40)]
    deeds = _votes([world.service, other.service], managed.poll.id, voters)
    answers = at_once([*deeds[:10], change(1), *deeds[10:20], change(2), *deeds[20:], change(3)])
    assert check_counted(world, managed, _confirmed(answers)) == 40


def test_delete_during_voting_leaves_no_items(
    worlds: tuple[World, World],
) -> None:
    world, other = worlds
    managed = world.made()

    def delete() -> CastVote:
        other.service.lifecycle.delete(managed.poll.id, managed.admin_key)
        raise NotFound("It is deleted.")

    voters = [Voter(f"{number}") for number in range(60)]
    deeds = _votes([world.service, other.service], managed.poll.id, voters)
    looks = [lambda: _look(world.service, managed.poll.id)] * 5
    answers = at_once([*deeds[:20], delete, *looks, *deeds[20:]])
    assert {type(one) for one in answers if not isinstance(one, CastVote)} == {NotFound}
    assert dump(world.driver) == []


def _look(service: Polls, poll_id: str) -> CastVote:
    service.results.get(poll_id, Viewer())
    raise NotFound("It was looked at.")


def test_results_include_every_confirmed_vote(
    worlds: tuple[World, World], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable_apps.polls.tally.MIN_NEW_ENTRIES", 10)
    world, other = worlds
    managed = world.made()
    answered, lock = [0], threading.Lock()

    def vote(number: int) -> Callable[[], bool]:
        def deed() -> bool:
            service = (world, other)[number % 2].service
            service.voting.cast(managed.poll.id, ["Go"], Voter(f"{number}"))
            with lock:
                answered[0] += 1
            return True

        return deed

    def count(number: int) -> Callable[[], bool]:
        def deed() -> bool:
            before = answered[0]
            return (world, other)[number % 2].service.tallies.get(managed.poll).votes >= before

        return deed

    answers = at_once([(vote if number % 3 else count)(number) for number in range(120)])
    assert set(answers) == {True}
    assert check_counted(world, managed) == 80
