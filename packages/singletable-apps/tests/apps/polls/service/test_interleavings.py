"""Changes by others between two steps of an operation: it starts again, or its result holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from dynamodb_engine.operations import Operation
from dynamodb_engine.testing import InterruptedDriver
from dynamodb_engine.testing.drivers import When
from singletable import Query, Store, TransactWriteItems, UpdateItem
from singletable.errors import InternalError
from singletable_apps.polls import errors
from singletable_apps.polls.entities import Poll, Protection, VotingLane
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import ManagedPoll, Polls, Voter
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
    interrupted,
    results,
)

pytestmark = pytest.mark.usefixtures("no_waits")
CODES = changed(PollDraft("Q", OPTIONS), protection=Protection.CODES)
OPEN = changed(PollDraft("Q", OPTIONS), protection=Protection.OPEN)


def _reads_lane(operation: Operation[object]) -> bool:
    return isinstance(operation, Query) and "LANE" in str(operation)


def _check_rejected(
    world: World,
    change: Callable[[], object],
    action: Callable[[Polls], object],
    error: type[Exception],
    when: When = TransactWriteItems,
) -> None:
    """Fail unless the action is rejected after a change by another process."""
    service, driver = interrupted(world, when, change)
    with pytest.raises(error):
        action(service)
    assert driver.interrupted


# What happens before a vote is written: the voter was not asked for a code, for example.
VOTE_REJECTED: list[tuple[Callable[[Polls, ManagedPoll], object], type[Exception]]] = [
    (close, errors.PollClosed),
    (lambda s, m: edit(s, m, protection=Protection.CODES), errors.InvalidCode),
    (delete, errors.NotFound),
]


@pytest.mark.parametrize(("change", "error"), VOTE_REJECTED, ids=["closed", "codes", "deleted"])
def test_vote_is_rejected_if_the_poll_changes_before_the_write(
    memory: World, change: Callable[[Polls, ManagedPoll], object], error: type[Exception]
) -> None:
    managed = memory.made(OPEN)
    happens = partial(change, memory.service, managed)
    _check_rejected(memory, happens, lambda s: cast(s, managed, ["Go"], "a"), error)
    if error is errors.NotFound:
        assert dump(memory.driver) == []
    else:
        check_counted(memory, managed, {})


def test_vote_cannot_change_once_the_poll_forbids_it(memory: World) -> None:
    managed = memory.made()
    vote = cast(memory.service, managed, ["Go"], "a").vote
    change = partial(edit, memory.service, managed, changeable=False)
    _check_rejected(memory, change, lambda s: cast(s, managed, ["Rust"], "a"), errors.AlreadyVoted)
    check_counted(memory, managed, {vote.id: ["Go"]})


GROWING = changed(PollDraft("Q", OPTIONS), write_ins=True)
CHANGES: dict[str, Callable[[Polls, ManagedPoll], object]] = {
    "options": lambda s, m: edit(s, m, candidates=("C", "D")),
    # Otherwise a vote would be for an option that is not there.
    "removal": lambda s, m: s.options.remove(m.poll.id, m.admin_key, "Rust"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_options_stay_if_someone_votes_meanwhile(memory: World, change: str) -> None:
    managed = memory.made(GROWING)
    vote = partial(cast, memory.service, managed, ["Rust"], "a")
    _check_rejected(memory, vote, lambda s: CHANGES[change](s, managed), errors.PollHasVotes)
    assert check_counted(memory, managed) == 1


def test_vote_is_checked_against_changed_options(memory: World) -> None:
    managed = memory.made()
    change = partial(edit, memory.service, managed, candidates=("C", "Go"))
    service, driver = interrupted(memory, TransactWriteItems, change)
    vote = cast(service, managed, ["Go"], "a").vote
    assert driver.interrupted
    assert results(service, managed).methods.runoff.winner == "Go"
    check_counted(memory, managed, {vote.id: ["Go"]})


def test_vote_for_a_removed_option_is_rejected(memory: World) -> None:
    managed = memory.made(GROWING)
    change = partial(memory.service.options.remove, managed.poll.id, managed.admin_key, "Rust")
    _check_rejected(memory, change, lambda s: cast(s, managed, ["Rust"], "a"), errors.InvalidInput)
    # Its number is free again, and the numbers of the others have not moved.
    poll = memory.service.options.add(managed.poll.id, "Zig", Voter("b"))
    assert (poll.candidates, poll.numbers) == (["Go", "Python", "JavaScript", "Zig"], [0, 2, 3, 4])
    cast(memory.service, managed, ["Zig", "Python"], "a")
    assert results(memory.open(), managed).methods.runoff.winner == "Zig"
    assert memory.open().tallies.recount(poll).agrees


@pytest.mark.parametrize(("other", "added"), [("Zig", ["Zig", "C"]), ("C", ["C"])])
def test_options_added_at_the_same_time_are_there_once(
    memory: World, other: str, added: list[str]
) -> None:
    managed = memory.made(GROWING)
    add = memory.service.options.add
    service, driver = interrupted(
        memory, UpdateItem, lambda: add(managed.poll.id, other, Voter("b"))
    )
    poll = service.options.add(managed.poll.id, "C", Voter("a"))
    assert driver.interrupted
    assert poll.candidates == [*OPTIONS, *added]


def _lanes(world: World, managed: ManagedPoll) -> list[int]:
    """Return the editions of the lanes."""
    keys = [VotingLane.key(managed.poll.id, number) for number in range(8)]
    return sorted(lane.edition for lane in Store(world.driver).get_many(keys) if lane)


def test_next_vote_updates_an_outdated_lane(memory: World) -> None:
    managed = memory.made()
    Store(memory.driver).update(Poll.key(managed.poll.id), Poll.edition.set(2))
    vote = cast(memory.service, managed, ["Go"], "a").vote
    assert _lanes(memory, managed) == [1] * 7 + [2]
    check_counted(memory, managed, {vote.id: ["Go"]})


# The process that closed the poll died before it updated the lanes, and a vote is in flight.
def test_final_results_include_votes_in_flight(memory: World) -> None:
    managed = memory.made()
    seen = list[int]()

    def close_half_and_count() -> None:
        changes = (Poll.closed.set(True), Poll.edition.set(2))
        Store(memory.driver).update(Poll.key(managed.poll.id), *changes)
        outcome = results(memory.service, managed)
        assert outcome.is_final
        seen.append(outcome.tally.votes)

    service, driver = interrupted(memory, TransactWriteItems, close_half_and_count)
    with pytest.raises(errors.PollClosed):
        cast(service, managed, ["Go"], "a")
    assert driver.interrupted
    assert seen == [0]
    check_counted(memory, managed, {})


@pytest.mark.parametrize("ends", ["closed", "over"])
def test_vote_with_lost_response_is_reported_as_counted(memory: World, ends: str) -> None:
    until = memory.clock() + timedelta(hours=1)
    managed = memory.made(replace(CODES, expires_at=until), codes=1)

    def end() -> None:
        if ends == "closed":
            close(memory.service, managed)
        else:
            memory.clock.advance(hours=2)
        raise InternalError

    lost = InterruptedDriver(memory.driver, TransactWriteItems, after=end)
    driver = InterruptedDriver(lost, TransactWriteItems, before=InternalError, first=1, times=None)
    answer = cast(memory.open(driver), managed, ["Go"], code_voter(managed, 0))
    assert lost.interrupted
    assert answer.is_new
    check_counted(memory, managed, {answer.vote.id: ["Go"]})


def test_results_never_mix_changed_options(memory: World) -> None:
    managed = memory.made()

    def edit_and_vote() -> None:
        options = ("Tea", "Milk", "Coffee", "Juice", "Water")
        edit(memory.service, managed, candidates=options)
        cast(memory.service, managed, ["Water"], "a")

    service, driver = interrupted(memory, _reads_lane, edit_and_vote)
    outcome = results(service, managed)
    assert driver.interrupted
    assert outcome.methods.runoff.winner == "Water"
    other, _ = interrupted(memory, _reads_lane, lambda: None)
    assert other.tallies.recount(managed.poll).agrees, "though this poll is outdated"


def test_results_of_a_poll_deleted_meanwhile_are_not_found(memory: World) -> None:
    managed = memory.made()
    for number in range(20):
        cast(memory.service, managed, ["Go"], f"{number}")
    change = partial(delete, memory.service, managed)
    _check_rejected(memory, change, lambda s: results(s, managed), errors.NotFound, _reads_lane)
    assert dump(memory.driver) == []


def test_edit_with_lost_response_is_not_a_conflict(memory: World) -> None:
    managed = memory.made()

    def is_first(revision: int) -> None:
        assert revision == 1

    service = memory.open(InterruptedDriver(memory.driver, UpdateItem, after=InternalError))
    poll = edit(service, managed, is_first, title="T")
    assert (poll.title, poll.revision) == ("T", 2)


def test_concurrent_issues_return_distinct_codes(memory: World) -> None:
    managed = memory.made(CODES)
    codes = list[str]()

    def issue(service: Polls) -> None:
        codes.extend(service.codes.issue(managed.poll.id, managed.admin_key, 5))

    service, driver = interrupted(memory, TransactWriteItems, lambda: issue(memory.service))
    issue(service)
    assert driver.interrupted
    assert len(set(codes)) == 10


def test_concurrent_duplicate_issue_happens_once(memory: World) -> None:
    managed = memory.made(CODES)

    def none_so_far(codes: int) -> None:
        if codes:
            raise LookupError

    def issue(service: Polls) -> None:
        service.codes.issue(managed.poll.id, managed.admin_key, 5, check=none_so_far)

    service, driver = interrupted(memory, TransactWriteItems, lambda: issue(memory.service))
    with pytest.raises(LookupError):
        issue(service)
    assert driver.interrupted
    assert memory.service.context.get_poll(managed.poll.id).codes == 5


def test_vote_counted_by_another_process_is_visible(memory: World) -> None:
    managed = memory.made()
    assert memory.service.tallies.get(managed.poll).votes == 0
    cast(memory.open(), managed, ["Go"], "a")
    assert memory.service.tallies.get(managed.poll).votes == 1


def test_close_returns_after_all_lanes_are_closed(memory: World) -> None:
    managed = memory.made()
    lost = InterruptedDriver(memory.driver, UpdateItem, after=InternalError)
    driver = InterruptedDriver(lost, UpdateItem, before=InternalError, first=1, times=3)
    close(memory.open(driver), managed)
    assert (lost.interrupted, driver.interrupted) == (1, 3)
    assert _lanes(memory, managed) == [2] * 8
