"""Hypothesis strategies for elections with ties, unranked candidates and repeated ballots."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from ranked_ballots import Ballots, Ranking

NAMES: tuple[str, ...] = ("Ada", "Ben", "Cy", "Di", "Eve")
Groups = list[tuple[Ranking, int]]


@st.composite
def rankings(draw: st.DrawFn, candidates: Sequence[str], *, strict: bool = False) -> Ranking:
    """Draw a ranking of some of the candidates, without ties if `strict`."""
    order = draw(st.permutations(candidates))
    ranked = order[: draw(st.integers(0, len(order)))]
    if strict:
        return Ranking.from_levels(ranked)
    ranks = st.integers(1, len(candidates))
    return Ranking.from_ranks({name: draw(ranks) for name in ranked})


@st.composite
def elections(
    draw: st.DrawFn, *, most: int = 5, strict: bool = False, largest: int = 9
) -> tuple[tuple[str, ...], Groups]:
    """Draw candidates, and rankings with counts."""
    candidates = NAMES[: draw(st.integers(1, most))]
    groups = st.tuples(rankings(candidates, strict=strict), st.integers(1, largest))
    return candidates, draw(st.lists(groups, max_size=8))


def cast(election: tuple[tuple[str, ...], Groups]) -> Ballots:
    """Return the ballots of a drawn election."""
    return Ballots.from_counts(*election)
