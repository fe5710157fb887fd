"""Strongest paths: chains of victories, each as strong as its weakest link."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from singletable_apps.counting.ballots import MAX_INT64
from singletable_apps.counting.pairwise import Matrix
from singletable_apps.counting.results.schulze import BeatPath
from singletable_apps.counting.rules import Strength


def links(preferences: Matrix, strength: Strength) -> Matrix:
    """The strength of each victory; 0 where the row's candidate does not beat the column's."""
    size = range(len(preferences))
    return tuple(
        tuple(_link(preferences[a][b], preferences[b][a], strength) for b in size) for a in size
    )


def _link(votes: int, against: int, strength: Strength) -> int:
    if votes <= against:
        return 0
    return votes if strength == "winning" else votes - against


def strongest(direct: Matrix) -> Matrix:
    """The strength of the strongest path between each two; 0 where there is none."""
    largest = max(map(max, direct))
    exact: type[np.int64] | type[np.object_] = np.int64 if largest <= MAX_INT64 else np.object_
    best: NDArray[np.int64 | np.object_] = np.array(direct, dtype=exact)
    for through in range(len(direct)):
        detour = np.minimum(best[:, through, None], best[None, through, :])
        best = np.maximum(best, detour)
    np.fill_diagonal(best, 0)
    rows: list[list[int]] = best.tolist()
    return tuple(map(tuple, rows))


def strongest_paths(
    candidates: Sequence[str], direct: Matrix, strengths: Matrix
) -> tuple[BeatPath, ...]:
    """One strongest path for each two that have any: of those, one with the fewest links."""
    found: list[BeatPath] = []
    for source, row in enumerate(strengths):
        routes: dict[int, dict[int, int]] = {}
        for target, strength in enumerate(row):
            if strength == 0:
                continue
            if strength not in routes:
                routes[strength] = _routes(source, direct, strength)
            route = _walk(routes[strength], source, target)
            found.append(
                BeatPath(
                    tuple(candidates[each] for each in route),
                    tuple(direct[a][b] for a, b in pairwise(route)),
                    strength,
                )
            )
    return tuple(found)


def _routes(source: int, direct: Matrix, strength: int) -> dict[int, int]:
    """Whence each candidate is reached first, going by links that are at least so strong."""
    reached = {source: source}
    waiting = [source]
    for here in waiting:
        for there, link in enumerate(direct[here]):
            if link >= strength and there not in reached:
                reached[there] = here
                waiting.append(there)
    return reached


def _walk(whence: dict[int, int], source: int, target: int) -> list[int]:
    route = [target]
    while route[-1] != source:
        route.append(whence[route[-1]])
    return route[::-1]
