"""What becomes of ballots that name several candidates where one is wanted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from singletable_apps.counting.ballots import Ballots, Columns
from singletable_apps.counting.rules import EqualRanks


@dataclass(frozen=True, slots=True)
class Prepared:
    """Ranks as a count in rounds wants them.

    `strict` says that no rank is shared any more. `cut` marks rows that lost all from a shared rank
    on: they are exhausted by it, not for want of choices.
    """

    columns: Columns
    strict: bool
    cut: NDArray[np.bool_] | None = None


def prepared(ballots: Ballots, rule: EqualRanks) -> Prepared:
    """The ranks without those that the rule takes away."""
    if ballots.is_strict:
        return Prepared(ballots.columns, strict=True)
    if rule in ("split", "exhaust"):
        return Prepared(ballots.columns, strict=False)
    shared = _shared(ballots)
    columns = ballots.columns.copy()
    if rule == "skip":
        columns[shared] = ballots.unranked
        return Prepared(columns, strict=True)
    first: Columns = np.where(shared, columns, ballots.unranked).min(axis=0)
    columns[columns >= first] = ballots.unranked
    return Prepared(columns, strict=True, cut=first < ballots.unranked)


def _shared(ballots: Ballots) -> NDArray[np.bool_]:
    """Where a candidate has a rank that another has too."""
    columns = ballots.columns
    shared = np.zeros(columns.shape, np.bool_)
    for a in range(len(columns)):
        for b in range(a):
            level = columns[a] == columns[b]
            shared[a] |= level
            shared[b] |= level
    shared &= columns != ballots.unranked
    return shared
