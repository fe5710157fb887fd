"""Which events may be applied together: ballots of different voters do not concern each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from singletable_apps.elections.facts import BallotCast
from singletable_apps.elections.log import Event, fact_of

# A ballot is two of the hundred writes of a transaction, and at most 108 KB of its 4 MB.
MOST_TOGETHER = 20


def runs(events: Iterable[Event]) -> Iterator[list[Event]]:
    """The events in their order: ballots by different voters in one list, all others alone."""
    run: list[Event] = []
    voters: set[str] = set()
    for event in events:
        fact = fact_of(event)
        voter = fact.voter if isinstance(fact, BallotCast) else None
        if run and (voter is None or voter in voters or len(run) == MOST_TOGETHER):
            yield run
            run, voters = [], set()
        run.append(event)
        if voter is None:
            yield run
            run, voters = [], set()
        else:
            voters.add(voter)
    if run:
        yield run
