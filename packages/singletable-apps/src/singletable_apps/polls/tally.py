"""The tally of a poll: how many votes each ranking has, and how far each lane was counted.

A ranking is written as option numbers, best first: `2 0 1`. A poll has far fewer rankings than
votes, and their counts are all that a counting method needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ranked_ballots import (
    Ballots,
    Result,
    RunoffResult,
    SchulzeResult,
    ScoreResult,
    borda,
    count_pairs,
    instant_runoff,
    plurality,
    schulze,
)
from singletable_apps.polls.entities import LaneEntry, Poll, PollKind
from singletable_apps.shared.results import MethodComparison, compare_methods, full_tie

# Approximate sizes: a count in a snapshot, without its ranking; and an entry in a lane.
COUNT_BYTES, LANE_ENTRY_BYTES = 8, 150
# Reading fewer entries than this is faster than writing a snapshot.
MIN_NEW_ENTRIES = 200
# Well below the 400 kB limit of a DynamoDB item.
PART_BYTES = 300_000
MAX_COMPARED = 10
DECIDES = "Instant runoff decides this poll. The other methods are shown for comparison."


@dataclass(frozen=True, slots=True)
class Tally:
    """Votes per ranking, over the first `positions` entries of each lane."""

    positions: tuple[int, ...]
    counts: Mapping[str, int]

    @property
    def votes(self) -> int:
        """Return the number of votes."""
        return sum(self.counts.values())


def empty_tally(lanes: int) -> Tally:
    """Return the tally of a poll without votes."""
    return Tally((0,) * lanes, {})


def add_entries(tally: Tally, new: Sequence[Iterable[LaneEntry]]) -> Tally:
    """Return the tally with the next entries of each lane, up to the first missing number."""
    changes = Counter[str]()
    ends: list[int] = []
    for end, entries in zip(tally.positions, new, strict=True):
        for entry in entries:
            if entry.number != end + 1:
                break
            end += 1
            changes[entry.ranking] += 1
            if entry.replaced_ranking is not None:
                changes[entry.replaced_ranking] -= 1
        ends.append(end)
    if tuple(ends) == tally.positions:
        return tally  # copying a hundred thousand counts for every viewer would be slow
    counts = Counter(tally.counts)
    counts.update(changes)
    return Tally(tuple(ends), {ranking: count for ranking, count in counts.items() if count})


def lane_for(vote_id: str, lanes: int) -> int:
    """Return the lane of a vote: always the same, so that changes of a vote stay in order."""
    return UUID(vote_id).int % lanes


def option_numbers(poll: Poll) -> list[int]:
    """Return the number of each option in rankings."""
    return poll.numbers or list(range(len(poll.candidates)))


def encode_ranking(poll: Poll, rankings: Sequence[str], maybe: Sequence[str] = ()) -> str:
    """Return a ranking of names as option numbers; maybes after a slash."""
    numbers = dict(zip(poll.candidates, option_numbers(poll), strict=True))
    parts = (rankings, maybe) if maybe else (rankings,)
    return "/".join(" ".join(str(numbers[name]) for name in names) for names in parts)


def decode_ranking(poll: Poll, ranking: str) -> tuple[list[str], list[str]]:
    """Return the names in a ranking, and the maybes."""
    names = dict(zip(option_numbers(poll), poll.candidates, strict=True))
    yes, _, maybe = ranking.partition("/")
    return [names[int(one)] for one in yes.split()], [names[int(one)] for one in maybe.split()]


def is_snapshot_due(saved: Tally, now: Tally) -> bool:
    """Return whether reading the entries since the snapshot costs more than writing a new one."""
    new_entries = sum(now.positions) - sum(saved.positions)
    if new_entries < MIN_NEW_ENTRIES:
        return False
    size = sum(len(ranking) + COUNT_BYTES for ranking in now.counts)
    return new_entries * LANE_ENTRY_BYTES >= size


def split_counts(tally: Tally) -> Iterator[dict[str, int]]:
    """Split the counts into parts that fit into one item each."""
    part: dict[str, int] = {}
    size = 0
    for ranking, count in sorted(tally.counts.items()):
        size += len(ranking) + COUNT_BYTES
        if size > PART_BYTES:
            yield part
            part, size = {}, len(ranking) + COUNT_BYTES
        part[ranking] = count
    yield part


@dataclass(frozen=True, slots=True)
class MethodResults:
    """The ballots, the instant-runoff result, and three other methods for comparison."""

    ballots: Ballots
    runoff: RunoffResult
    plurality: ScoreResult
    borda: ScoreResult
    schulze: SchulzeResult

    def compare(self) -> MethodComparison:
        """Compare the methods; the winner by instant runoff is the one in the headline."""
        tied = full_tie(self.runoff)
        winners = self.runoff.winners if tied is None else list(tied.tally)
        results: dict[str, Result] = {
            "instant runoff": self.runoff,
            "plurality": self.plurality,
            "borda": self.borda,
            "schulze": self.schulze,
        }
        return compare_methods(results, DECIDES, MAX_COMPARED, winners=winners, noun="option")


@dataclass(frozen=True, slots=True)
class PickResult:
    """How often each option was picked, most often first; of dates, also the maybes.

    Of options that were picked equally often, the one with more maybes comes first. What is still
    tied stays tied.
    """

    voters: int
    votes: Mapping[str, int]
    maybe: Mapping[str, int]

    @property
    def places(self) -> dict[str, int]:
        """Return the place of each option; tied options share one."""
        scores = [(self.votes[name], self.maybe[name]) for name in self.votes]
        return {
            name: scores.index(score) + 1 for name, score in zip(self.votes, scores, strict=True)
        }

    @property
    def winners(self) -> tuple[str, ...]:
        """Return the options in the first place, none without picks."""
        first = [name for name, place in self.places.items() if place == 1]
        return tuple(name for name in first if self.votes[name] or self.maybe[name])


def count_picks(poll: Poll, tally: Tally) -> PickResult:
    """Count how often each option was picked."""
    yes, maybe = Counter[str](), Counter[str]()
    for ranking, count in tally.counts.items():
        for counter, names in zip((yes, maybe), decode_ranking(poll, ranking), strict=True):
            counter.update(dict.fromkeys(names, count))
    # Sorting is stable: options that are tied keep the order of the poll.
    names = sorted(poll.candidates, key=lambda name: (-yes[name], -maybe[name]))
    return PickResult(
        tally.votes, {name: yes[name] for name in names}, {name: maybe[name] for name in names}
    )


def count_votes(poll: Poll, tally: Tally) -> MethodResults | PickResult:
    """Count the votes of a tally: picks, or rankings with all four methods.

    A tie for last place is broken by earlier rounds if possible, otherwise by an order of the
    options derived from the poll id. It is fixed before anyone votes, and anyone can verify it.
    """
    if poll.settings.kind is not PollKind.RANK:
        return count_picks(poll, tally)
    rows = _rows(option_numbers(poll), list(tally.counts))
    ballots = Ballots.from_orders(poll.candidates, rows, list(tally.counts.values()))
    pairs = count_pairs(ballots)
    return MethodResults(
        ballots,
        instant_runoff(ballots, look_back=True, seed=poll.id),
        plurality(ballots, seed=poll.id),
        borda(pairs, variant="listed", seed=poll.id),
        schulze(pairs, seed=poll.id),
    )


def _rows(numbers: Sequence[int], rankings: Sequence[str]) -> NDArray[np.int16]:
    """Return the rankings as a matrix, one row each: 100,000 take half a second."""
    width = len(numbers)
    # The index of each option number; those of removed options are in no ranking.
    indexes = np.full(max(numbers) + 1, -1, np.int16)
    indexes[list(numbers)] = np.arange(width, dtype=np.int16)
    rows = np.full((len(rankings), width), -1, np.int16)
    lengths = np.array([ranking.count(" ") + 1 for ranking in rankings], np.int16)
    is_ranked = np.arange(width, dtype=np.int16) < lengths[:, np.newaxis]
    rows[is_ranked] = indexes[np.fromstring(" ".join(rankings), np.int16, sep=" ")]
    return rows
