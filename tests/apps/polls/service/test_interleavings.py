"""What others do between two steps of something: it is decided anew, or was decided rightly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from singletable import (
    Query,
    Store,
    TransactWriteItems,
    UpdateItem,
)
from singletable.operations import Operation
from singletable_apps.polls.entities import Poll, Protection, VotingLane
from singletable_apps.polls.errors import (
    AlreadyVoted,
    InvalidCode,
    NotFound,
    PollClosed,
    PollHasVotes,
)
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import ManagedPoll, Polls, Viewer, Voter
from tests.apps.polls.support.harness import OPTIONS, World, check_counted, code_voter, dump
from tests.apps.polls.support.lossy_driver import Lossy
from tests.apps.support.drivers import InterruptingDriver

CODES = PollDraft("Q", OPTIONS, protection=Protection.CODES)
OPEN = PollDraft("Q", OPTIONS, protection=Protection.OPEN)


def _commits(operation: Operation[object]) -> bool:
    return isinstance(operation, TransactWriteItems)


def _counts_lines(operation: Operation[object]) -> bool:
    return isinstance(operation, Query) and "LANE" in str(operation)


def _between(
    world: World, when: Callable[[Operation[object]], bool], what: Callable[[], object]
) -> tuple[Polls, InterruptingDriver]:
    driver = InterruptingDriver(world.driver, when, what)
    return world.open(driver), driver


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody needs to wait for real."""
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)


def _close(world: World, own: ManagedPoll) -> Callable[[], object]:
    return lambda: world.service.lifecycle.close(own.poll.id, own.admin_key)


def _delete(world: World, own: ManagedPoll) -> Callable[[], object]:
    return lambda: world.service.lifecycle.delete(own.poll.id, own.admin_key)


def _change(world: World, own: ManagedPoll, **wanted: object) -> Callable[[], object]:
    def draft(now: PollDraft) -> PollDraft:
        return replace(now, **wanted)  # type: ignore[arg-type]

    return lambda: world.service.lifecycle.edit(own.poll.id, own.admin_key, draft)


def test_vote_is_rejected_if_the_poll_closes_before_the_write(memory: World) -> None:
    own = memory.made()
    service, driver = _between(memory, _commits, _close(memory, own))
    with pytest.raises(PollClosed):
        service.voting.cast(own.poll.id, ["Go"], Voter("a"))
    assert driver.happened
    check_counted(memory, own, {})


# The voter was asked for nothing when they came; by the time they vote, the poll asks for codes.
def test_vote_needs_a_code_if_the_poll_switches_to_codes(memory: World) -> None:
    own = memory.made(OPEN)
    begin = _change(memory, own, protection=Protection.CODES)
    service, driver = _between(memory, _commits, begin)
    with pytest.raises(InvalidCode):
        service.voting.cast(own.poll.id, ["Go"], Voter("a"))
    assert driver.happened
    check_counted(memory, own, {})


def test_vote_is_checked_against_changed_options(memory: World) -> None:
    own = memory.made()
    service, driver = _between(memory, _commits, _change(memory, own, candidates=("C", "Go")))
    vote = service.voting.cast(own.poll.id, ["Go"], Voter("a")).vote
    assert driver.happened
    assert service.results.get(own.poll.id, Viewer()).methods.runoff.winner == "Go"
    check_counted(memory, own, {vote.id: ["Go"]})


def test_options_do_not_change_after_a_concurrent_vote(memory: World) -> None:
    own = memory.made()

    def vote() -> None:
        memory.service.voting.cast(own.poll.id, ["Go"], Voter("a"))

    service, driver = _between(memory, _commits, vote)
    with pytest.raises(PollHasVotes):
        service.lifecycle.edit(
            own.poll.id, own.admin_key, lambda draft: replace(draft, candidates=("C", "D"))
        )
    assert driver.happened
    assert check_counted(memory, own) == 1


def test_vote_cannot_change_once_the_poll_forbids_it(memory: World) -> None:
    own = memory.made()
    vote = memory.service.voting.cast(own.poll.id, ["Go"], Voter("a")).vote
    service, driver = _between(memory, _commits, _change(memory, own, changeable=False))
    with pytest.raises(AlreadyVoted):
        service.voting.cast(own.poll.id, ["Rust"], Voter("a"))
    assert driver.happened
    check_counted(memory, own, {vote.id: ["Go"]})


def test_vote_in_a_poll_being_deleted_leaves_no_items(memory: World) -> None:
    own = memory.made()
    service, driver = _between(memory, _commits, _delete(memory, own))
    with pytest.raises(NotFound):
        service.voting.cast(own.poll.id, ["Go"], Voter("a"))
    assert driver.happened
    assert dump(memory.driver) == []


def test_next_vote_updates_an_outdated_lane(memory: World) -> None:
    own = memory.made()
    Store(memory.driver).update(Poll.key(own.poll.id), Poll.edition.set(2))
    vote = memory.service.voting.cast(own.poll.id, ["Go"], Voter("a")).vote
    lanes = Store(memory.driver).get_many([VotingLane.key(own.poll.id, n) for n in range(8)])
    assert sorted(lane.edition for lane in lanes if lane) == [1] * 7 + [2]
    check_counted(memory, own, {vote.id: ["Go"]})


# Whoever closed it died before the lanes followed; a voter from before is still on their way.
def test_final_results_include_votes_in_flight(memory: World) -> None:
    own = memory.made()
    seen = list[int]()

    def close_half_and_look() -> None:
        Store(memory.driver).update(
            Poll.key(own.poll.id), Poll.closed.set(True), Poll.edition.set(2)
        )
        outcome = memory.service.results.get(own.poll.id, Viewer())
        assert outcome.is_final
        seen.append(outcome.tally.votes)

    service, driver = _between(memory, _commits, close_half_and_look)
    with pytest.raises(PollClosed):
        service.voting.cast(own.poll.id, ["Go"], Voter("a"))
    assert driver.happened
    assert seen == [0]
    check_counted(memory, own, {})


@pytest.mark.parametrize("ends", ["closed", "over"])
def test_vote_with_lost_response_is_reported_as_counted(memory: World, ends: str) -> None:
    until = memory.clock() + timedelta(hours=1)
    own = memory.made(replace(CODES, expires_at=until), codes=1)
    then = {
        "closed": _close(memory, own),
        "over": lambda: memory.clock.move(hours=2),
    }[ends]
    driver = Lossy(memory.driver, TransactWriteItems, then=then)
    service = memory.open(driver)
    cast = service.voting.cast(own.poll.id, ["Go"], code_voter(own, 0))
    assert driver.lost
    assert cast.is_new
    check_counted(memory, own, {cast.vote.id: ["Go"]})


def test_results_never_mix_changed_options(memory: World) -> None:
    own = memory.made()

    def ask_anew() -> None:
        _change(memory, own, candidates=("Tea", "Milk", "Coffee", "Juice", "Water"))()
        memory.service.voting.cast(own.poll.id, ["Water"], Voter("a"))

    service, driver = _between(memory, _counts_lines, ask_anew)
    outcome = service.results.get(own.poll.id, Viewer())
    assert driver.happened
    assert outcome.methods.runoff.winner == "Water"
    other, _ = _between(memory, _counts_lines, lambda: None)
    assert other.tallies.recount(own.poll).agrees, "though the poll it was given is old"


def test_results_of_a_poll_deleted_meanwhile_are_not_found(memory: World) -> None:
    own = memory.made()
    for number in range(20):
        memory.service.voting.cast(own.poll.id, ["Go"], Voter(f"{number}"))
    service, driver = _between(memory, _counts_lines, _delete(memory, own))
    with pytest.raises(NotFound):
        service.results.get(own.poll.id, Viewer())
    assert driver.happened
    assert dump(memory.driver) == []


def test_edit_with_lost_response_is_not_a_conflict(memory: World) -> None:
    own = memory.made()

    def based_on_the_first(revision: int) -> None:
        assert revision == 1

    service = memory.open(Lossy(memory.driver, UpdateItem, times=1))
    poll = service.lifecycle.edit(
        own.poll.id, own.admin_key, lambda d: replace(d, title="T"), check=based_on_the_first
    )
    assert (poll.title, poll.revision) == ("T", 2)


def test_concurrent_issues_return_distinct_codes(memory: World) -> None:
    own = memory.made(CODES)
    others = list[str]()

    def issue() -> None:
        others.extend(memory.service.codes.issue(own.poll.id, own.admin_key, 5))

    service, driver = _between(memory, _commits, issue)
    mine = service.codes.issue(own.poll.id, own.admin_key, 5)
    assert driver.happened
    assert len({*mine, *others}) == 10


def test_concurrent_duplicate_issue_happens_once(memory: World) -> None:
    own = memory.made(CODES)

    def none_so_far(codes: int) -> None:
        if codes:
            raise LookupError

    def issue(service: Polls) -> None:
        service.codes.issue(own.poll.id, own.admin_key, 5, check=none_so_far)

    service, driver = _between(memory, _commits, lambda: issue(memory.service))
    with pytest.raises(LookupError):
        issue(service)
    assert driver.happened
    assert memory.service.context.get_poll(own.poll.id).codes == 5


def test_vote_counted_by_another_process_is_visible(memory: World) -> None:
    own = memory.made()
    assert memory.service.tallies.get(own.poll).votes == 0
    memory.open().voting.cast(own.poll.id, ["Go"], Voter("a"))
    assert memory.service.tallies.get(own.poll).votes == 1


def test_close_returns_after_all_lanes_are_closed(memory: World) -> None:
    own = memory.made()
    driver = Lossy(memory.driver, UpdateItem, times=4)
    memory.open(driver).lifecycle.close(own.poll.id, own.admin_key)
    assert driver.lost == 4
    lanes = Store(memory.driver).get_many([VotingLane.key(own.poll.id, n) for n in range(8)])
    assert [lane.edition for lane in lanes if lane] == [2] * 8
