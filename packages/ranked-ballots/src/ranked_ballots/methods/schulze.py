"""Count by Schulze's method: of two candidates, the one with the stronger path ranks higher.

A path is a chain of victories, as strong as its weakest link. This is the textbook form: there is a
link from a to b only if a beats b head to head, and all places come from one matrix of paths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ranked_ballots.ballots import MAX_INT64, Ballots
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
    describe_pair,
    find_condorcet_winner,
    find_smith_set,
)
from ranked_ballots.result import (
    BallotAccount,
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

_ORDER = Rule(
    "order",
    "layers",
    "All candidates whom no remaining one beats by paths share a place. They are removed, and the "
    "next place is read from the same paths.",
)


@dataclass(frozen=True, slots=True)
class BeatPath:
    """A strongest chain of victories between two candidates, as strong as its weakest link.

    `links[n]` is the strength of the victory of names[n] over the next name.
    """

    names: tuple[str, ...]
    links: tuple[int, ...]
    strength: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SchulzeResult(Result):
    """The result, with matrices in the order of `candidates`.

    `preferences[a][b]` ballots prefer a to b. `strengths[a][b]` is the strength of the strongest
    path from a to b, 0 if there is none. `paths` has one such path for each pair that has one.
    """

    preferences: Matrix
    strengths: Matrix
    paths: tuple[BeatPath, ...]
    condorcet_winner: str | None
    smith_set: tuple[str, ...]

    def path(self, source: str, target: str) -> BeatPath | None:
        """Return a strongest path from one candidate to another, or None."""
        for path in self.paths:
            if path.names[0] == source and path.names[-1] == target:
                return path
        return None


def schulze(
    ballots: Ballots | Pairwise,
    *,
    strength: Strength = "winning",
    unranked: Unranked = "last",
    seed: str | None = None,
) -> SchulzeResult:
    """Count by strongest paths. Ties are reported; a seed breaks them."""
    sums = count_pairs(ballots)
    names = sums.candidates
    preferences = sums.preferences(unranked)
    links = victory_strengths(preferences, strength)
    strengths = _path_strengths(links)
    places = number_places([[names[at] for at in layer] for layer in _layers(strengths)])
    tie_break = None if seed is None else TieBreak.from_seed(names, seed)
    result = SchulzeResult(
        method="Schulze",
        candidates=names,
        rules=(strength_rule(strength), unranked_rule(unranked), _ORDER, ties_rule(tie_break)),
        account=BallotAccount(sums.cast, sums.blank, sums.cast - sums.blank),
        places=places,
        tie_break=tie_break,
        final_order=break_ties(places, tie_break),
        preferences=preferences,
        strengths=strengths,
        paths=_find_paths(names, links, strengths),
        condorcet_winner=find_condorcet_winner(names, preferences),
        smith_set=find_smith_set(names, preferences),
    )
    if len(result.winners) == 1:
        at = names.index(result.winners[0])
        gaps = [strengths[at][b] - strengths[b][at] for b in range(len(names)) if b != at]
        margin = pairwise_margin(sums, preferences, at, gaps=gaps, strength=strength)
        result = replace(result, margin=margin)
    return replace(result, explanation=tuple(explain_schulze(result)))


def victory_strengths(preferences: Matrix, strength: Strength) -> Matrix:
    """Return the strength of each victory; 0 where the row does not beat the column."""
    size = range(len(preferences))
    return tuple(
        tuple(_victory_strength(preferences[a][b], preferences[b][a], strength) for b in size)
        for a in size
    )


def _victory_strength(votes: int, against: int, strength: Strength) -> int:
    if votes <= against:
        return 0
    return votes if strength == "winning" else votes - against


def _path_strengths(links: Matrix) -> Matrix:
    """Return the strength of the strongest path between each pair; 0 without a path."""
    largest = max(map(max, links))
    exact: type[np.int64] | type[np.object_] = np.int64 if largest <= MAX_INT64 else np.object_
    best: NDArray[np.int64 | np.object_] = np.array(links, dtype=exact)
    for through in range(len(links)):
        detour = np.minimum(best[:, through, None], best[None, through, :])
        best = np.maximum(best, detour)
    np.fill_diagonal(best, 0)
    rows: list[list[int]] = best.tolist()
    return tuple(map(tuple, rows))


def _find_paths(
    candidates: Sequence[str], links: Matrix, strengths: Matrix
) -> tuple[BeatPath, ...]:
    """Return a strongest path with the fewest links for each two that have a path."""
    paths: list[BeatPath] = []
    for source, row in enumerate(strengths):
        predecessors: dict[int, dict[int, int]] = {}
        for target, strength in enumerate(row):
            if strength == 0:
                continue
            if strength not in predecessors:
                predecessors[strength] = _search(source, links, strength)
            route = _walk_back(predecessors[strength], source, target)
            paths.append(
                BeatPath(
                    tuple(candidates[each] for each in route),
                    tuple(links[a][b] for a, b in pairwise(route)),
                    strength,
                )
            )
    return tuple(paths)


def _search(source: int, links: Matrix, strength: int) -> dict[int, int]:
    """Return each reachable candidate's predecessor, using links of at least this strength."""
    predecessors = {source: source}
    queue = [source]
    for here in queue:
        for there, link in enumerate(links[here]):
            if link >= strength and there not in predecessors:
                predecessors[there] = here
                queue.append(there)
    return predecessors


def _walk_back(predecessors: dict[int, int], source: int, target: int) -> list[int]:
    route = [target]
    while route[-1] != source:
        route.append(predecessors[route[-1]])
    return route[::-1]


def _layers(strengths: Matrix) -> list[list[int]]:
    """Return layers of candidates, each unbeaten by paths among the remaining ones."""
    remaining = list(range(len(strengths)))
    layers: list[list[int]] = []
    while remaining:
        layer = [
            each
            for each in remaining
            if not any(strengths[other][each] > strengths[each][other] for other in remaining)
        ]
        layers.append(layer)
        remaining = [each for each in remaining if each not in layer]
    return layers


def explain_schulze(result: SchulzeResult, is_final: bool = True) -> Iterator[str]:
    """Explain each place by the paths that decide it."""
    yield from introduce(result, is_final)
    if not is_trivial(result):
        yield from explain_condorcet(
            result.candidates,
            result.preferences,
            result.condorcet_winner,
            result.smith_set,
            is_final,
        )
        if result.condorcet_winner is None:
            yield (
                "So chains of victories decide. A chain is as strong as its weakest victory, and "
                "of two candidates the one with the stronger chain to the other ranks higher."
            )
            yield from _explain_first(result, is_final)
        for before, place in pairwise(result.places):
            yield from _explain_later(result, before, place)
    yield from conclude(result, is_final)


def _explain_first(result: SchulzeResult, is_final: bool) -> Iterator[str]:
    winner, *tied = result.winners
    if tied:
        yield _explain_tie(result.places[0])
        return
    yield f"{winner} {win_phrase(is_final)}, with the stronger chain to every other candidate."
    for other in result.candidates:
        if other != winner:
            yield _compare_chains(result, winner, other)


def _explain_later(result: SchulzeResult, before: Place, place: Place) -> Iterator[str]:
    """Name for each candidate someone in the place before with a stronger chain."""
    if len(place.candidates) > 1:
        yield _explain_tie(place)
    for name in place.candidates:
        above = next(
            other
            for other in before.candidates
            if _strength(result, other, name) > _strength(result, name, other)
        )
        chains = _compare_chains(result, above, name)
        yield f"{name} is {format_ordinal(place.place)}, below {above}: {chains}"


def _explain_tie(place: Place) -> str:
    names = place.candidates
    if len(names) == 2:
        why = "neither has the stronger chain to the other"
    else:
        why = "none of them has the stronger chain to another of them"
    return f"{join_names(names)} are tied for {format_ordinal(place.place)} place: {why}."


def _compare_chains(result: SchulzeResult, a: str, b: str) -> str:
    return f"{_describe_chain(result, a, b)}; {_describe_chain(result, b, a)}."


def _describe_chain(result: SchulzeResult, a: str, b: str) -> str:
    """Describe a chain with all of its victories and its strength."""
    path = result.path(a, b)
    if path is None:
        return f"there is no chain from {a} to {b}"
    victories = ", ".join(
        describe_pair(result.candidates, result.preferences, winner, loser)
        for winner, loser in pairwise(path.names)
    )
    return f"{victories} (strength {format_number(path.strength)})"


def _strength(result: SchulzeResult, a: str, b: str) -> int:
    return result.strengths[result.candidates.index(a)][result.candidates.index(b)]
