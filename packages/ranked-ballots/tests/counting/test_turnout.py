"""Approval ballots, abstentions, and the quorum."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ranked_ballots import BallotsError, Quorum, approval, count_pairs, set_apart
from tests.counting.test_systems import ballots, places

CAST = ballots("Ada Ben None", "4 Ada = Ben", "3 Ben > None > Ada", "2 None", "1 None = Ada", "5")


def test_approval_counts_every_ranked_candidate() -> None:
    result = approval(ballots("A B C", "4 A = B", "3 B", "2 C > A", "1"))
    assert result.scores == {"A": 6, "B": 7, "C": 2}
    assert places(result) == "1:B 2:A 3:C"
    assert "B wins with 7 approvals." in result.explanation
    assert result.margin is not None
    assert (result.margin.at_least, result.margin.kind) == (1, "exact")


def test_approval_needs_only_pairwise_sums() -> None:
    assert approval(count_pairs(ballots("A B", "1 A = B", "1 B"))).scores == {"A": 1, "B": 2}


# A choice such as "None of these" is a line: nobody below it is supported.
def test_abstentions_are_set_apart_from_blank_ballots() -> None:
    apart = set_apart(CAST, "None")
    assert (apart.abstained, apart.ballots.blank, apart.ballots.cast) == (3, 8, 15)
    assert [(str(ranking), count) for ranking, count in apart.ballots.ranking_counts()] == [
        ("", 8),
        ("Ada = Ben", 4),
        ("Ben", 3),
    ]
    with pytest.raises(BallotsError, match=r"no choice 'Nobody'.*'Ada', 'Ben', 'None'"):
        set_apart(CAST, "Nobody")


@pytest.mark.parametrize(
    ("quorum", "eligible", "needed", "is_valid"),
    [
        (Quorum(15), None, 15, True),
        (Quorum(16), None, 16, False),
        (Quorum(share=Fraction(1, 2)), 30, 15, True),
        (Quorum(share=Fraction(1, 2)), 31, 16, False),
        (Quorum(10, Fraction(1, 3)), 45, 15, True),
        (Quorum(11, counts_blank=False), None, 11, False),
        (Quorum(10, counts_blank=False), None, 10, True),
    ],
)
def test_quorum_is_a_number_or_a_share(
    quorum: Quorum, eligible: int | None, needed: int, is_valid: bool
) -> None:
    check = quorum.check(CAST, eligible)
    assert (check.needed, check.is_valid) == (needed, is_valid)
    assert f"quorum of {needed} is {'met' if is_valid else 'not met'}" in check.sentence


def test_impossible_quorum_is_an_error() -> None:
    with pytest.raises(BallotsError, match="a share of 2"):
        Quorum(share=Fraction(2))
    with pytest.raises(BallotsError, match="needs the number of people"):
        Quorum(share=Fraction(1, 2)).check(CAST)
    with pytest.raises(BallotsError, match="15 ballots were cast by 14"):
        Quorum(1).check(CAST, 14)
