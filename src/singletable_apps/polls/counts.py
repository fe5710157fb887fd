"""The votes of a poll, counted by four methods: people see when they disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from singletable_apps.polls.tally import Tally, names_of
from singletable_apps.shared.counting import (
    Ballots,
    Ranking,
    Result,
    RunoffResult,
    SchulzeResult,
    ScoreResult,
    ballots_of_groups,
    borda,
    instant_runoff,
    plurality,
    schulze,
)


@dataclass(frozen=True, slots=True)
class Counts:
    """The ballots, the result by instant runoff, and others to hold it against."""

    ballots: Ballots
    runoff: RunoffResult
    plurality: ScoreResult
    borda: ScoreResult
    schulze: SchulzeResult

    @property
    def by_method(self) -> dict[str, Result]:
        """Each result under the name of its method; the first decides."""
        return {
            "instant runoff": self.runoff,
            "plurality": self.plurality,
            "borda": self.borda,
            "schulze": self.schulze,
        }


def counts_of(poll_id: str, candidates: Sequence[str], tally: Tally) -> Counts:
    """Count all votes of a tally.

    A tie for the last place is broken by the rounds before, if they can; else by an order that the
    id of the poll makes of the names. It was there before anybody voted, and anyone can check it.
    """
    groups = [
        (Ranking.of_levels(names_of(candidates, order)), count)
        for order, count in tally.counts.items()
    ]
    ballots = ballots_of_groups(candidates, groups)
    return Counts(
        ballots,
        instant_runoff(ballots, look_back=True, seed=poll_id),
        plurality(ballots, seed=poll_id),
        borda(ballots, variant="listed", seed=poll_id),
        schulze(ballots, seed=poll_id),
    )
