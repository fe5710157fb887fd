"""Margins of victory that follow from the rounds of an instant runoff.

At most: in any round, so many of the winner's ballots may name others in the winner's stead that
nobody else has fewer votes. Then the winner goes in that round, or has gone before: earlier rounds
are the same but for votes that the winner lacks and others have.

At least: changing one ballot moves the difference of two candidates by at most two. So the same
candidates go while fewer are changed than half of the difference between those who go and the next;
some may go in any order, if together they have fewer votes than the next has alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil

from singletable_apps.counting.first_choices import FirstChoices, Votes
from singletable_apps.counting.margin import Margin
from singletable_apps.counting.result import Number
from singletable_apps.counting.text import pluralize


def margin_of_rounds(choices: FirstChoices, rounds: Sequence[Votes], winner: int) -> Margin | None:
    """The margin of a winner by rounds; None for an only candidate."""
    if len(rounds[0].of) == 1:
        return None
    votes, gone = _to_two(choices, rounds)
    at_least = max(1, _least(votes, gone, winner))
    if not choices.ready.strict:
        why = "with fewer changed ballots the same candidates go, and the same one has a majority"
        return Margin(at_least, None, why)
    most = [_to_be_last(each, winner) for each in votes]
    at_most = min(most)
    number = most.index(at_most) + 1
    why = (
        f"with {pluralize(at_most, 'ballot')} for others instead the winner could be last in round "
        f"{number}"
    )
    if at_least < at_most:
        why += "; with fewer than the smaller number the same candidates go, round by round"
    return Margin(at_least, at_most, why)


def _to_be_last(here: Votes, winner: int) -> int:
    """The fewest ballots whose change from the winner to others leaves nobody with fewer votes."""
    # Ballots that name one candidate at a time give whole votes.
    mine = int(here.of[winner])
    others = [int(votes) for each, votes in here.of.items() if each != winner]
    # With each ballot that changes there is less to lift the others to, and more to do it with; so
    # halving finds it. Votes may be more than `bisect` can count.
    fewest, enough = 0, mine
    while fewest < enough:
        changed = (fewest + enough) // 2
        if changed < sum(max(0, mine - changed - votes) for votes in others):
            fewest = changed + 1
        else:
            enough = changed
    return fewest


def _to_two(choices: FirstChoices, rounds: Sequence[Votes]) -> tuple[list[Votes], list[int]]:
    """The rounds, continued beyond the majority until two are left; and who went in each."""
    votes = list(rounds)
    while len(votes[-1].of) > 2:
        left = [each for each in votes[-1].of if each != votes[-1].fewest[-1]]
        votes.append(choices.votes(left, votes[-1].lost))
    gone = [
        next(each for each in before.of if each not in after.of)
        for before, after in pairwise(votes)
    ]
    return votes, gone


def _least(votes: list[Votes], gone: list[int], winner: int) -> int:
    """The fewest changed ballots that could let the count take another course, worked backwards."""
    safe = [0] * len(votes)
    for at in reversed(range(len(votes))):
        here = votes[at]
        safe[at] = _half(2 * here.of[winner] - here.continuing)
        for then in range(at + 1, len(votes)):
            together = sum(here.of[each] for each in gone[at:then])
            next_one = min(here.of[each] for each in votes[then].of)
            safe[at] = max(safe[at], min(_half(next_one - together), safe[then]))
    return safe[0]


def _half(difference: Number) -> int:
    return max(0, ceil(Fraction(difference) / 2))
