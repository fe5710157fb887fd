"""Count by Ranked Pairs: lock victories from the strongest on, unless they close a cycle.

Victories of equal strength are judged together. With a seed they are locked one by one in its
order. Without a seed no one is favored: those that contradict each other are all skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from itertools import pairwise as neighbors
from typing import TypeAlias

from ranked_ballots.ballots import Ballots
from ranked_ballots.methods.explanation import (
    conclude,
    explain_condorcet,
    introduce,
    is_trivial,
    win_phrase,
)
from ranked_ballots.methods.margins import pairwise_margin
from ranked_ballots.pairwise import (
    Matrix,
    Pairwise,
    count_pairs,
    find_condorcet_winner,
    find_smith_set,
)
from ranked_ballots.result import (
    BallotAccount,
    Margin,
    Place,
    Result,
    Rule,
    break_ties,
    number_places,
)
from ranked_ballots.rules import (
    Strength,
    Unranked,
    strength_rule,
    ties_rule,
    unranked_rule,
)
from ranked_ballots.text import format_number, format_ordinal, join_names
from ranked_ballots.tie_break import TieBreak

Victory: TypeAlias = tuple[int, int]
# A victory, the cycle that it would have closed (empty if it was locked), and whether equally
# strong victories affected that.
LockDecision: TypeAlias = tuple[Victory, list[int], bool]

_IN_ORDER = Rule(
    "equal pairs",
    "seed",
    "Victories of equal strength are locked one by one: first those of candidates earlier in the "
    "seed's order, and of one candidate's victories those over later candidates first.",
)
_TOGETHER = Rule(
    "equal pairs",
    "together",
    "Victories of equal strength are judged together: all that close a cycle with each other and "
    "with locked victories are skipped.",
)


@dataclass(frozen=True, slots=True)
class RankedPair:
    """A victory, locked or skipped; `cycle` is the cycle that skipping it avoided.

    The cycle starts and ends with the winner: Ada, Ben, Cy, Ada. `by_order` says that equally
    strong victories contradicted each other, so that the tie-break order decided, or, without a
    seed, all were skipped.
    """

    winner: str
    loser: str
    votes: int
    against: int
    locked: bool
    cycle: tuple[str, ...] = ()
    by_order: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedPairsResult(Result):
    """The result; `pairs` are the victories in the order they were judged, strongest first."""

    preferences: Matrix
    pairs: tuple[RankedPair, ...]
    condorcet_winner: str | None
    smith_set: tuple[str, ...]


def ranked_pairs(
    ballots: Ballots | Pairwise,
    *,
    strength: Strength = "winning",
    unranked: Unranked = "last",
    seed: str | None = None,
) -> RankedPairsResult:
    """Count by locked victories. Ties are reported; a seed breaks them."""
    sums = count_pairs(ballots)
    names = sums.candidates
    preferences = sums.preferences(unranked)
    tie_break = None if seed is None else TieBreak.from_seed(names, seed)
    graph = LockedGraph(len(names))
    pairs = tuple(_judge_pairs(names, preferences, strength, tie_break, graph))
    places = number_places([[names[at] for at in layer] for layer in graph.layers()])
    result = RankedPairsResult(
        method="Ranked Pairs",
        candidates=names,
        rules=(
            strength_rule(strength),
            unranked_rule(unranked),
            _TOGETHER if tie_break is None else _IN_ORDER,
            ties_rule(tie_break),
        ),
        account=BallotAccount(sums.cast, sums.blank, sums.cast - sums.blank),
        places=places,
        margin=_margin(sums, preferences, places, strength),
        tie_break=tie_break,
        final_order=break_ties(places, tie_break),
        preferences=preferences,
        pairs=pairs,
        condorcet_winner=find_condorcet_winner(names, preferences),
        smith_set=find_smith_set(names, preferences),
    )
    return replace(result, explanation=tuple(explain_ranked_pairs(result)))


class LockedGraph:
    """A graph of locked victories without cycles."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.below: list[list[int]] = [[] for _ in range(size)]

    def lock(self, victory: Victory) -> None:
        """Lock the winner above the loser."""
        self.below[victory[0]].append(victory[1])

    def find_path(self, source: int, target: int, more: Sequence[Victory] = ()) -> list[int]:
        """Return a shortest path downwards including both ends, or an empty list.

        `more` are victories to use as if they were locked.
        """
        predecessors = {source: source}
        queue = [source]
        for here in queue:
            if here == target:
                break
            for there in [*self.below[here], *(b for a, b in more if a == here)]:
                if there not in predecessors:
                    predecessors[there] = here
                    queue.append(there)
        if target not in predecessors:
            return []
        path = [target]
        while path[-1] != source:
            path.append(predecessors[path[-1]])
        return path[::-1]

    def find_cycle(self, victory: Victory, more: Sequence[Victory] = ()) -> list[int]:
        """Return the cycle that locking a victory would close, or an empty list."""
        path = self.find_path(victory[1], victory[0], more)
        return [victory[0], *path] if path else []

    def layers(self) -> list[list[int]]:
        """Return the candidates below no one, then those below no remaining one, and so on."""
        remaining = set(range(self.size))
        layers: list[list[int]] = []
        while remaining:
            beaten = {below for above in remaining for below in self.below[above]}
            layer = sorted(remaining - beaten)
            layers.append(layer)
            remaining -= set(layer)
        return layers


def lock_in_order(graph: LockedGraph, equal: Sequence[Victory]) -> Iterator[LockDecision]:
    """Lock victories of one strength one by one, skipping each that closes a cycle."""
    free = [victory for victory in equal if not graph.find_cycle(victory)]
    disputed = {victory for victory in free if graph.find_cycle(victory, free)}
    for victory in equal:
        cycle = graph.find_cycle(victory)
        if not cycle:
            graph.lock(victory)
        yield victory, cycle, victory in disputed


def lock_together(graph: LockedGraph, equal: Sequence[Victory]) -> Iterator[LockDecision]:
    """Lock the victories of one strength that close no cycle, not even with each other."""
    free = [victory for victory in equal if not graph.find_cycle(victory)]
    decisions = [
        (victory, graph.find_cycle(victory) or graph.find_cycle(victory, free)) for victory in equal
    ]
    for victory, cycle in decisions:
        if not cycle:
            graph.lock(victory)
        yield victory, cycle, victory in free and bool(cycle)


def _judge_pairs(
    names: Sequence[str],
    preferences: Matrix,
    strength: Strength,
    tie_break: TieBreak | None,
    graph: LockedGraph,
) -> Iterator[RankedPair]:
    """Lock or skip every victory, strongest first."""
    size = range(len(names))
    order = list(size) if tie_break is None else [tie_break.order.index(name) for name in names]
    victories = [(a, b) for a in size for b in size if preferences[a][b] > preferences[b][a]]

    def rank(victory: Victory) -> tuple[int, int]:
        a, b = victory
        if strength == "winning":
            return -preferences[a][b], preferences[b][a]
        return preferences[b][a] - preferences[a][b], 0

    victories.sort(key=lambda victory: (*rank(victory), order[victory[0]], -order[victory[1]]))
    for _, equal in groupby(victories, key=rank):
        judge = lock_together if tie_break is None else lock_in_order
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
    gaps = [higher - lower for lower, higher in neighbors(strengths)]
    return pairwise_margin(
        sums, preferences, sums.candidates.index(winner), gaps=gaps, strength=strength
    )


def explain_ranked_pairs(result: RankedPairsResult, is_final: bool = True) -> Iterator[str]:
    """Explain each victory, and each place by the candidates locked above."""
    yield from introduce(result, is_final)
    if not is_trivial(result):
        yield from explain_condorcet(
            result.candidates,
            result.preferences,
            result.condorcet_winner,
            result.smith_set,
            is_final,
        )
        for pair in result.pairs:
            yield _explain_pair(result, pair)
        yield _explain_first(result.places[0], is_final)
        for before, place in neighbors(result.places):
            yield from _explain_later(result, before, place)
    yield from conclude(result, is_final)


def _explain_pair(result: RankedPairsResult, pair: RankedPair) -> str:
    votes = f"{format_number(pair.votes)} to {format_number(pair.against)}"
    victory = f"{pair.winner} beats {pair.loser} {votes}"
    if pair.locked and pair.by_order:
        return f"{victory}: locked, as the first of equally strong victories that conflict."
    if pair.locked:
        return f"{victory}: locked."
    cycle = " over ".join(pair.cycle)
    if not pair.by_order:
        return f"{victory}: skipped, because it would close the cycle {cycle}."
    if result.tie_break is None:
        return (
            f"{victory}: skipped along with equally strong victories, because together they would "
            f"close the cycle {cycle}."
        )
    return (
        f"{victory}: skipped, because after equally strong victories it would close the cycle "
        f"{cycle}."
    )


def _explain_first(place: Place, is_final: bool) -> str:
    if len(place.candidates) == 1:
        name = place.candidates[0]
        return f"{name} {win_phrase(is_final)}: no one is locked above {name}."
    return f"{join_names(place.candidates)} are tied for 1st place: no one is locked above them."


def _explain_later(result: RankedPairsResult, before: Place, place: Place) -> Iterator[str]:
    if len(place.candidates) > 1:
        yield (
            f"{join_names(place.candidates)} are tied for {format_ordinal(place.place)} place: "
            "none of them is locked above another."
        )
    for name in place.candidates:
        above = next(
            pair.winner
            for pair in result.pairs
            if pair.locked and pair.loser == name and pair.winner in before.candidates
        )
        yield f"{name} is {format_ordinal(place.place)}: {above} is locked above {name}."
