"""A poll with as many votes as one likes, each written as the service would have written it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from benchmarks.workload.requests import batches
from singletable import Driver, GetItem, Item
from singletable_apps.polls.entities import Lane, Line, Poll, Vote, polls
from singletable_apps.polls.service import Polls, Voter
from singletable_apps.polls.tally import lane_of, order_of


@dataclass(slots=True)
class Filling:
    """Votes that rank any number of options in any order, all equally likely: the worst case.

    One is cast; all others are copies of what that left in the table, but for who ranked what.
    """

    driver: Driver
    service: Polls
    poll: Poll
    votes: int = 0
    ends: list[int] = field(default_factory=list[int])
    chance: random.Random = field(default_factory=lambda: random.Random(1))

    def fill(self, votes: int) -> None:
        """Add so many votes."""
        if not self.votes:
            self._cast_first()
            votes -= 1
        for batch in batches(self._items(votes), polls.name):
            self.driver.execute(batch)
        for number, end in enumerate(self.ends):
            self.service.desk.store.update(Lane.key(self.poll.id, number), Lane.lines.set(end))

    def _cast_first(self) -> None:
        first = self.service.voting.cast(self.poll.id, self._ranking(), Voter(browser="0"))
        self.votes = 1
        self.ends = [0] * self.poll.lanes
        self.ends[lane_of(first.vote.id, self.poll.lanes)] = 1

    def _items(self, votes: int) -> Iterator[Item]:
        vote_like, line_like = self._first()
        for number in range(self.votes, self.votes + votes):
            who = self.service.desk.secret.vote_id(self.poll.id, "browser", str(number))
            lane = lane_of(who, self.poll.lanes)
            self.ends[lane] += 1
            ranked = self._ranking()
            vote: Item = {"id": {"S": who}, "rankings": {"L": [{"S": name} for name in ranked]}}
            line: Item = {
                "lane": {"N": str(lane)},
                "number": {"N": str(self.ends[lane])},
                "order": {"S": order_of(self.poll.candidates, ranked)},
            }
            yield vote_like | Vote.key(self.poll.id, who).key | vote
            yield line_like | Line.key(self.poll.id, lane, self.ends[lane]).key | line
        self.votes += votes

    def _first(self) -> tuple[Item, Item]:
        """What the first vote left in the table."""
        who = self.service.desk.secret.vote_id(self.poll.id, "browser", "0")
        lane = lane_of(who, self.poll.lanes)
        keys = Vote.key(self.poll.id, who).key, Line.key(self.poll.id, lane, 1).key
        vote, line = (self.driver.execute(GetItem(polls.name, key)).item for key in keys)
        assert vote is not None
        assert line is not None
        return vote, line

    def _ranking(self) -> list[str]:
        options = self.poll.candidates
        return self.chance.sample(options, self.chance.randint(1, len(options)))
