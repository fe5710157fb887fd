"""Many concurrent votes through two services: one vote per voter, and none after the close."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeAlias

import pytest

from singletable_apps.polls.entities import Protection
from singletable_apps.polls.errors import NotFound, PollClosed, RequestRejected
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import CastVote, ManagedPoll, Voter
from tests.apps.polls.support.harness import (
    OPTIONS,
    World,
    cast,
    changed,
    check_counted,
    close,
    code_voter,
    delete,
    dump,
    edit,
    results,
)

THREADS = 16
CODES = changed(PollDraft("Q", OPTIONS), protection=Protection.CODES)
Worlds: TypeAlias = tuple[World, World]


def at_once(calls: Sequence[Callable[[], object]]) -> list[object]:
    """Run the calls concurrently and return each result or rejection."""
    begin = threading.Barrier(THREADS)

    def run(numbered: tuple[int, Callable[[], object]]) -> object:
        number, call = numbered
        if number < THREADS:
            begin.wait()
        try:
            return call()
        except RequestRejected as rejection:
            return rejection

    assert len(calls) >= THREADS
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, enumerate(calls)))


def _votes(
    worlds: Worlds, managed: ManagedPoll, voters: Sequence[Voter]
) -> list[Callable[[], object]]:
    """Return a vote of each voter through one of the services; every eighth ranks the same."""
    return [
        partial(cast, worlds[number % 2].service, managed, OPTIONS[number // 2 % 4 :], voter)
        for number, voter in enumerate(voters)
    ]


def _browsers(number: int) -> list[Voter]:
    return [Voter(f"{each}") for each in range(number)]


def _confirmed(answers: Sequence[object]) -> dict[str, list[str]]:
    return {one.vote.id: one.vote.rankings for one in answers if isinstance(one, CastVote)}


# The tests below run on every driver, with fewer voters.
@pytest.mark.rest
@pytest.mark.parametrize("drivers", ["file"], indirect=True)
def test_500_codes_sent_twice_concurrently_are_500_votes(worlds: Worlds) -> None:
    world = worlds[0]
    managed = world.made(CODES, codes=500)
    voters = [code_voter(managed, number // 2) for number in range(1_000)]
    answers = at_once(_votes(worlds, managed, voters))
    casts = [one for one in answers if isinstance(one, CastVote)]
    assert len(casts) == 1_000
    assert sum(one.is_new for one in casts) == 500
    assert set(Counter(one.vote.id for one in casts).values()) == {2}
    assert check_counted(world, managed, _confirmed(answers)) == 500
    issued = world.service.codes.list_issued(managed.poll.id, managed.admin_key)
    assert all(one.is_used for one in issued)


def test_concurrent_rankings_of_one_code_are_one_vote(worlds: Worlds) -> None:
    managed = worlds[0].made(changed(CODES, changeable=False), codes=12)
    voters = [code_voter(managed, number % 12) for number in range(24)]
    answers = at_once(_votes(worlds, managed, voters))
    assert sum(isinstance(one, CastVote) for one in answers) == 12
    assert check_counted(worlds[0], managed, _confirmed(answers)) == 12


def test_no_vote_is_counted_after_close_returns(worlds: Worlds) -> None:
    world, other = worlds
    managed = world.made()

    def close_and_count() -> int:
        close(other.service, managed)
        return results(other.service, managed).tally.votes

    votes = _votes(worlds, managed, _browsers(100))
    answers = at_once([*votes[:40], close_and_count, *votes[40:]])
    confirmed = _confirmed(answers)
    assert {type(one) for one in answers} == {CastVote, PollClosed, int}
    assert answers[40] == check_counted(world, managed, confirmed)
    assert confirmed


def test_concurrent_edits_of_options_and_votes_are_serialized(worlds: Worlds) -> None:
    managed = worlds[0].made()
    edits = [
        partial(edit, worlds[1].service, managed, candidates=(*OPTIONS, f"More {number}")[::-1])
        for number in range(2)
    ]
    answers = at_once([*edits, *_votes(worlds, managed, _browsers(16))])
    assert check_counted(worlds[0], managed, _confirmed(answers)) == 16


def test_texts_and_times_can_change_during_voting(worlds: Worlds) -> None:
    managed = worlds[0].made()
    edits = [
        partial(edit, worlds[1].service, managed, title=f"T{number}", changeable=number % 2 == 0)
        for number in range(1, 4)
    ]
    votes = _votes(worlds, managed, _browsers(40))
    answers = at_once([*votes[:10], edits[0], *votes[10:20], edits[1], *votes[20:], edits[2]])
    assert check_counted(worlds[0], managed, _confirmed(answers)) == 40


def test_delete_during_voting_leaves_no_items(worlds: Worlds) -> None:
    world, other = worlds
    managed = world.made()
    votes = _votes(worlds, managed, _browsers(60))
    reads: list[Callable[[], object]] = [lambda: results(world.service, managed).poll.id] * 5
    deletion = partial(delete, other.service, managed)
    answers = at_once([*votes[:20], deletion, *reads, *votes[20:]])
    assert {type(one) for one in answers} <= {CastVote, NotFound, str, type(None)}
    assert dump(world.driver) == []


def test_results_include_every_confirmed_vote(
    worlds: Worlds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable_apps.polls.tally.MIN_NEW_ENTRIES", 10)
    managed = worlds[0].made()
    answered, lock = [0], threading.Lock()

    def vote_or_count(number: int) -> bool:
        service = worlds[number % 2].service
        if number % 3 == 0:
            before = answered[0]
            return service.tallies.get(managed.poll).votes >= before
        cast(service, managed, ["Go"], f"{number}")
        with lock:
            answered[0] += 1
        return True

    answers = at_once([partial(vote_or_count, number) for number in range(120)])
    assert set(answers) == {True}
    assert check_counted(worlds[0], managed) == 80
