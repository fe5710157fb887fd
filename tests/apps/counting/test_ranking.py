"""A ranking is an order and nothing more, and what cannot be one is refused by name."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from singletable_apps.counting import Ranking, RankingRefused


@pytest.mark.parametrize(
    "ranking",
    [
        Ranking.of_levels([["Ada"], ["Cy", "Ben"]]),
        Ranking.of_levels(["Ada", [], ["Ben", "Cy"]]),
        Ranking.of_ranks({"Ben": 9, "Cy": 9, "Ada": 4, "Di": None}),
        Ranking.of_pairs([("Cy", 2), ("Ada", 1), ("Ben", 2)]),
    ],
)
def test_gaps_and_the_order_of_those_who_stand_level_mean_nothing(ranking: Ranking) -> None:
    assert ranking == Ranking((("Ada",), ("Ben", "Cy")))
    assert ranking.names == ("Ada", "Ben", "Cy")
    assert str(ranking) == "Ada > Ben = Cy"
    assert not ranking.is_blank


@pytest.mark.parametrize(
    "ranking", [Ranking(), Ranking.of_levels([[]]), Ranking.of_ranks({"Ada": None})]
)
def test_who_ranks_nobody_casts_a_blank_ballot(ranking: Ranking) -> None:
    assert ranking == Ranking()
    assert ranking.is_blank


def test_nobody_is_ranked_twice() -> None:
    for twice in ([["Ada"], ["Ben", "Ada"]], [["Ada", "Ada"]]):
        with pytest.raises(RankingRefused, match="'Ada' is ranked twice") as refused:
            Ranking.of_levels(twice)
        assert refused.value.name == "Ada"
    with pytest.raises(RankingRefused, match="'Ada' is ranked twice"):
        Ranking.of_pairs([("Ada", 1), ("Ada", 1)])


# A missing rank and a rank are two answers about one candidate, too.
def test_nobody_is_ranked_and_left_out() -> None:
    with pytest.raises(RankingRefused, match="'Ada' is ranked twice"):
        Ranking.of_pairs([("Ada", None), ("Ada", 1)])


@pytest.mark.parametrize("ranks", [{"Ada": 0}, {"Ada": -1}, {"Ada": True}, {"Ada": 1.5}])
def test_a_rank_is_a_number_from_one(ranks: Mapping[str, int]) -> None:
    with pytest.raises(RankingRefused, match=r"The rank of 'Ada' is .*; a rank is 1, 2, 3"):
        Ranking.of_ranks(ranks)


def test_text_is_no_list_of_names() -> None:
    with pytest.raises(RankingRefused, match="'Ada' is text"):
        Ranking.of_levels("Ada")


def test_who_does_not_stand_cannot_be_ranked() -> None:
    ranking = Ranking.of_levels(["Ada", "Zed"])
    assert ranking.checked(["Zed", "Ada"]) is ranking
    with pytest.raises(RankingRefused, match="'Zed' is no candidate; there are: 'Ada', 'Ben'"):
        ranking.checked(["Ada", "Ben"])
