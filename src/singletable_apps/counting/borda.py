"""Count by Borda's points: each ballot gives more of them the higher it ranks a candidate."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.explaining.scores import explain_scores
from singletable_apps.counting.pairwise import Pairwise, count_pairs
from singletable_apps.counting.result import BallotAccount, Number, final_order
from singletable_apps.counting.results.scores import ScoreResult
from singletable_apps.counting.rules import BordaVariant, borda_rule, ties_rule
from singletable_apps.counting.scores import margin_by_score, places_by_score
from singletable_apps.counting.tie_break import TieBreak


def borda(
    ballots: Ballots | Pairwise, *, variant: BordaVariant = "shared", seed: str | None = None
) -> ScoreResult:
    """The places by points. Ties are reported; a seed also puts them in an order."""
    sums = count_pairs(ballots)
    names = sums.candidates
    ties = None if seed is None else TieBreak.from_seed(names, seed)
    scores = {name: _points(sums, at, variant) for at, name in enumerate(names)}
    places = places_by_score(scores)
    # From first to last, and another from last to first: so far can one ballot move two.
    steps = len(names) - 1 if variant == "shared" else len(names)
    result = ScoreResult(
        method="Borda",
        candidates=names,
        rules=(borda_rule(variant), ties_rule(ties)),
        account=BallotAccount(sums.cast, sums.blank, sums.cast - sums.blank),
        places=places,
        margin=margin_by_score(
            scores,
            2 * steps,
            sure=False,
            why=f"one ballot moves the difference of two by at most {2 * steps} points",
        ),
        tie_break=ties,
        final_order=final_order(places, ties),
        scores=scores,
    )
    return replace(result, explanation=tuple(explain_scores(result, "point")))


def _points(sums: Pairwise, candidate: int, variant: BordaVariant) -> Number:
    """The points of a candidate, summed over all ballots: twice as many, so that halves are whole.

    What each ballot gives follows from pairs: how many stand below, level or above.
    """
    others = [other for other in range(len(sums.candidates)) if other != candidate]
    if variant == "shared":
        # A blank ballot prefers nobody, and gives nothing.
        counted = sums.cast - sums.blank
        preferences = sums.preferences("last")
        twice = sum(
            counted + preferences[candidate][other] - preferences[other][candidate]
            for other in others
        )
        return _halved(twice)
    if variant == "listed":
        first = len(sums.candidates) * sums.ranked[candidate]
    else:
        first = sum(sums.both[candidate])
    # Whoever is above costs a point, and whoever stands level half a one.
    lost = sum(
        sums.both[candidate][other] + sums.above[other][candidate] - sums.above[candidate][other]
        for other in others
    )
    return _halved(2 * first - lost)


def _halved(twice: int) -> Number:
    return Fraction(twice, 2) if twice % 2 else twice // 2
