"""Count by Ranked Pairs: victories are locked from the strongest on, if they close no circle.

Victories of equal strength are looked at together. With a seed they are taken in turn, in its
order. Without one nobody is favoured: those that contradict each other are all left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from itertools import pairwise as neighbours
from typing import TypeAlias

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.condorcet import find_condorcet_winner, find_smith_set
from singletable_apps.counting.explaining.ranked_pairs import explain_ranked_pairs
from singletable_apps.counting.locking import Graph, layers, lock_in_turn, lock_together
from singletable_apps.counting.margin import Margin
from singletable_apps.counting.margin_of_pairs import margin_of_pairs
from singletable_apps.counting.pairwise import Matrix, Pairwise, Unranked, count_pairs
from singletable_apps.counting.result import BallotAccount, Place, Rule, final_order, places_of
from singletable_apps.counting.results.ranked_pairs import RankedPair, RankedPairsResult
from singletable_apps.counting.rules import (
    Strength,
    strength_rule,
    ties_rule,
    unranked_rule,
)
from singletable_apps.counting.tie_break import TieBreak

Victory: TypeAlias = tuple[int, int]

_IN_TURN = Rule(
    "equal pairs",
    "seed",
    "Victories of equal strength are taken in turn: those of candidates earlier in the seed's "
    "order first, and of one candidate's those over the later ones first.",
)
_TOGETHER = Rule(
    "equal pairs",
    "together",
    "Victories of equal strength are judged together: those that close a circle with each other "
    "and with what is locked are all left out.",
)


def ranked_pairs(
    ballots: Ballots | Pairwise,
    *,
    strength: Strength = "winning",
    unranked: Unranked = "last",
    seed: str | None = None,
) -> RankedPairsResult:
    """The places by locked victories. Ties are reported; a seed also puts them in an order."""
    sums = count_pairs(ballots)
    names = sums.candidates
    preferences = sums.preferences(unranked)
    ties = None if seed is None else TieBreak.from_seed(names, seed)
    graph = Graph(len(names))
    pairs = tuple(_pairs(names, preferences, strength, ties, graph))
    places = places_of([[names[at] for at in layer] for layer in layers(graph)])
    result = RankedPairsResult(
        method="Ranked Pairs",
        candidates=names,
        rules=(
            strength_rule(strength),
            unranked_rule(unranked),
            _TOGETHER if ties is None else _IN_TURN,
            ties_rule(ties),
        ),
        account=BallotAccount(sums.cast, sums.blank, sums.cast - sums.blank),
        places=places,
        margin=_margin(sums, preferences, places, strength),
        tie_break=ties,
        final_order=final_order(places, ties),
        preferences=preferences,
        pairs=pairs,
        condorcet_winner=find_condorcet_winner(names, preferences),
        smith_set=find_smith_set(names, preferences),
    )
    return replace(result, explanation=tuple(explain_ranked_pairs(result)))


def _pairs(
    names: Sequence[str],
    preferences: Matrix,
    strength: Strength,
    ties: TieBreak | None,
    graph: Graph,
) -> Iterator[RankedPair]:
    """Every victory, locked in the graph or not, the strongest first."""
    size = range(len(names))
    order = list(size) if ties is None else [ties.order.index(name) for name in names]
    victories = [(a, b) for a in size for b in size if preferences[a][b] > preferences[b][a]]

    def rank(victory: Victory) -> tuple[int, int]:
        a, b = victory
        if strength == "winning":
            return -preferences[a][b], preferences[b][a]
        return preferences[b][a] - preferences[a][b], 0

    victories.sort(key=lambda victory: (*rank(victory), order[victory[0]], -order[victory[1]]))
    for _, equal in groupby(victories, key=rank):
        judge = lock_together if ties is None else lock_in_turn
        for (a, b), cycle, by_order in judge(graph, list(equal)):
            yield RankedPair(
                names[a],
                names[b],
                preferences[a][b],
                preferences[b][a],
                not cycle,
                tuple(names[at] for at in cycle),
                by_order,
            )


def _margin(
    sums: Pairwise, preferences: Matrix, places: tuple[Place, ...], strength: Strength
) -> Margin | None:
    winner, *tied = places[0].candidates
    if tied:
        return None
    pairs = [
        (votes, preferences[b][a])
        for a, row in enumerate(preferences)
        for b, votes in enumerate(row)
    ]
    strengths = sorted(
        votes if strength == "winning" else votes - against
        for votes, against in pairs
        if votes > against
    )
    gaps = [higher - lower for lower, higher in neighbours(strengths)]
    return margin_of_pairs(
        sums, preferences, sums.candidates.index(winner), gaps=gaps, strength=strength
    )
