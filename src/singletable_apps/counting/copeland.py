"""Count by Copeland's method: a point for each candidate that one beats, half a point for a tie."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.condorcet import find_condorcet_winner, find_smith_set
from singletable_apps.counting.explaining.copeland import explain_copeland
from singletable_apps.counting.margin_of_pairs import margin_of_pairs
from singletable_apps.counting.pairwise import Pairwise, Unranked, count_pairs
from singletable_apps.counting.result import BallotAccount, Number, Rule, final_order
from singletable_apps.counting.results.scores import CopelandResult
from singletable_apps.counting.rules import ties_rule, unranked_rule
from singletable_apps.counting.scores import places_by_score
from singletable_apps.counting.tie_break import TieBreak

_POINTS = Rule(
    "points", "1 and 1/2", "A candidate gets a point for each whom they beat and half for a tie."
)


def copeland(
    ballots: Ballots | Pairwise, *, unranked: Unranked = "last", seed: str | None = None
) -> CopelandResult:
    """The places by victories. Ties are reported; a seed also puts them in an order."""
    sums = count_pairs(ballots)
    names = sums.candidates
    preferences = sums.preferences(unranked)
    ties = None if seed is None else TieBreak.from_seed(names, seed)
    won, lost = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for a, name in enumerate(names):
        for b, other in enumerate(names):
            if preferences[a][b] > preferences[b][a]:
                won[name] += 1
                lost[other] += 1
    tied = {name: len(names) - 1 - won[name] - lost[name] for name in names}
    scores = {name: _score(won[name], tied[name]) for name in names}
    places = places_by_score(scores)
    result = CopelandResult(
        method="Copeland",
        candidates=names,
        rules=(_POINTS, unranked_rule(unranked), ties_rule(ties)),
        account=BallotAccount(sums.cast, sums.blank, sums.cast - sums.blank),
        places=places,
        tie_break=ties,
        final_order=final_order(places, ties),
        scores=scores,
        preferences=preferences,
        won=won,
        tied=tied,
        lost=lost,
        condorcet_winner=find_condorcet_winner(names, preferences),
        smith_set=find_smith_set(names, preferences),
    )
    winner, *others = result.winners
    if not others:
        margin = margin_of_pairs(sums, preferences, names.index(winner), strictly=True)
        result = replace(result, margin=margin)
    return replace(result, explanation=tuple(explain_copeland(result)))


def _score(won: int, tied: int) -> Number:
    return won + (Fraction(tied, 2) if tied % 2 else tied // 2)
