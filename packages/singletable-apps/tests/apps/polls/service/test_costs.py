"""What polls cost, in units of DynamoDB: the figures that the README states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from singletable_apps.polls.entities import Protection
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import ManagedPoll, Viewer
from tests.apps.polls.support.bulk_votes import crowd
from tests.apps.polls.support.harness import OPTIONS, World, changed, close, code_voter, edit


@dataclass(frozen=True)
class Cost:
    """Requests that were sent, and the units they consumed."""

    requests: int
    reads: float
    writes: float


def cost(world: World, action: Callable[[], object]) -> Cost:
    """Return the cost of an action."""
    world.calls.clear()
    action()
    sent = [one for call in world.calls for one in call.requests]
    return Cost(
        len(sent),
        sum(one.units for one in sent if one.is_read),
        sum(one.units for one in sent if not one.is_read),
    )


@pytest.fixture
def managed(memory: World) -> ManagedPoll:
    """Create a poll with four options."""
    return memory.made(changed(PollDraft("Q", OPTIONS), protection=Protection.CODES), codes=10)


def test_vote_takes_three_requests(memory: World, managed: ManagedPoll) -> None:
    cast = memory.service.voting.cast
    first = cost(memory, lambda: cast(managed.poll.id, OPTIONS, code_voter(managed, 0)))
    # Poll and lane are read; vote, lane and line are written by a transaction, which counts twice.
    assert first == Cost(3, 2, 6)
    again = cost(memory, lambda: cast(managed.poll.id, OPTIONS, code_voter(managed, 0)))
    assert (again.requests, again.reads) == (3, 2)
    change = cost(memory, lambda: cast(managed.poll.id, ["Go"], code_voter(managed, 0)))
    # The first attempt finds the earlier vote, and the second replaces it.
    assert (change.requests, change.reads) == (5, 3)


def test_costs_of_creating_and_managing(memory: World, managed: ManagedPoll) -> None:
    assert cost(memory, memory.made) == Cost(1, 0, 20)
    assert cost(memory, lambda: edit(memory.service, managed, title="T")) == Cost(2, 1, 1)
    assert cost(memory, lambda: close(memory.service, managed)) == Cost(11, 9, 9)


@pytest.mark.parametrize("votes", [0, 1_000])
def test_results_cost_does_not_depend_on_the_number_of_votes(memory: World, votes: int) -> None:
    managed = memory.made()
    crowd(memory, managed, votes)
    memory.service.tallies.get(managed.poll)
    fresh = memory.open().results
    cold = cost(memory, lambda: fresh.get(managed.poll.id, Viewer()))
    warm = cost(memory, lambda: fresh.get(managed.poll.id, Viewer()))
    # The poll, and the end of each lane.
    assert warm == Cost(9, 9, 0)
    # Also the snapshot, its sums if there are any, and whether the poll is still the same.
    assert cold == Cost(12 if votes else 11, 12 if votes else 11, 0)


def test_recount_reads_every_vote(memory: World) -> None:
    managed = memory.made()
    crowd(memory, managed, 1_000)
    memory.service.tallies.get(managed.poll)
    recount = cost(memory, lambda: memory.service.tallies.recount(managed.poll))
    assert 50 < recount.reads < 120
    assert recount.writes == 0
