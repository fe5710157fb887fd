"""Ballots are the same ballots however they came, and none is lost on the way."""

from __future__ import annotations

import numpy as np
import pytest

from singletable_apps.counting import (
    Ballots,
    BallotsRefused,
    Ranking,
    RankingRefused,
    ballots_of,
    ballots_of_groups,
    ballots_of_orders,
    ballots_of_ranks,
    digest,
    distinct,
    groups,
)

NAMES = ["Ada", "Ben", "Cy"]
ABC, BA, BLANK = (Ranking.of_levels(list(levels)) for levels in (NAMES, ["Ben", "Ada"], []))
EXPECTED = [(ABC, 2), (BLANK, 1), (BA, 1)]


@pytest.mark.parametrize(
    "ballots",
    [
        ballots_of(NAMES, [ABC, BLANK, BA, ABC]),
        ballots_of_groups(NAMES, [(ABC, 1), (BA, 1), (BLANK, 1), (ABC, 1)]),
        ballots_of_orders(
            NAMES, np.array([[0, 1, 2], [1, -1, 0], [-1, -1, -1], [0, 1, 2]], np.int32)
        ),
        ballots_of_orders(NAMES, np.array([[0, 1, 2], [1, 0, -1], [-1, -1, -1]]), [2, 1, 1]),
        ballots_of_ranks(NAMES, np.array([[1, 2, 3], [4, 2, 0], [0, 0, -1], [10, 20, 500]])),
    ],
)
def test_ballots_are_the_same_however_they_came(ballots: Ballots) -> None:
    assert groups(ballots) == EXPECTED
    assert (ballots.cast, ballots.blank) == (4, 1)
    assert digest(ballots) == digest(ballots_of_groups(NAMES, reversed(EXPECTED)))
    alike = distinct(ballots)
    assert groups(alike) == EXPECTED
    assert (alike.cast, alike.blank) == (4, 1)


def test_other_ballots_have_another_digest() -> None:
    digests = {
        digest(ballots_of_groups(names, counted))
        for names in (NAMES, [*NAMES, "Di"])
        for counted in ([(ABC, 2)], [(ABC, 1)], [(ABC, 1), (BLANK, 1)])
    }
    assert len(digests) == 6


# 2**63 - 1 is the last number that NumPy's integers hold; the next must not become negative.
@pytest.mark.parametrize("count", [2**53 + 1, 2**62, 2**63 - 1, 2**63, 10**30])
def test_counts_are_exact_however_large(count: int) -> None:
    ballots = ballots_of_groups(NAMES, [(ABC, count), (BA, count), (BLANK, 3)])
    assert (ballots.cast, ballots.blank) == (2 * count + 3, 3)
    assert groups(distinct(ballots)) == [(ABC, count), (BA, count), (BLANK, 3)]


# int8 has room for 126 ranks and the sign for "not ranked".
@pytest.mark.parametrize("candidates", [126, 127, 300])
def test_many_candidates_take_wider_columns(candidates: int) -> None:
    names = [f"c{number}" for number in range(candidates)]
    orders = ballots_of_orders(names, np.arange(candidates)[None, ::-1])
    assert orders.ranking(0) == Ranking.of_levels(names[::-1])
    assert orders.columns.itemsize == (1 if candidates < 127 else 2)
    assert groups(ballots_of(names, [orders.ranking(0)])) == groups(orders)


def test_rows_are_checked_as_rankings_are() -> None:
    with pytest.raises(RankingRefused, match="Ballot 1 ranks 'Ben' twice"):
        ballots_of_orders(NAMES, np.array([[0, 1], [1, 1]]))
    with pytest.raises(RankingRefused, match="Ballot 3000 ranks candidate number 3; there are 3"):
        ballots_of_orders(NAMES, np.array([[0, 1]] * 3000 + [[0, 3]]))
    with pytest.raises(BallotsRefused, match="stands for 0 ballots"):
        ballots_of_orders(NAMES, np.array([[0, 1], [1, 0]]), [1, 0])


@pytest.mark.parametrize("rows", [np.zeros(3, np.int8), np.zeros((2, 3))])
def test_rows_are_a_table_of_integers(rows: np.ndarray[tuple[int, ...], np.dtype[np.int8]]) -> None:
    for make in (ballots_of_orders, ballots_of_ranks):
        with pytest.raises(BallotsRefused, match="a table of integers"):
            make(NAMES, rows)


def test_a_rank_for_each_candidate_is_wanted() -> None:
    with pytest.raises(BallotsRefused, match="A row has 2 ranks, and there are 3 candidates"):
        ballots_of_ranks(NAMES, np.array([[1, 2]]))


@pytest.mark.parametrize(
    ("candidates", "message"),
    [([], "no candidates"), (["Ada", "Ben", "Ada"], "'Ada' is named twice"), ("Ada", "is text")],
)
def test_candidates_are_a_list_of_different_names(candidates: list[str], message: str) -> None:
    with pytest.raises(BallotsRefused, match=message):
        ballots_of(candidates, [])


@pytest.mark.parametrize("count", [-1, 1.0, True])
def test_a_count_is_a_whole_number(count: int) -> None:
    with pytest.raises(BallotsRefused, match="'Ben > Ada' comes with the count"):
        ballots_of_groups(NAMES, [(BA, count)])


def test_unknown_names_are_refused() -> None:
    with pytest.raises(RankingRefused, match="'Di' is no candidate"):
        ballots_of(NAMES, [Ranking.of_levels(["Ada", "Di"])])


def test_columns_fit_their_candidates() -> None:
    with pytest.raises(BallotsRefused, match=r"3 candidates make \(3, ballots\)"):
        Ballots(tuple(NAMES), np.zeros((2, 5), np.int8))
    with pytest.raises(BallotsRefused, match="are int8, and these are int16"):
        Ballots(tuple(NAMES), np.zeros((3, 5), np.int16))
    with pytest.raises(BallotsRefused, match="2 counts for 5 rows"):
        Ballots(tuple(NAMES), np.ones((3, 5), np.int8), np.ones(2, np.int64))


def test_no_ballots_are_ballots() -> None:
    ballots = ballots_of(NAMES, [])
    assert (ballots.cast, ballots.blank, groups(distinct(ballots))) == (0, 0, [])
