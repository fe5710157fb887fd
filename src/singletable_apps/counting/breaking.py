"""Who goes when several have the fewest votes, and whether it matters who does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from singletable_apps.counting.first_choices import FirstChoices, Votes

# So many rounds are counted to find out what ties may do: fewer if there are many ballots. It is a
# number and not a time, so that the answer is the same on every machine.
_MOST_ROUNDS = 1_000
_FEWEST_ROUNDS = 64
_CELLS = 100_000_000


class TooMany(Exception):
    """There are too many ways of breaking the ties to look at them all."""


class Outcomes:
    """Who wins under some way of breaking the ties, from any point of the count."""

    def __init__(self, choices: FirstChoices) -> None:
        self._choices = choices
        self._known: dict[tuple[tuple[int, ...], bytes], frozenset[int]] = {}
        cells = max(1, choices.ballots.columns.size)
        self._rounds = max(_FEWEST_ROUNDS, min(_MOST_ROUNDS, _CELLS // cells))

    def winners(self, left: Sequence[int], lost: NDArray[np.bool_] | None) -> frozenset[int] | None:
        """Who may win once these are left; None if there are too many ways."""
        try:
            return self._winners(tuple(left), lost)
        except TooMany:
            return None

    def _winners(self, left: tuple[int, ...], lost: NDArray[np.bool_] | None) -> frozenset[int]:
        key = left, b"" if lost is None else np.packbits(lost).tobytes()
        if key not in self._known:
            if self._rounds == 0:
                raise TooMany
            self._rounds -= 1
            self._known[key] = self._counted(left, self._choices.votes(left, lost))
        return self._known[key]

    def _counted(self, left: tuple[int, ...], votes: Votes) -> frozenset[int]:
        if votes.majority is not None:
            return frozenset([votes.majority])
        if votes.continuing == 0:
            return frozenset(left)
        if votes.lost is None and (doomed := doomed_together(votes)):
            return self._winners(_without(left, doomed), None)
        outcomes = [self._winners(_without(left, [each]), votes.lost) for each in votes.fewest]
        return frozenset[int]().union(*outcomes)


def doomed_together(votes: Votes) -> list[int]:
    """Those with the fewest votes, if they all go whatever the order in which they do.

    Together they have fewer votes than the next one has alone, so nothing that they leave to each
    other lifts one of them above anybody else; and once all are gone, all is as in any other order.
    """
    fewest = votes.fewest
    others = [number for each, number in votes.of.items() if each not in fewest]
    together = sum(votes.of[each] for each in fewest)
    return fewest if others and together < min(others) else []


def fewest_before(tied: list[int], rounds: Sequence[Votes]) -> list[int]:
    """Those of the tied who had the fewest votes when they last differed, looking back."""
    for earlier in reversed(rounds):
        lowest = min(earlier.of[each] for each in tied)
        tied = [each for each in tied if earlier.of[each] == lowest]
    return tied


def _without(left: tuple[int, ...], gone: Sequence[int]) -> tuple[int, ...]:
    return tuple(each for each in left if each not in gone)
