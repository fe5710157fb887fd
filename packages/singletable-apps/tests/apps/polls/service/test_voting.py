"""Voting: a voter has one vote, and a rejected vote leaves nothing in the table."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import product

import pytest

from singletable.testing import StoreClock
from singletable_apps.polls.entities import Protection, ResultsVisibility
from singletable_apps.polls.errors import (
    AlreadyVoted,
    CodeUsed,
    NotFound,
    PollClosed,
    ResultsHidden,
)
from singletable_apps.polls.rules import GRACE_PERIOD, PollDraft
from singletable_apps.polls.service import Viewer, Voter
from tests.apps.polls.support.harness import (
    OPTIONS,
    World,
    cast,
    changed,
    check_counted,
    close,
    code,
    dump,
    results,
)

KNOWN = (Protection.BROWSER, Protection.CODES)


@pytest.mark.parametrize("kind", KNOWN)
def test_voter_has_one_vote_that_can_change(world: World, kind: Protection) -> None:
    managed = world.made(changed(PollDraft("Q", OPTIONS), protection=kind), codes=3)
    voters = [Voter(f"b{n}", code(managed, n), f"r{n}", f"p{n}") for n in range(3)]
    confirmed = dict[str, list[str]]()
    for ranked in (["Go"], ["Go"], ["Rust", "Go"], ["Rust", "Go"], ["Go"]):
        for voter in voters:
            answer = cast(world.service, managed, ranked, voter)
            assert answer.is_new is (answer.vote.id not in confirmed)
            assert answer.vote.rankings == ranked
            confirmed[answer.vote.id] = ranked
    assert check_counted(world, managed, confirmed) == 3


# The organizer knows every code, but must not learn or change how it voted.
def test_vote_cast_with_a_code_needs_its_proof(memory: World) -> None:
    managed = memory.made(changed(PollDraft("Q", OPTIONS), protection=Protection.CODES), codes=1)
    service, typed = memory.service, code(managed, 0)
    poll = service.context.get_poll(managed.poll.id)
    vote = cast(service, managed, ["Go"], Voter(code=typed, proof="p")).vote
    # A right guess of the ranking gets the same error as a wrong one.
    for ranked, proof in product((["Go"], ["Rust"]), ("q", None)):
        with pytest.raises(CodeUsed):
            cast(service, managed, ranked, Voter(code=typed, proof=proof))
        with pytest.raises(CodeUsed):
            service.voting.find_vote(poll, Voter(code=typed, proof=proof))
    spelled = f" {typed.lower().replace('-', ' ')} "
    assert service.voting.find_vote(poll, Voter(code=spelled, proof="p")) == vote
    assert not cast(service, managed, ["Rust"], Voter(code=spelled, proof="p")).is_new
    check_counted(memory, managed, {vote.id: ["Rust"]})


# In an open poll each vote is a new one, changeable or not.
@pytest.mark.parametrize(
    ("kind", "changeable"), [*((kind, False) for kind in KNOWN), (Protection.OPEN, True)]
)
def test_unchangeable_vote_stays(memory: World, kind: Protection, changeable: bool) -> None:
    managed = memory.made(
        changed(PollDraft("Q", OPTIONS), protection=kind, changeable=changeable),
        codes=1,
    )
    voter = Voter("b", code(managed, 0), "r", "p")
    first = cast(memory.service, managed, ["Go"], voter)
    assert not cast(memory.service, managed, ["Go"], voter).is_new
    before = dump(memory.driver)
    with pytest.raises(AlreadyVoted, match="cannot be changed"):
        cast(memory.service, managed, ["Rust"], voter)
    assert dump(memory.driver) == before
    check_counted(memory, managed, {first.vote.id: ["Go"]})


def test_unidentified_voters_can_vote_repeatedly(memory: World) -> None:
    managed = memory.made(changed(PollDraft("Q", OPTIONS), protection=Protection.OPEN))
    for _ in range(5):
        assert cast(memory.service, managed, ["Go"], "same browser").is_new
    assert check_counted(memory, managed) == 5


@pytest.mark.parametrize("poll_id", ["", "x", "x" * 3000, "\ud800", "a#b"])
def test_malformed_poll_id_is_not_found(memory: World, poll_id: str) -> None:
    for ask in (
        lambda: memory.service.voting.cast(poll_id, ["Go"], Voter("b")),
        lambda: memory.service.results.get(poll_id, Viewer()),
        lambda: memory.service.lifecycle.delete(poll_id, "key"),
    ):
        with pytest.raises(NotFound):
            ask()
    assert memory.service.voting.get_vote(memory.made().poll.id, poll_id) is None


def test_poll_closes_at_its_closing_time(memory: World) -> None:
    ends = memory.clock() + timedelta(hours=1)
    managed = memory.made(PollDraft("Q", OPTIONS, expires_at=ends))
    vote = cast(memory.service, managed, ["Go"], "a").vote
    memory.clock.now = ends - timedelta(microseconds=2)
    other = cast(memory.service, managed, ["Go"], "b").vote
    memory.clock.now = ends
    for voter in ("a", "c"):
        with pytest.raises(PollClosed):
            cast(memory.service, managed, ["Rust"], voter)
    check_counted(memory, managed, {vote.id: ["Go"], other.id: ["Go"]})


# Servers have clocks of their own; a server that is slow must not change final results.
def test_final_results_allow_for_slow_clocks(memory: World) -> None:
    ends = memory.clock() + timedelta(hours=1)
    managed = memory.made(PollDraft("Q", OPTIONS, expires_at=ends))
    slow = StoreClock(tick=timedelta.resolution)
    behind = memory.open(clock=slow)
    memory.clock.now = ends + GRACE_PERIOD / 2
    slow.now = ends - timedelta(seconds=1)
    assert not results(memory.service, managed).is_final
    assert cast(behind, managed, ["Go"], "b").is_new
    memory.clock.now, slow.now = ends + GRACE_PERIOD, ends + GRACE_PERIOD / 2
    outcome = results(memory.service, managed)
    assert (outcome.is_final, outcome.tally.votes) == (True, 1)
    with pytest.raises(PollClosed):
        cast(behind, managed, ["Go"], "c")


def test_results_are_visible_after_voting(memory: World) -> None:
    managed = memory.made(changed(PollDraft("Q", OPTIONS), results=ResultsVisibility.AFTER_VOTING))
    voter = Viewer(Voter("b"))
    for viewer in (Viewer(), voter, Viewer(vote_id="x"), Viewer(admin_key="x")):
        with pytest.raises(ResultsHidden):
            results(memory.service, managed, viewer)
    vote = cast(memory.service, managed, ["Go"], "b").vote
    for viewer in (voter, Viewer(vote_id=vote.id), Viewer(admin_key=managed.admin_key)):
        assert results(memory.service, managed, viewer).tally.votes == 1
    with pytest.raises(ResultsHidden):
        results(memory.service, managed, Viewer(Voter("c")))


def test_results_version_changes_with_every_vote(memory: World) -> None:
    managed = memory.made()
    marks = set[str]()
    for number in range(5):
        cast(memory.service, managed, ["Go"], f"{number}")
        marks.add(results(memory.service, managed).version)
        marks.add(results(memory.open(), managed).version)
    close(memory.service, managed)
    marks.add(results(memory.service, managed).version)
    assert len(marks) == 6


def test_vote_with_longest_options_fits_into_an_item(memory: World) -> None:
    options = [f"{number:02}" + "Ж" * 98 for number in range(50)]
    managed = memory.made(replace(PollDraft("Q", options), title="Ж" * 200, description="Ж" * 2000))
    vote = cast(memory.service, managed, options[::-1], "b").vote
    check_counted(memory, managed, {vote.id: options[::-1]})
