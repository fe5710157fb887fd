"""Marks on a ballot become a ranking by the rules that were chosen; each rule used is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from singletable_apps.counting.formats.rules import BallotRules
from singletable_apps.counting.ranking import Ranking

# A rank from 1, and who is marked on it.
Mark: TypeAlias = tuple[int, Sequence[str]]

OVERVOTE_SKIPPED = "overvoted rank skipped"
OVERVOTE_EXHAUSTED = "exhausted at an overvote"
OVERVOTE_UNNAMED = "overvoted rank skipped, as nobody is named on it"
REPEAT_DROPPED = "repeated candidate counted once"
REPEAT_EXHAUSTED = "exhausted at a repeated candidate"
SKIP_IGNORED = "skipped ranks ignored"
SKIP_EXHAUSTED = "exhausted at skipped ranks"
OVERVOTE_REFUSED = "overvoted"
REPEAT_REFUSED = "ranks a candidate twice"


@dataclass(frozen=True, slots=True)
class Cleaned:
    """The ranking that the marks make, the rules that changed it, and why it is refused."""

    ranking: Ranking
    changed: tuple[str, ...] = ()
    refused: str | None = None


def cleaned(marks: Sequence[Mark], rules: BallotRules, unnamed: frozenset[int]) -> Cleaned:
    """The ranking of these marks; `unnamed` are overvoted ranks of which nobody knows the names.

    Rank by rank: first skipped ranks are looked for, then repeats, then overvotes, which is the
    order that RCTab has.
    """
    levels: list[list[str]] = []
    changed: dict[str, None] = {}
    taken: set[str] = set()
    last = 0
    for rank, marked in sorted(marks, key=lambda mark: mark[0]):
        names = list(dict.fromkeys(marked))
        if rank - last > 1:
            if rules.skipped is not None and rank - last > rules.skipped + 1:
                changed[SKIP_EXHAUSTED] = None
                break
            changed[SKIP_IGNORED] = None
        last = rank
        repeated = [name for name in names if name in taken]
        if repeated and rules.repeats == "refuse":
            return Cleaned(Ranking(), (), REPEAT_REFUSED)
        if repeated and rules.repeats == "exhaust":
            changed[REPEAT_EXHAUSTED] = None
            break
        if rules.repeats == "exhaust":
            taken.update(names)
        if len(names) > 1 or rank in unnamed:
            if rules.overvotes == "refuse":
                return Cleaned(Ranking(), (), OVERVOTE_REFUSED)
            if rules.overvotes == "exhaust":
                changed[OVERVOTE_EXHAUSTED] = None
                break
            if rules.overvotes == "skip":
                changed[OVERVOTE_SKIPPED] = None
                continue
            if rank in unnamed:
                changed[OVERVOTE_UNNAMED] = None
        if repeated:
            changed[REPEAT_DROPPED] = None
        levels.append([name for name in names if name not in repeated])
        taken.update(names)
    return Cleaned(Ranking.from_levels(levels), tuple(changed))
