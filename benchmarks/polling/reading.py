"""What a result reads: from a snapshot and the lines after it, or from all votes."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from singletable import Driver, Store, Tally
from singletable_apps.polls.entities import Poll, Vote
from singletable_apps.polls.patterns import patterns
from singletable_apps.polls.secret import Secret
from singletable_apps.polls.service import Counting, Desk
from singletable_apps.polls.service.snapshots import Snapshots
from singletable_apps.polls.tally import Tally as Sums
from singletable_apps.polls.tally import is_worth_keeping, order_of

Counts = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Read:
    """What came out, the read units it took, and the seconds."""

    counts: Counts
    units: float
    seconds: float


def first_look(driver: Driver, secret: Secret, poll: Poll) -> Read:
    """What a process reads that has never looked at the poll."""
    return _read(driver, lambda store: _sums(store, secret, poll))


def next_look(driver: Driver, secret: Secret, poll: Poll) -> Read:
    """What a process reads that has just looked."""

    def looked(store: Store) -> Callable[[], Counts]:
        look = _sums(store, secret, poll)
        look()
        return look

    return _read(driver, looked)


def all_votes(driver: Driver, poll: Poll) -> Read:
    """What the document asks for: every vote."""
    return _read(driver, lambda store: lambda: _recounted(store, poll))


def most_lines(counts: Counts) -> int:
    """How many can vote after a snapshot before the next is worth its writing."""
    kept = Sums((0,), counts)
    return bisect_left(
        range(1, 1_000_000), True, key=lambda lines: is_worth_keeping(kept, Sums((lines,), counts))
    )


def _sums(store: Store, secret: Secret, poll: Poll) -> Callable[[], Counts]:
    desk = Desk(store, secret)
    counting = Counting(desk, Snapshots(desk))
    return lambda: counting.tally(poll).counts


def _recounted(store: Store, poll: Poll) -> Counts:
    votes = store.query(Vote.key.partition(poll.id), consistent=True)
    return Counter(order_of(poll.candidates, vote.rankings) for vote in votes)


def _read(driver: Driver, prepared: Callable[[Store], Callable[[], Counts]]) -> Read:
    """Once with a watch, and once with an observer, which takes time of its own."""
    look = prepared(Store(driver))
    began = time.perf_counter()
    counts = look()
    seconds = time.perf_counter() - began
    told = Tally(patterns)
    look = prepared(Store(driver, observers=[told]))
    told.clear()
    look()
    return Read(counts, sum(each.read_units for each in told.figures()), seconds)
