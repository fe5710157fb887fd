"""Margins of victory, compared with every way to change that many ballots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ranked_ballots import METHODS, Ballots, Margin, Ranking, schulze
from tests.counting.test_systems import ballots

NAMES = ("Ada", "Ben", "Cy")
# Every ballot without ties for three candidates, including the blank one.
ALL = [Ranking.from_levels(order) for length in range(4) for order in permutations(NAMES, length)]


def changed(cast: Sequence[Ranking], number: int) -> Iterator[list[Ranking]]:
    """Yield the ballots with this many of them replaced, in every possible way."""
    for which in combinations(range(len(cast)), number):
        for others in product(ALL, repeat=number):
            new = list(cast)
            for at, other in zip(which, others, strict=True):
                new[at] = other
            yield new


@pytest.mark.parametrize("method", METHODS)
def test_margin_matches_all_possible_changes(method: str) -> None:
    count = METHODS[method]

    @settings(max_examples=settings().max_examples // 4)
    @given(st.lists(st.sampled_from(ALL), min_size=1, max_size=4))
    def check(cast: list[Ranking]) -> None:
        result = count(Ballots.from_rankings(NAMES, cast))
        if result.winner is None or result.margin is None:
            return
        margin = result.margin
        assert margin.at_least >= 1
        assert margin.at_most is None or margin.at_least <= margin.at_most <= len(cast)
        for number in range(1, min(2, margin.at_least - 1) + 1):
            for new in changed(cast, number):
                assert count(Ballots.from_rankings(NAMES, new)).winners == result.winners
        if margin.at_most is not None and margin.at_most <= 2:
            found = {
                count(Ballots.from_rankings(NAMES, new)).winners
                for new in changed(cast, margin.at_most)
            }
            assert found != {result.winners}
            if margin.makes_tie != "not known":
                lost = any(result.winners[0] not in winners for winners in found)
                assert lost == (margin.makes_tie == "no")

    check()


@pytest.mark.parametrize(
    ("lines", "method", "at_least", "at_most", "kind", "makes_tie"),
    [
        (["12 A > B", "9 B > A"], "plurality", 2, 2, "exact", "no"),
        (["8 A", "6 B", "1"], "plurality", 1, 1, "exact", "yes"),
        (["12 A > B", "9 B > A"], "schulze", 2, 2, "exact", "no"),
        (["12 A > B", "9 B > A"], "instant runoff", 2, 2, "exact", "no"),
        (["8 A", "6 B", "1"], "instant runoff", 1, 1, "exact", "yes"),
        (["12 A > B", "8 B > A"], "ranked pairs", 2, 2, "exact", "yes"),
        (["12 A > B", "8 B > A"], "copeland", 2, 3, "bound", "not known"),
        (["12 A > B", "9 B > A"], "borda", 1, None, "bound", "not known"),
    ],
)
def test_margin_says_whether_it_is_exact(
    lines: list[str], method: str, at_least: int, at_most: int | None, kind: str, makes_tie: str
) -> None:
    names = "A B C" if method == "borda" else "A B"
    margin = METHODS[method](ballots(names, *lines)).margin
    assert isinstance(margin, Margin)
    assert (margin.at_least, margin.at_most, margin.kind) == (at_least, at_most, kind)
    assert margin.makes_tie == makes_tie
    assert margin.why


@pytest.mark.parametrize("lines", [["1 A", "1 B"], [], ["3"]])
def test_tie_has_no_margin(lines: list[str]) -> None:
    for count in METHODS.values():
        assert count(ballots("A B", *lines)).margin is None


def test_single_candidate_has_no_margin() -> None:
    for count in METHODS.values():
        assert count(ballots("A", "3 A")).margin is None


# If the runner-up beats everyone but the winner, both bounds are equal.
def test_clear_runner_up_makes_the_margin_exact() -> None:
    margin = schulze(ballots("A B C", "5 A > B > C", "4 B > A > C")).margin
    assert margin is not None
    assert (margin.at_least, margin.kind) == (1, "exact")


@pytest.mark.parametrize("method", METHODS)
def test_margins_of_large_counts_are_exact(method: str) -> None:
    groups = [(6, "A > B > C"), (2, "B > A > C"), (1, "C > B > A")]
    few, many = (
        METHODS[method](ballots("A B C", *(f"{count * scale} {order}" for count, order in groups)))
        for scale in (1, 2**80)
    )
    assert few.winner == many.winner == "A"
    assert many.margin is not None
    assert many.margin.at_least > 2**78
    assert many.margin.at_most is None or many.margin.at_most >= many.margin.at_least
