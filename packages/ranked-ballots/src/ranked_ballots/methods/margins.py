"""Margins of victory: how many ballots would have to be different for someone else to win.

Pairwise methods: changing one ballot shifts the difference of a pair by at most two. So a candidate
who beats everyone keeps beating everyone while fewer ballots are changed than half of the smallest
difference. An unbeaten candidate wins or shares the win, so it is enough to change half of each
difference by which a challenger is beaten, by moving the challenger to the top of those ballots.

Instant runoff, upper bound: in some round, enough of the winner's ballots go to others that no one
has fewer votes than the winner. Then the winner is eliminated in that round or earlier: the rounds
before only differ by votes that the winner lost. Lower bound: the same candidates are eliminated
while fewer ballots are changed than half of the difference between them and the next; several can
go in any order if together they have fewer votes than the next one alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil

from ranked_ballots.methods.first_choices import FirstChoices, Votes
from ranked_ballots.pairwise import Matrix, Pairwise
from ranked_ballots.result import Margin, Number
from ranked_ballots.rules import Strength
from ranked_ballots.text import pluralize


def score_margin(
    scores: Mapping[str, Number], max_shift: int, *, is_exact: bool, why: str
) -> Margin | None:
    """Return the margin if one ballot can shift a difference by `max_shift`; None for a tie.

    `is_exact` says that enough ballots can shift it by that much.
    """
    first, second, *_ = [*sorted(scores.values(), reverse=True), None]
    if first is None or second is None or first == second:
        return None
    ballots = ceil(Fraction(first - second) / max_shift)
    at_most, is_odd = ballots if is_exact else None, (first - second) % max_shift
    return Margin(ballots, at_most, why, makes_tie="no" if is_odd else "yes")


def pairwise_margin(
    sums: Pairwise,
    preferences: Matrix,
    winner: int,
    *,
    gaps: Sequence[int] = (),
    strength: Strength = "winning",
    must_beat_all: bool = False,
) -> Margin | None:
    """Return the margin of a winner by pairs; None for a single candidate.

    `gaps` are differences between strengths that the result depends on. `must_beat_all` says that
    a challenger wins for sure only by beating everyone.
    """
    candidates = sums.candidates
    others = [other for other in range(len(candidates)) if other != winner]
    if not others:
        return None
    enough = [_changes_to_be_unbeaten(preferences, other, must_beat_all) for other in others]
    at_most = min(sums.cast, *enough)
    closest = min(others, key=lambda other: _difference(preferences, winner, other))
    smallest = _difference(preferences, winner, closest)
    if smallest > 0:
        why = (
            f"{candidates[winner]} has the narrowest victory over {candidates[closest]}, by "
            f"{pluralize(smallest, 'ballot')}, and changing one ballot can shift that by two"
        )
        is_odd = smallest % 2
        return Margin(half_up(smallest), at_most, why, makes_tie="no" if is_odd else "yes")
    at_least = max(1, _changes_to_disturb(preferences, gaps, strength))
    why = "with fewer changes, no victory is reversed and no two strengths change places"
    return Margin(at_least, at_most, why)


def half_up(difference: int) -> int:
    """Return the fewest changed ballots that use up a difference, at two per ballot."""
    return -(-difference // 2)


def _changes_to_disturb(preferences: Matrix, gaps: Sequence[int], strength: Strength) -> int:
    """Return the fewest changes that reverse a victory or make two strengths equal."""
    size = range(len(preferences))
    reversals = [half_up(abs(_difference(preferences, a, b))) for a in size for b in range(a)]
    # One changed ballot brings two numbers of votes closer by two, and two margins by four.
    meetings = [half_up(gap) if strength == "winning" else -(-gap // 4) for gap in gaps]
    return min([*reversals, *meetings])


def _changes_to_be_unbeaten(preferences: Matrix, challenger: int, must_beat_all: bool) -> int:
    """Return enough changed ballots for the challenger to be beaten by no one."""
    behind = [
        _difference(preferences, other, challenger) + must_beat_all
        for other in range(len(preferences))
        if other != challenger
    ]
    return sum(half_up(difference) for difference in behind if difference > 0)


def _difference(preferences: Matrix, a: int, b: int) -> int:
    return preferences[a][b] - preferences[b][a]


def runoff_margin(choices: FirstChoices, rounds: Sequence[Votes], winner: int) -> Margin | None:
    """Return the margin of a winner by rounds; None for a single candidate."""
    if len(rounds[0].tally) == 1:
        return None
    votes, eliminated = _continue_to_two(choices, rounds)
    at_least = max(1, _fewest_changes(votes, eliminated, winner))
    if not choices.ranks.strict:
        why = "with fewer changes, the same candidates are eliminated and the majority is the same"
        return Margin(at_least, None, why)
    changes = [_changes_to_be_last(round_votes, winner) for round_votes in votes]
    at_most = min(changes)
    number = changes.index(at_most) + 1
    why = (
        f"if {pluralize(at_most, 'ballot')} went to others instead, the winner could come last in "
        f"round {number}"
    )
    if at_least < at_most:
        why += (
            "; with fewer changes than the smaller number, the same candidates are eliminated in "
            "every round"
        )
    if len(rounds[0].tally) > 2:  # a tie for last may decide who wins
        return Margin(at_least, at_most, why)
    is_odd = sum(rounds[0].tally.values()) % 2
    return Margin(at_least, at_most, why, makes_tie="no" if is_odd else "yes")


def _changes_to_be_last(votes: Votes, winner: int) -> int:
    """Return the fewest of the winner's ballots to give to others so that no one has fewer."""
    # Ballots that count for one candidate at a time give whole votes.
    own = int(votes.tally[winner])
    others = [int(number) for each, number in votes.tally.items() if each != winner]
    # Every changed ballot lowers the target and helps to reach it, so binary search works. Votes
    # may be larger than `bisect` supports.
    low, high = 0, own
    while low < high:
        changed = (low + high) // 2
        if changed < sum(max(0, own - changed - number) for number in others):
            low = changed + 1
        else:
            high = changed
    return low


def _continue_to_two(
    choices: FirstChoices, rounds: Sequence[Votes]
) -> tuple[list[Votes], list[int]]:
    """Continue the count until two candidates remain.

    Return the votes of all rounds, and the candidate that each round eliminated.
    """
    votes = list(rounds)
    while len(votes[-1].tally) > 2:
        remaining = [each for each in votes[-1].tally if each != votes[-1].fewest[-1]]
        votes.append(choices.count(remaining, votes[-1].exhausted_rows))
    eliminated = [
        next(each for each in before.tally if each not in after.tally)
        for before, after in pairwise(votes)
    ]
    return votes, eliminated


def _fewest_changes(votes: list[Votes], eliminated: list[int], winner: int) -> int:
    """Return the fewest changes that could make the count take another course."""
    safe = [0] * len(votes)
    for at in reversed(range(len(votes))):
        here = votes[at]
        safe[at] = _half(2 * here.tally[winner] - here.continuing)
        for then in range(at + 1, len(votes)):
            together = sum(here.tally[each] for each in eliminated[at:then])
            next_lowest = min(here.tally[each] for each in votes[then].tally)
            safe[at] = max(safe[at], min(_half(next_lowest - together), safe[then]))
    return safe[0]


def _half(difference: Number) -> int:
    return max(0, ceil(Fraction(difference) / 2))
