"""What a result reads: from a snapshot and the lines after it, or from all votes."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from singletable import CallStats, Driver
from singletable_apps.polls.entities import Poll, Vote
from singletable_apps.polls.patterns import patterns
from singletable_apps.polls.secret import Secret
from singletable_apps.polls.service import Polls, open_polls
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
    return _read(driver, secret, lambda service: lambda: _sums(service, poll))


def next_look(driver: Driver, secret: Secret, poll: Poll) -> Read:
    """What a process reads that has just looked."""

    def looked(service: Polls) -> Callable[[], Counts]:
        _sums(service, poll)
        return lambda: _sums(service, poll)

    return _read(driver, secret, looked)


def all_votes(driver: Driver, secret: Secret, poll: Poll) -> Read:
    """What the document asks for: every vote."""
    return _read(driver, secret, lambda service: lambda: _recounted(service, poll))


def most_lines(counts: Counts) -> int:
    """How many can vote after a snapshot before the next is worth its writing."""
    kept = Sums((0,), counts)
    return bisect_left(
        range(1, 1_000_000), True, key=lambda lines: is_worth_keeping(kept, Sums((lines,), counts))
    )


def _sums(service: Polls, poll: Poll) -> Counts:
    return service.counting.tally(poll).counts


def _recounted(service: Polls, poll: Poll) -> Counts:
    votes = service.desk.store.query(Vote.key.partition(poll.id), consistent=True)
    return Counter(order_of(poll.candidates, vote.rankings) for vote in votes)


def _read(
    driver: Driver, secret: Secret, prepared: Callable[[Polls], Callable[[], Counts]]
) -> Read:
    """Once with a watch, and once with an observer, which takes time of its own."""
    look = prepared(open_polls(driver, secret, make_table=False))
    began = time.perf_counter()
    counts = look()
    seconds = time.perf_counter() - began
    told = CallStats(patterns)
    look = prepared(open_polls(driver, secret, make_table=False, observers=[told]))
    told.reset()
    look()
    return Read(counts, sum(each.read_units for each in told.snapshot()), seconds)
