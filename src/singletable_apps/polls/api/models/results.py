"""Results, as the original had them, with all that explains them."""

from __future__ import annotations

from pydantic import Field

from singletable_apps.counting import RunoffResult
from singletable_apps.polls.api.models.base import Shown, absent_if_none
from singletable_apps.polls.api.models.methods import (
    TIED,
    WINNER,
    PluralityShown,
    SchulzeShown,
    alone,
    first_of,
)
from singletable_apps.polls.api.models.rounds import RoundShown, whole
from singletable_apps.polls.entities import Protection
from singletable_apps.polls.service import Outcome, Recount
from singletable_apps.polls.words import DECIDES, PROTECTION_WORDS
from singletable_apps.shared.counted import comparison


class TieOrder(Shown):
    """What breaks a tie that earlier rounds cannot: SHA-256 of the seed and the name."""

    seed: str
    order: list[str] = Field(description="Whoever is earlier stays.")


class ProtectionShown(Shown):
    """What kept people from voting twice, and what that is worth."""

    level: Protection
    words: str


class ResultsShown(Shown):
    """How a poll stands, or has ended."""

    poll_id: str
    total_votes: int
    is_final: bool = Field(description="Whether the poll has closed, and nothing will change.")
    rounds: list[RoundShown]
    winner: str | None = absent_if_none("Who wins the instant runoff; absent without votes.")
    possible_winners: list[str] | None = absent_if_none(
        "Who could have won had ties been broken otherwise; absent if that is not known."
    )
    tie_order: TieOrder
    borda_count: dict[str, int] = Field(
        description="Points: for a first place as many as there are options, then one less each."
    )
    borda_winners: list[str] = Field(description=TIED)
    borda_winner: str | None = absent_if_none(WINNER)
    plurality: PluralityShown
    schulze: SchulzeShown
    methods_disagree: bool = Field(description="Whether the four methods differ in who is first.")
    comparison: str = Field(description="What they say, and how they can differ.")
    protection: ProtectionShown
    rules: list[str] = Field(description="How the instant runoff counts.")
    explanation: list[str] = Field(description="The instant runoff in sentences.")

    @classmethod
    def of(cls, outcome: Outcome) -> ResultsShown:
        """The outcome."""
        poll, counts = outcome.poll, outcome.counts
        votes, runoff, borda = outcome.tally.votes, counts.runoff, first_of(counts.borda)
        compared = comparison(counts.by_method, DECIDES)
        return cls(
            poll_id=poll.id,
            total_votes=votes,
            is_final=outcome.is_final,
            rounds=[RoundShown.of(each) for each in runoff.rounds],
            winner=runoff.winner if votes else None,
            possible_winners=_possible(runoff) if votes else [],
            tie_order=_tie_order(runoff),
            borda_count=whole(counts.borda.scores),
            borda_winners=borda,
            borda_winner=alone(borda),
            plurality=PluralityShown.of(counts.plurality),
            schulze=SchulzeShown.of(counts.schulze),
            methods_disagree=votes > 0 and not compared.agrees,
            comparison=f"{compared.sentence} {compared.why}".strip() if votes else "",
            protection=ProtectionShown(
                level=poll.protection, words=PROTECTION_WORDS[poll.protection]
            ),
            # Nobody ranks two alike in a poll, so what would be done then is left out.
            rules=[rule.sentence for rule in runoff.rules if rule.about != "equal ranks"],
            explanation=list(runoff.explanation),
        )


class RecountShown(Shown):
    """What counting every vote one by one gives, beside what the results say."""

    poll_id: str
    votes: int
    rankings: int = Field(description="How many different rankings there are among them.")
    agrees: bool = Field(description="Whether the results say the same.")

    @classmethod
    def of(cls, poll_id: str, recount: Recount) -> RecountShown:
        """The recount."""
        return cls(
            poll_id=poll_id,
            votes=recount.votes,
            rankings=len(recount.by_votes.counts),
            agrees=recount.agrees,
        )


def _possible(runoff: RunoffResult) -> list[str] | None:
    return None if runoff.possible_winners is None else list(runoff.possible_winners)


def _tie_order(runoff: RunoffResult) -> TieOrder:
    assert runoff.tie_break is not None  # the id of the poll is always there
    return TieOrder(seed=runoff.tie_break.seed, order=list(runoff.tie_break.order))
