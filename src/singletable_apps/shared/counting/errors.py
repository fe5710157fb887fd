"""Every refusal to count.

CountingError           also a ValueError: something that came cannot be counted
├─ RankingRefused       a ranking names somebody twice, nobody known, or a rank that is none
├─ BallotsRefused       candidates, rows or counts that make no ballots
└─ TieUnbroken          a tie may decide who wins, and no seed was given to break it
"""

from __future__ import annotations


class CountingError(ValueError):
    """The root: whatever counting refuses is one of these."""


class RankingRefused(CountingError):
    """A ranking that cannot be; `name` is the candidate it is about, if it is about one."""

    def __init__(self, message: str, name: str | None = None) -> None:
        super().__init__(message)
        self.name = name


class BallotsRefused(CountingError):
    """Candidates, rows or counts that make no ballots."""


class TieUnbroken(CountingError):
    """A tie that may decide who wins; `tied` are the candidates, `in_round` is where it arose."""

    def __init__(self, message: str, tied: tuple[str, ...], in_round: int) -> None:
        super().__init__(message)
        self.tied = tied
        self.in_round = in_round
