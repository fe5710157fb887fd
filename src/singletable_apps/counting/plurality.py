"""Count first choices alone: the most win."""

from __future__ import annotations

from dataclasses import replace

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.explaining.scores import explain_scores
from singletable_apps.counting.first_choices import FirstChoices
from singletable_apps.counting.result import BallotAccount, final_order
from singletable_apps.counting.results.scores import ScoreResult
from singletable_apps.counting.rules import EqualRanks, equal_ranks_rule, ties_rule
from singletable_apps.counting.scores import margin_by_score, places_by_score
from singletable_apps.counting.tie_break import TieBreak


def plurality(
    ballots: Ballots, *, equal_ranks: EqualRanks = "split", seed: str | None = None
) -> ScoreResult:
    """The places by first choices. Ties are reported; a seed also puts them in an order."""
    names = ballots.candidates
    ties = None if seed is None else TieBreak.from_seed(names, seed)
    choices = FirstChoices(ballots, equal_ranks)
    votes = choices.votes(range(len(names)))
    scores = {names[each]: number for each, number in votes.of.items()}
    places = places_by_score(scores)
    result = ScoreResult(
        method="Plurality",
        candidates=names,
        rules=(equal_ranks_rule(equal_ranks), ties_rule(ties)),
        account=BallotAccount(ballots.cast, ballots.blank, votes.continuing, votes.exhausted),
        places=places,
        margin=margin_by_score(
            scores,
            2,
            sure=choices.ready.strict,
            why="a ballot that names another first moves the difference of two by two",
        ),
        tie_break=ties,
        final_order=final_order(places, ties),
        scores=scores,
    )
    return replace(result, explanation=tuple(explain_scores(result, "first choice")))
