"""Hypothesis strategies for ballots with special characters in names, ties and huge counts."""

from __future__ import annotations

from hypothesis import strategies as st

from ranked_ballots import Ballots, Ranking

MARKS = " ,;:\"'>=<#/|*^[]{}()-\\\t\n\r"
plain = st.characters(categories=["L", "N", "P", "S"])
any_letter = st.characters(exclude_categories=["Cs"]) | st.sampled_from(MARKS)


def names(letters: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.text(letters, min_size=1, max_size=8)


@st.composite
def rankings(draw: st.DrawFn, candidates: list[str]) -> Ranking:
    ranked = draw(st.permutations(candidates))[: draw(st.integers(0, len(candidates)))]
    levels: list[list[str]] = []
    for name in ranked:
        tied = draw(st.booleans())
        if levels and tied:
            levels[-1].append(name)
        else:
            levels.append([name])
    return Ranking.from_levels(levels)


@st.composite
def all_ballots(
    draw: st.DrawFn,
    name: st.SearchStrategy[str],
    counts: st.SearchStrategy[int] | None = None,
) -> Ballots:
    candidates = draw(st.lists(name, min_size=1, max_size=6, unique=True))
    count = st.integers(1, 3) | st.integers(2**53, 2**70) if counts is None else counts
    grouped = draw(st.lists(st.tuples(rankings(candidates), count), max_size=6))
    return Ballots.from_counts(candidates, grouped)
