"""Changes by others between two steps of an operation: it starts again, or still holds."""

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


def _close(world: World, managed: ManagedPoll) -> Callable[[], object]:
    return lambda: world.service.lifecycle.close(managed.poll.id, managed.admin_key)


def _delete(world: World, managed: ManagedPoll) -> Callable[[], object]:
    return lambda: world.service.lifecycle.delete(managed.poll.id, managed.admin_key)


def _change(world: World, managed: ManagedPoll, **wanted: object) -> Callable[[], object]:
    def draft(now: PollDraft) -> PollDraft:
        return replace(now, **wanted)  # type: ignore[arg-type]

    return lambda: world.service.lifecycle.edit(managed.poll.id, managed.admin_key, draft)


def test_vote_is_rejected_if_the_poll_closes_before_the_write(memory: World) -> None:
    managed = memory.made()
    service, driver = _between(memory, _commits, _close(memory, managed))
    with pytest.raises(PollClosed):
        service.voting.cast(managed.poll.id, ["Go"], Voter("a"))
    assert driver.happened
    check_counted(memory, managed, {})


# The voter was asked for nothing when they came; by the time they vote, the poll asks for codes.
def test_vote_needs_a_code_if_the_poll_switches_to_codes(memory: World) -> None:
    managed = memory.made(OPEN)
    begin = _change(memory, managed, protection=Protection.CODES)
    service, driver = _between(memory, _commits, begin)
    with pytest.raises(InvalidCode):
        service.voting.cast(managed.poll.id, ["Go"], Voter("a"))
    assert driver.happened
    check_counted(memory, managed, {})


def test_vote_is_checked_against_changed_options(memory: World) -> None:
    managed = memory.made()
    service, driver = _between(memory, _commits, _change(memory, managed, candidates=("C", "Go")))
    vote = service.voting.cast(managed.poll.id, ["Go"], Voter("a")).vote
    assert driver.happened
    assert service.results.get(managed.poll.id, Viewer()).methods.runoff.winner == "Go"
    check_counted(memory, managed, {vote.id: ["Go"]})


def test_options_do_not_change_after_a_concurrent_vote(memory: World) -> None:
    managed = memory.made()

    def vote() -> None:
        memory.service.voting.cast(managed.poll.id, ["Go"], Voter("a"))

    service, driver = _between(memory, _commits, vote)
    with pytest.raises(PollHasVotes):
        service.lifecycle.edit(
            managed.poll.id, managed.admin_key, lambda draft: replace(draft, candidates=("C", "D"))
        )
    assert driver.happened
    assert check_counted(memory, managed) == 1


def test_vote_cannot_change_once_the_poll_forbids_it(memory: World) -> None:
    managed = memory.made()
    vote = memory.service.voting.cast(managed.poll.id, ["Go"], Voter("a")).vote
    service, driver = _between(memory, _commits, _change(memory, managed, changeable=False))
    with pytest.raises(AlreadyVoted):
        service.voting.cast(managed.poll.id, ["Rust"], Voter("a"))
    assert driver.happened
    check_counted(memory, managed, {vote.id: ["Go"]})


def test_vote_in_a_poll_being_deleted_leaves_no_items(memory: World) -> None:
    managed = memory.made()
    service, driver = _between(memory, _commits, _delete(memory, managed))
    with pytest.raises(NotFound):
        service.voting.cast(managed.poll.id, ["Go"], Voter("a"))
    assert driver.happened
    assert dump(memory.driver) == []


def test_next_vote_updates_an_outdated_lane(memory: World) -> None:
    managed = memory.made()
    Store(memory.driver).update(Poll.key(managed.poll.id), Poll.edition.set(2))
    vote = memory.service.voting.cast(managed.poll.id, ["Go"], Voter("a")).vote
    lanes = Store(memory.driver).get_many([VotingLane.key(managed.poll.id, n) for n in range(8)])
    assert sorted(lane.edition for lane in lanes if lane) == [1] * 7 + [2]
    check_counted(memory, managed, {vote.id: ["Go"]})


# The process that closed the poll died before it updated the lanes, and a vote is in flight.
def test_final_results_include_votes_in_flight(memory: World) -> None:
    managed = memory.made()
    seen = list[int]()

    def close_half_and_look() -> None:
        Store(memory.driver).update(
            Poll.key(managed.poll.id), Poll.closed.set(True), Poll.edition.set(2)
        )
        outcome = memory.service.results.get(managed.poll.id, Viewer())
        assert outcome.is_final
        seen.append(outcome.tally.votes)

    service, driver = _between(memory, _commits, close_half_and_look)
    with pytest.raises(PollClosed):
        service.voting.cast(managed.poll.id, ["Go"], Voter("a"))
    assert driver.happened
    assert seen == [0]
    check_counted(memory, managed, {})


@pytest.mark.parametrize("ends", ["closed", "over"])
def test_vote_with_lost_response_is_reported_as_counted(memory: World, ends: str) -> None:
    until = memory.clock() + timedelta(hours=1)
    managed = memory.made(replace(CODES, expires_at=until), codes=1)
    then = {
        "closed": _close(memory, managed),
        "over": lambda: memory.clock.move(hours=2),
    }[ends]
    driver = Lossy(memory.driver, TransactWriteItems, then=then)
    service = memory.open(driver)
    cast = service.voting.cast(managed.poll.id, ["Go"], code_voter(managed, 0))
    assert driver.lost
    assert cast.is_new
    check_counted(memory, managed, {cast.vote.id: ["Go"]})


def test_results_never_mix_changed_options(memory: World) -> None:
    managed = memory.made()

    def edit_question() -> None:
        _change(memory, managed, candidates=("Tea", "Milk", "Coffee", "Juice", "Water"))()
        memory.service.voting.cast(managed.poll.id, ["Water"], Voter("a"))

    service, driver = _between(memory, _counts_lines, edit_question)
    outcome = service.results.get(managed.poll.id, Viewer())
    assert driver.happened
    assert outcome.methods.runoff.winner == "Water"
    other, _ = _between(memory, _counts_lines, lambda: None)
    assert other.tallies.recount(managed.poll).agrees, "though the poll it was given is old"


def test_results_of_a_poll_deleted_meanwhile_are_not_found(memory: World) -> None:
    managed = memory.made()
    for number in range(20):
        memory.service.voting.cast(managed.poll.id, ["Go"], Voter(f"{number}"))
    service, driver = _between(memory, _counts_lines, _delete(memory, managed))
    with pytest.raises(NotFound):
        service.results.get(managed.poll.id, Viewer())
    assert driver.happened
    assert dump(memory.driver) == []


def test_edit_with_lost_response_is_not_a_conflict(memory: World) -> None:
    managed = memory.made()

    def based_on_the_first(revision: int) -> None:
        assert revision == 1

    service = memory.open(Lossy(memory.driver, UpdateItem, times=1))
    poll = service.lifecycle.edit(
        managed.poll.id,
        managed.admin_key,
        lambda d: replace(d, title="T"),
        check=based_on_the_first,
    )
    assert (poll.title, poll.revision) == ("T", 2)


def test_concurrent_issues_return_distinct_codes(memory: World) -> None:
    managed = memory.made(CODES)
    others = list[str]()

    def issue() -> None:
        others.extend(memory.service.codes.issue(managed.poll.id, managed.admin_key, 5))

    service, driver = _between(memory, _commits, issue)
    mine = service.codes.issue(managed.poll.id, managed.admin_key, 5)
    assert driver.happened
    assert len({*mine, *others}) == 10


def test_concurrent_duplicate_issue_happens_once(memory: World) -> None:
    managed = memory.made(CODES)

    def none_so_far(codes: int) -> None:
        if codes:
            raise LookupError

    def issue(service: Polls) -> None:
        service.codes.issue(managed.poll.id, managed.admin_key, 5, check=none_so_far)

    service, driver = _between(memory, _commits, lambda: issue(memory.service))
    with pytest.raises(LookupError):
        issue(service)
    assert driver.happened
    assert memory.service.context.get_poll(managed.poll.id).codes == 5


def test_vote_counted_by_another_process_is_visible(memory: World) -> None:
    managed = memory.made()
    assert memory.service.tallies.get(managed.poll).votes == 0
    memory.open().voting.cast(managed.poll.id, ["Go"], Voter("a"))
    assert memory.service.tallies.get(managed.poll).votes == 1


def test_close_returns_after_all_lanes_are_closed(memory: World) -> None:
    managed = memory.made()
    driver = Lossy(memory.driver, UpdateItem, times=4)
    memory.open(driver).lifecycle.close(managed.poll.id, managed.admin_key)
    assert driver.lost == 4
    lanes = Store(memory.driver).get_many([VotingLane.key(managed.poll.id, n) for n in range(8)])
    assert [lane.edition for lane in lanes if lane] == [2] * 8
