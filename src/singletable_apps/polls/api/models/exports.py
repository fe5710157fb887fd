"""All of a poll that may be taken along."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from singletable_apps.polls.api.models.base import Shown
from singletable_apps.polls.api.models.results import ResultsShown
from singletable_apps.polls.service import Outcome


class RankingShown(Shown):
    """A ranking, and how many voted for it."""

    rankings: list[str]
    votes: int


class ExportShown(ResultsShown):
    """The results, what was asked, and every different ranking."""

    title: str
    candidates: list[str]
    rankings: list[RankingShown] = Field(description="The most frequent first.")

    @classmethod
    def whole(cls, outcome: Outcome) -> ExportShown:
        """The outcome, with what it was counted from."""
        return cls(
            **dict(ResultsShown.of(outcome)),
            title=outcome.poll.title,
            candidates=outcome.poll.candidates,
            rankings=[
                RankingShown(rankings=list(ranking.names), votes=count)
                for ranking, count in outcome.counts.ballots.ranking_counts()
            ],
        )


class RoundsFile(Shown):
    """The rounds of the instant runoff as RCTab writes them: every number is a text."""

    config: dict[str, str]
    json_format_version: str
    results: list[dict[str, Any]]
    summary: dict[str, Any]
