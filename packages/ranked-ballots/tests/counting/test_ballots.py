"""Ballots: the ways to create them, exact counts, and the checks of rows, names and counts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from ranked_ballots import Ballots, BallotsError, Ranking, RankingError

NAMES = ["Ada", "Ben", "Cy"]
ABC, BA, BLANK = (Ranking.from_levels(list(levels)) for levels in (NAMES, ["Ben", "Ada"], []))
EXPECTED = [(ABC, 2), (BLANK, 1), (BA, 1)]


@pytest.mark.parametrize(
    "ballots",
    [
        Ballots.from_rankings(NAMES, [ABC, BLANK, BA, ABC]),
        Ballots.from_counts(NAMES, [(ABC, 1), (BA, 1), (BLANK, 1), (ABC, 1)]),
        Ballots.from_orders(
            NAMES, np.array([[0, 1, 2], [1, -1, 0], [-1, -1, -1], [0, 1, 2]], np.int32)
        ),
        Ballots.from_orders(NAMES, np.array([[0, 1, 2], [1, 0, -1], [-1, -1, -1]]), [2, 1, 1]),
        Ballots.from_ranks(NAMES, np.array([[1, 2, 3], [4, 2, 0], [0, 0, -1], [10, 20, 500]])),
    ],
)
def test_every_constructor_gives_the_same_ballots(ballots: Ballots) -> None:
    assert ballots.ranking_counts() == EXPECTED
    assert (ballots.cast, ballots.blank) == (4, 1)
    assert ballots.digest() == Ballots.from_counts(NAMES, reversed(EXPECTED)).digest()
    compact = ballots.compact()
    assert compact.ranking_counts() == EXPECTED
    assert (compact.cast, compact.blank) == (4, 1)


def test_different_ballots_have_different_digests() -> None:
    digests = {
        Ballots.from_counts(names, counts).digest()
        for names in (NAMES, [*NAMES, "Di"])
        for counts in ([(ABC, 2)], [(ABC, 1)], [(ABC, 1), (BLANK, 1)])
    }
    assert len(digests) == 6


# 2**63 - 1 is the largest int64; the next number must not become negative.
@pytest.mark.parametrize("count", [2**53 + 1, 2**62, 2**63 - 1, 2**63, 10**30])
def test_counts_are_exact_however_large(count: int) -> None:
    ballots = Ballots.from_counts(NAMES, [(ABC, count), (BA, count), (BLANK, 3)])
    assert (ballots.cast, ballots.blank) == (2 * count + 3, 3)
    assert ballots.compact().ranking_counts() == [(ABC, count), (BA, count), (BLANK, 3)]


# int8 has room for 126 ranks and the value for "not ranked".
@pytest.mark.parametrize("candidates", [126, 127, 300])
def test_more_than_126_candidates_use_wider_columns(candidates: int) -> None:
    names = [f"c{number}" for number in range(candidates)]
    orders = Ballots.from_orders(names, np.arange(candidates)[None, ::-1])
    assert orders.ranking(0) == Ranking.from_levels(names[::-1])
    assert orders.columns.itemsize == (1 if candidates < 127 else 2)
    same = Ballots.from_rankings(names, [orders.ranking(0)])
    assert same.ranking_counts() == orders.ranking_counts()


def test_from_orders_rejects_repeated_and_unknown_candidates() -> None:
    with pytest.raises(RankingError, match=r"Ballot 1 .*'Ben'"):
        Ballots.from_orders(NAMES, np.array([[0, 1], [1, 1]]))
    with pytest.raises(RankingError, match=r"Ballot 3000 .* 3;"):
        Ballots.from_orders(NAMES, np.array([[0, 1]] * 3000 + [[0, 3]]))
    with pytest.raises(BallotsError, match="count 0"):
        Ballots.from_orders(NAMES, np.array([[0, 1], [1, 0]]), [1, 0])


@pytest.mark.parametrize("rows", [np.zeros(3, np.int8), np.zeros((2, 3))])
def test_rows_must_be_a_table_of_integers(
    rows: np.ndarray[tuple[int, ...], np.dtype[np.int8]],
) -> None:
    for make in (Ballots.from_orders, Ballots.from_ranks):
        with pytest.raises(BallotsError):
            make(NAMES, rows)


def test_from_ranks_needs_a_rank_for_each_candidate() -> None:
    with pytest.raises(BallotsError, match="2 ranks for 3 candidates"):
        Ballots.from_ranks(NAMES, np.array([[1, 2]]))


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        ([], "no candidates"),
        (["Ada", "Ben", "Ada"], "'Ada' is listed twice"),
        ("Ada", "list of names"),
    ],
)
def test_candidates_must_be_a_list_of_distinct_names(candidates: list[str], message: str) -> None:
    with pytest.raises(BallotsError, match=message):
        Ballots.from_rankings(candidates, [])


@pytest.mark.parametrize("count", [-1, 1.0, True])
def test_counts_must_be_whole_numbers(count: int) -> None:
    with pytest.raises(BallotsError, match="'Ben > Ada'"):
        Ballots.from_counts(NAMES, [(BA, count)])


def test_rankings_must_not_name_unknown_candidates() -> None:
    with pytest.raises(RankingError, match="'Di'"):
        Ballots.from_rankings(NAMES, [Ranking.from_levels(["Ada", "Di"])])


def test_columns_must_match_the_candidates() -> None:
    with pytest.raises(BallotsError, match=r"\(3, ballots\)"):
        Ballots(tuple(NAMES), np.zeros((2, 5), np.int8))
    with pytest.raises(BallotsError, match="int8, not int16"):
        Ballots(tuple(NAMES), np.zeros((3, 5), np.int16))
    with pytest.raises(BallotsError, match="2 counts for 5 rows"):
        Ballots(tuple(NAMES), np.ones((3, 5), np.int8), np.ones(2, np.int64))


def test_ballots_may_be_empty() -> None:
    ballots = Ballots.from_rankings(NAMES, [])
    assert (ballots.cast, ballots.blank, ballots.compact().ranking_counts()) == (0, 0, [])


@pytest.mark.parametrize(
    "ranking",
    [
        Ranking.from_levels([["Ada"], ["Cy", "Ben"]]),
        Ranking.from_levels(["Ada", [], ["Ben", "Cy"]]),
        Ranking.from_ranks({"Ben": 9, "Cy": 9, "Ada": 4, "Di": None}),
        Ranking.from_pairs([("Cy", 2), ("Ada", 1), ("Ben", 2)]),
    ],
)
def test_rank_gaps_and_order_within_a_level_do_not_matter(ranking: Ranking) -> None:
    assert ranking == Ranking((("Ada",), ("Ben", "Cy")))
    assert ranking.names == ("Ada", "Ben", "Cy")
    assert str(ranking) == "Ada > Ben = Cy"
    assert not ranking.is_blank


@pytest.mark.parametrize(
    "ranking", [Ranking(), Ranking.from_levels([[]]), Ranking.from_ranks({"Ada": None})]
)
def test_ranking_nobody_is_a_blank_ballot(ranking: Ranking) -> None:
    assert ranking == Ranking()
    assert ranking.is_blank


def test_candidate_must_not_be_ranked_twice() -> None:
    for twice in ([["Ada"], ["Ben", "Ada"]], [["Ada", "Ada"]]):
        with pytest.raises(RankingError, match="'Ada' is ranked twice") as raised:
            Ranking.from_levels(twice)
        assert raised.value.name == "Ada"
    with pytest.raises(RankingError, match="'Ada' is ranked twice"):
        Ranking.from_pairs([("Ada", 1), ("Ada", 1)])


# "Not ranked" and a rank contradict each other.
def test_candidate_must_not_be_both_ranked_and_unranked() -> None:
    with pytest.raises(RankingError, match="'Ada' is ranked twice"):
        Ranking.from_pairs([("Ada", None), ("Ada", 1)])


@pytest.mark.parametrize("ranks", [{"Ada": 0}, {"Ada": -1}, {"Ada": True}, {"Ada": 1.5}])
def test_ranks_must_be_positive_integers(ranks: Mapping[str, int]) -> None:
    with pytest.raises(RankingError, match="The rank of 'Ada'"):
        Ranking.from_ranks(ranks)


def test_levels_must_not_be_text() -> None:
    with pytest.raises(RankingError, match="'Ada'"):
        Ranking.from_levels("Ada")


def test_check_candidates_rejects_others() -> None:
    ranking = Ranking.from_levels(["Ada", "Zed"])
    ranking.check_candidates(["Zed", "Ada"])
    with pytest.raises(RankingError, match=r"'Zed' .*'Ada', 'Ben'"):
        ranking.check_candidates(["Ada", "Ben"])
