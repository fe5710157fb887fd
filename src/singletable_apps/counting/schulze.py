"""Count by Schulze's method: whoever has the stronger paths stands higher.

The textbook form: a link leads from a to b only where a beats b head to head, and the whole order
is read from the one matrix of paths, layer by layer.
"""

from __future__ import annotations

from dataclasses import replace

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.condorcet import find_condorcet_winner, find_smith_set
from singletable_apps.counting.explaining.schulze import explain_schulze
from singletable_apps.counting.margin_of_pairs import margin_of_pairs
from singletable_apps.counting.pairwise import Matrix, Pairwise, Unranked, count_pairs
from singletable_apps.counting.paths import links, strongest, strongest_paths
from singletable_apps.counting.result import BallotAccount, Rule, final_order, places_of
from singletable_apps.counting.results.schulze import SchulzeResult
from singletable_apps.counting.rules import (
    Strength,
    strength_rule,
    ties_rule,
    unranked_rule,
)
from singletable_apps.counting.tie_break import TieBreak

_ORDER = Rule(
    "order",
    "layers",
    "A place is shared by all whom nobody left beats by paths; then they are taken away, and the "
    "next place is read from the same paths.",
)


def schulze(
    ballots: Ballots | Pairwise,
    *,
    strength: Strength = "winning",
    unranked: Unranked = "last",
    seed: str | None = None,
) -> SchulzeResult:
    """The places by strongest paths. Ties are reported; a seed also puts them in an order."""
    sums = count_pairs(ballots)
    names = sums.candidates
    preferences = sums.preferences(unranked)
    direct = links(preferences, strength)
    strengths = strongest(direct)
    places = places_of([[names[at] for at in layer] for layer in _layers(strengths)])
    ties = None if seed is None else TieBreak.from_seed(names, seed)
    result = SchulzeResult(
        method="Schulze",
        candidates=names,
        rules=(strength_rule(strength), unranked_rule(unranked), _ORDER, ties_rule(ties)),
        account=BallotAccount(sums.cast, sums.blank, sums.cast - sums.blank),
        places=places,
        tie_break=ties,
        final_order=final_order(places, ties),
        preferences=preferences,
        strengths=strengths,
        paths=strongest_paths(names, direct, strengths),
        condorcet_winner=find_condorcet_winner(names, preferences),
        smith_set=find_smith_set(names, preferences),
    )
    if len(result.winners) == 1:
        at = names.index(result.winners[0])
        gaps = [strengths[at][b] - strengths[b][at] for b in range(len(names)) if b != at]
        margin = margin_of_pairs(sums, preferences, at, gaps=gaps, strength=strength)
        result = replace(result, margin=margin)
    return replace(result, explanation=tuple(explain_schulze(result)))


def _layers(strengths: Matrix) -> list[list[int]]:
    """Those whom nobody left beats by paths, then the next, until nobody is left."""
    left = list(range(len(strengths)))
    layers: list[list[int]] = []
    while left:
        layer = [
            each
            for each in left
            if not any(strengths[other][each] > strengths[each][other] for other in left)
        ]
        layers.append(layer)
        left = [each for each in left if each not in layer]
    return layers
