"""The parts of a results page, for counts that would take long to set up as elections."""

from __future__ import annotations

from typing import Any

import pytest

from ranked_ballots import Ballots, Ranking, Result
from singletable_apps.elections.pages.results_view import (
    EQUAL_STEP,
    MAX_FULL_PAIRS,
    MAX_MATRIX,
    describe_decision,
    explain_count,
    list_pairs,
    make_chart,
    make_headline,
    make_matrix,
)
from singletable_apps.elections.rules.methods import METHODS, PROPOSAL
from singletable_apps.elections.service.results import count_ballots
from singletable_apps.shared.results import Headline


def count(
    rankings: dict[str, int],
    candidates: str = "ABC",
    *,
    method: str = "schulze",
    seed: str | None = None,
) -> Any:
    """Count rankings such as "AB" (A first, then B)."""
    cast = [(Ranking.from_levels(list(order)), often) for order, often in rankings.items()]
    ballots = Ballots.from_counts(list(candidates), cast)
    return count_ballots(method, ballots, 2 if "stv" in method else 1, seed)


def headline(result: Result, seed: str | None) -> Headline:
    """Return the headline; with a seed, the election is closed."""
    return make_headline(result, is_final=seed is not None)


TITLES: list[tuple[dict[str, int], str, str | None, str]] = [
    ({"A": 1}, "A", None, "A is the only candidate"),
    ({"A": 1}, "A", "seed", "A is the only candidate"),
    ({"AB": 2, "BA": 1}, "AB", None, "A leads"),
    ({"AB": 2, "BA": 1}, "AB", "seed", "A wins"),
    ({"A": 1, "B": 1, "C": 1}, "ABC", None, "A, B and C are tied"),
    ({"A": 1, "B": 1, "C": 1, "D": 1}, "ABCD", None, "4 candidates are tied"),
    ({"": 3}, "AB", None, "Everyone is tied"),
    ({}, "AB", None, "No one has voted yet"),
    ({}, "AB", "seed", "No one voted"),
]


@pytest.mark.parametrize(("cast", "candidates", "seed", "title"), TITLES, ids=str)
def test_headline_says_who_wins_or_leads(
    cast: dict[str, int], candidates: str, seed: str | None, title: str
) -> None:
    assert headline(count(cast, candidates, seed=seed), seed).title == title


def test_headline_of_a_broken_tie_names_the_winner() -> None:
    tied = count({"A": 1, "B": 1}, "AB", seed="seed")
    first = tied.final_order[0]
    assert headline(tied, "seed").title == f"{first} wins a tie"
    assert f"{first} first" in headline(tied, "seed").why


PROPOSALS = [
    ({"Y": 2, "N": 1}, "accepted", "2 votes for Yes and 1 for No."),
    ({"N": 1}, "rejected", "0 votes for Yes and 1 for No."),
    ({"Y": 1, "N": 1}, "rejected", "the proposal is rejected."),
]


@pytest.mark.parametrize(("cast", "answer", "why"), PROPOSALS)
def test_headline_of_a_proposal_says_if_it_is_accepted(
    cast: dict[str, int], answer: str, why: str
) -> None:
    answers = {"Y": "Yes", "N": "No"}
    rankings = [(Ranking.from_levels([answers[each]]), often) for each, often in cast.items()]
    ballots = Ballots.from_counts(["Yes", "No"], rankings)
    result = count_ballots(PROPOSAL, ballots, 1, "seed")
    assert headline(result, "seed").title == f"The proposal is {answer}"
    assert headline(result, "seed").why.endswith(why)
    assert describe_decision(result, "M").startswith(f"The proposal is {answer}")
    assert headline(result, None).title == f"The proposal would be {answer}"


DECISIONS = [
    ("plurality", {"A": 8, "B": 6, "": 1}, "A received the most votes (8 of 14)."),
    ("approval", {"AB": 3, "B": 1}, "B received the most approvals (4 of 4)."),
    ("schulze", {"A": 2, "B": 1}, "A wins (M). A beats every other candidate head to head."),
    ("instant runoff", {"A": 2, "B": 1}, "A wins (M). 2 of 3 votes rank A first"),
    ("scottish stv", {"A": 5, "B": 4, "C": 1}, "A and B are elected (M). 2 seats"),
    ("plurality", {"A": 1, "B": 1}, " wins a tie (M). A and B are tied for 1st place"),
    ("plurality", {"A": 1, "B": 1}, "The tie is broken by an order that no one could choose"),
]


@pytest.mark.parametrize(("method", "cast", "expected"), DECISIONS)
def test_minutes_say_who_won_and_why(method: str, cast: dict[str, int], expected: str) -> None:
    names = "ABC" if "stv" in method else "AB"
    assert expected in describe_decision(count(cast, names, method=method, seed="seed"), "M")


# A has a seat. The others are tied for the fewest votes, and one of them gets the other seat.
LOTS = [
    ({"A": 4, "B": 2, "C": 2}, "B and C were tied for the fewest votes; the order that", "for"),
    ({"A": 5, "B": 2, "C": 2, "D": 2}, "B, C and D were tied for the fewest votes; ", "against"),
]


@pytest.mark.parametrize("method", ["scottish stv", "meek stv"])
@pytest.mark.parametrize(("cast", "tied", "decided"), LOTS)
def test_headline_says_which_seat_was_decided_by_lot(
    method: str, cast: dict[str, int], tied: str, decided: str
) -> None:
    drawn = count(cast, "".join(cast), method=method, seed="seed")
    why = headline(drawn, "seed").why
    out = next(each.eliminated for each in drawn.rounds if each.tie)
    name = drawn.elected[1] if decided == "for" else out
    assert tied in why
    assert f"drawn by lot, decided {decided} {name}." in why


@pytest.mark.parametrize("method", ["scottish stv", "meek stv"])
def test_headline_does_not_mention_ties_that_change_nothing(method: str) -> None:
    drawn = count({"A": 6, "B": 5, "C": 1, "D": 1}, "ABCD", method=method, seed="seed")
    assert "lot" not in headline(drawn, "seed").why


def test_elected_candidates_have_places_in_the_order_of_election() -> None:
    rows = make_chart(count({"AB": 4, "BC": 3, "C": 1}, method="scottish stv", seed="seed"))
    assert [(row.place, row.name, row.is_first) for row in rows] == [
        (1, "A", True),
        (2, "B", True),
        (3, "C", False),
    ]


def test_pair_has_the_strongest_chain_in_each_direction() -> None:
    circle = count({"ABC": 4, "BCA": 3, "CAB": 2})
    (pair,) = [pair for pair in list_pairs(circle) if {pair.a, pair.b} == {"A", "C"}]
    assert pair.forward is not None
    assert (pair.forward.names, pair.forward.links) == (("A", "B", "C"), (6, 7))
    assert pair.backward is not None
    assert pair.backward.links == (5,)
    assert pair.higher == "A"


# Forty candidates make 780 pairs and a matrix of 1,600 cells.
def test_many_candidates_show_only_the_pairs_that_decide() -> None:
    names = "".join(chr(ord("A") + at) for at in range(40))
    many = count({names: 1}, names)
    assert len(names) > MAX_FULL_PAIRS
    rows = make_matrix(many)
    assert len(rows) == len(rows[0][1]) == MAX_MATRIX
    assert len(list_pairs(many)) < 2 * MAX_MATRIX


def test_matrix_has_the_strongest_color_for_a_unanimous_preference() -> None:
    (_, (_, won)), (_, (lost, _)) = make_matrix(count({"AB": 3}, "AB"))
    assert (won[1], lost[1]) == (2 * EQUAL_STEP, 0)


def test_chart_has_the_places_of_all_candidates() -> None:
    circle = make_chart(count({"ABC": 4, "BCA": 3, "CAB": 2}))
    assert [(row.place, row.name, row.value, row.maximum) for row in circle] == [
        (1, "A", 2, 2),
        (2, "B", 1, 2),
        (3, "C", 0, 2),
    ]


# Bars of ties once were longer than their labels said, and the winner was not marked.
def test_chart_of_a_tie_has_bars_that_match_their_labels() -> None:
    cast = {"ABCD": 1, "BCAD": 1, "CABD": 1}
    for row in make_chart(count(cast, "ABCD")):
        last = row.name == "D"
        assert (row.value, row.maximum) == (0 if last else 1, 3)
        assert row.label == f"ahead of {row.value} of 3"
        assert (row.note, row.is_first) == ("", False) if last else ("tied", True)
    broken = make_chart(count(cast, "ABCD", seed="seed"))
    notes = ["tied; first by the tie-break", "tied", "tied", ""]
    assert [(row.note, row.is_first) for row in broken] == list(
        zip(notes, [True, False, False, False], strict=True)
    )


WHY = {
    "beats all": ({"ABC": 5, "BAC": 4}, "closest is B, with 5 to 4"),
    "circle": ({"ABC": 4, "BCA": 3, "CAB": 2}, "so chains of wins decide. A has the"),
    "tie": ({"ABC": 1, "BCA": 1, "CAB": 1}, "A, B and C are tied for first"),
}


@pytest.mark.parametrize("case", WHY)
@pytest.mark.parametrize("seed", [None, "0123456789abcdef" * 4])
def test_reason_has_at_most_three_sentences(case: str, seed: str | None) -> None:
    cast, text = WHY[case]
    shown = headline(count(cast, seed=seed), seed)
    why = f"{shown.why} {shown.margin}".strip()
    assert text in why
    assert 2 <= why.count(".") <= 3
    assert "each beat" not in why
    assert seed is None or seed not in why


CAST = {"ABC": 4, "BCA": 3, "CBA": 2}
# By method: the title while people vote and after the close, the reason, and the first two bars.
OUTCOMES = {
    "schulze": ("B leads", "B wins", "closest is A, with 5 to 4", "ahead of 2 of 2"),
    "instant runoff": ("B leads", "B wins", "5 of 9 continuing votes", "5 votes"),
    "scottish stv": ("A and B would be", "A and B are", "the quota is 4.", "4 votes"),
    "meek stv": ("A and B would be", "A and B are", "the quota is 3.", "4 votes"),
    "approval": (
        "A, B and C are tied",
        " wins a tie",
        "tied for 1st place with 9 approvals",
        "9 approvals",
    ),
    "plurality": ("A leads", "A wins", "choices. B is 2nd with 3 first", "4 votes"),
}


@pytest.mark.parametrize("method", OUTCOMES)
@pytest.mark.parametrize("seed", [None, "seed"])
def test_every_method_has_a_headline_and_a_chart(method: str, seed: str | None) -> None:
    so_far, final, why, label = OUTCOMES[method]
    result = count(CAST, method=method, seed=seed)
    shown = headline(result, seed)
    assert (final if seed else so_far) in shown.title
    assert why in shown.why
    first, *_ = make_chart(result)
    assert (first.label, first.is_first) == (label, True)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("cast", [{}, {"": 2}, {"A": 1}])
def test_every_method_explains_counts_without_votes(method: str, cast: dict[str, int]) -> None:
    result = count(cast, "AB" if method == PROPOSAL else "ABC", method=method)
    explained = explain_count({method: result}, ("A", "B"))
    assert explained["result"] == result
    assert headline(result, None).title
    assert len(make_chart(result)) in (0, len(result.candidates))
