"""Write many votes in bulk, as the service would have written them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from dynamodb_engine import BatchWriteItem, PutRequest, WriteRequest
from singletable import Store
from singletable.schema import model_of
from singletable_apps.polls.entities import LaneEntry, Vote, VotingLane, polls
from singletable_apps.polls.service import ManagedPoll, Voter
from singletable_apps.polls.tally import encode_ranking, lane_for
from tests.apps.polls.support.harness import SECRET, World


def crowd(world: World, managed: ManagedPoll, votes: int, seed: int = 0) -> None:
    """Cast votes from this many new browsers, in an empty poll or after other votes."""
    store, chance = Store(world.driver), Random(seed)
    ends = [_lane(store, managed, number).entries for number in range(managed.poll.lanes)]
    batch: list[WriteRequest] = []
    for item in _items(world, managed, ends, votes, chance):
        batch.append(WriteRequest(PutRequest(model_of(type(item)).item(item.__dict__))))
        if len(batch) == 24:
            world.driver.execute(BatchWriteItem({polls.name: batch}))
            batch = []
    if batch:
        world.driver.execute(BatchWriteItem({polls.name: batch}))
    for number, end in enumerate(ends):
        store.update(VotingLane.key(managed.poll.id, number), VotingLane.entries.set(end))


def _lane(store: Store, managed: ManagedPoll, number: int) -> VotingLane:
    found = store.get(VotingLane.key(managed.poll.id, number), consistent=True)
    assert found is not None
    return found


def _items(
    world: World, managed: ManagedPoll, ends: list[int], votes: int, chance: Random
) -> Iterator[Vote | LaneEntry]:
    first, options = sum(ends), managed.poll.candidates
    for number in range(first, first + votes):
        who = SECRET.vote_id(managed.poll.id, "browser", f"crowd {number}")
        ranked = chance.sample(options, chance.randint(1, len(options)))
        lane = lane_for(who, managed.poll.lanes)
        ends[lane] += 1
        vote = Vote(poll_id=managed.poll.id, id=who, rankings=ranked, voted_at=world.clock())
        vote.revision = 1
        yield vote
        yield LaneEntry(
            poll_id=managed.poll.id,
            lane=lane,
            number=ends[lane],
            ranking=encode_ranking(managed.poll, ranked),
        )


def one_of(number: int) -> Voter:
    """Return a voter of `crowd`."""
    return Voter(f"crowd {number}")
