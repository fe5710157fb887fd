"""The counting methods by name, for one winner and for several seats; explanations of results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from ranked_ballots.ballots import Ballots
from ranked_ballots.methods.ranked_pairs import (
    RankedPairsResult,
    explain_ranked_pairs,
    ranked_pairs,
)
from ranked_ballots.methods.runoff import RunoffResult, explain_runoff, instant_runoff
from ranked_ballots.methods.schulze import SchulzeResult, explain_schulze, schulze
from ranked_ballots.methods.scores import (
    CopelandResult,
    ScoreResult,
    borda,
    copeland,
    explain_copeland,
    explain_scores,
    plurality,
)
from ranked_ballots.methods.stv import (
    StvEqualRanks,
    StvResult,
    explain_stv,
    meek_stv,
    scottish_stv,
)
from ranked_ballots.result import Result


class CountingMethod(Protocol):
    """A function that counts ballots; its rules have defaults."""

    def __call__(self, ballots: Ballots, /, *, seed: str | None = None) -> Result:
        """Return the result, with ties broken by the seed if there is one."""
        ...


class SeatsMethod(Protocol):
    """A function that fills several seats; its rules have defaults."""

    def __call__(
        self,
        ballots: Ballots,
        /,
        *,
        seats: int,
        equal_ranks: StvEqualRanks = "exhaust at once",
        seed: str | None = None,
    ) -> StvResult:
        """Return the result, with ties broken by the seed if there is one."""
        ...


METHODS: dict[str, CountingMethod] = {
    "schulze": schulze,
    "ranked pairs": ranked_pairs,
    "instant runoff": instant_runoff,
    "borda": borda,
    "copeland": copeland,
    "plurality": plurality,
}
STV_METHODS: dict[str, SeatsMethod] = {"scottish stv": scottish_stv, "meek stv": meek_stv}


def explain(result: Result, *, is_final: bool) -> tuple[str, ...]:
    """Return the reasons for a result in sentences.

    Use `is_final=False` while voting is open: "would win if voting closed now" instead of "wins".
    `result.explanation` is the final wording.
    """
    return tuple(_explain(result, is_final))


def _explain(result: Result, is_final: bool) -> Iterator[str]:
    match result:
        case SchulzeResult():
            return explain_schulze(result, is_final)
        case RankedPairsResult():
            return explain_ranked_pairs(result, is_final)
        case RunoffResult():
            return explain_runoff(result, is_final)
        case CopelandResult():
            return explain_copeland(result, is_final)
        case ScoreResult():
            return explain_scores(result, is_final)
        case StvResult():
            return explain_stv(result, is_final)
        case unknown:
            raise TypeError(f"There is no explanation of a {type(unknown).__name__}.")
