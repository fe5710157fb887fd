"""Abstentions and quorum: turnout, and whether it is enough for a valid result."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ranked_ballots.ballots import Ballots
from ranked_ballots.errors import BallotsError
from ranked_ballots.ranking import Ranking
from ranked_ballots.text import pluralize


@dataclass(frozen=True, slots=True)
class SetApart:
    """Ballots without a choice such as "None of these", and how many ballots chose it first.

    `ballots` still contains those who abstained, as blank ballots: `ballots.blank - abstained`
    ballots were cast without any mark.
    """

    ballots: Ballots
    abstained: int


def set_apart(ballots: Ballots, choice: str) -> SetApart:
    """Remove a choice that cannot win, such as "None of these" or "Abstain".

    On each ballot it is a line: the candidates below it, and those equal to it, are not ranked.
    """
    if choice not in ballots.candidates:
        known = ", ".join(f"'{name}'" for name in ballots.candidates)
        raise BallotsError(f"There is no choice '{choice}' to set apart. Candidates: {known}.")
    kept: Counter[Ranking] = Counter()
    abstained = 0
    for ranking, count in ballots.ranking_counts():
        ends = [at for at, level in enumerate(ranking.levels) if choice in level]
        kept[Ranking(ranking.levels[: ends[0]] if ends else ranking.levels)] += count
        abstained += count if ends == [0] else 0
    names = [name for name in ballots.candidates if name != choice]
    return SetApart(Ballots.from_counts(names, kept.items()), abstained)


@dataclass(frozen=True, slots=True)
class QuorumCheck:
    """Whether enough took part, and the sentence that says so."""

    is_valid: bool
    present: int
    needed: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Quorum:
    """The ballots that a valid result needs: a number, a share of those eligible, or both.

    Blank ballots and abstentions count as taking part unless `counts_blank` is False.
    """

    number: int = 0
    share: Fraction = Fraction(0)
    counts_blank: bool = True

    def __post_init__(self) -> None:
        if self.number < 0 or not 0 <= self.share <= 1:
            raise BallotsError(
                f"A quorum of {self.number} ballots and a share of {self.share} is not possible; "
                "expected a number from 0 on and a share from 0 to 1."
            )

    def check(self, ballots: Ballots, eligible: int | None = None) -> QuorumCheck:
        """Return whether these ballots meet the quorum; a share needs the number of `eligible`."""
        if eligible is None and self.share:
            raise BallotsError("A quorum by share needs the number of people who may vote.")
        if eligible is not None and eligible < ballots.cast:
            raise BallotsError(f"{ballots.cast} ballots were cast by {eligible} eligible people.")
        needed = max(self.number, ceil(self.share * (eligible or 0)))
        present = ballots.cast if self.counts_blank else ballots.cast - ballots.blank
        is_valid = present >= needed
        counted = pluralize(present, "ballot") + ("" if self.counts_blank else " with a choice")
        people = "" if eligible is None else f", {eligible:,} people eligible"
        verdict = "is met: the result is valid" if is_valid else "is not met: the result is invalid"
        return QuorumCheck(
            is_valid, present, needed, f"{counted}{people}; the quorum of {needed:,} {verdict}."
        )
