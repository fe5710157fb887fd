"""Results in words and tables: margin, methods, rounds, and formats."""

from __future__ import annotations

import pytest

from ranked_ballots import METHODS, Ballots, Ranking, Result, RunoffResult, scottish_stv
from singletable_apps.shared.results import (
    compare_methods,
    round_table,
    writable_formats,
)


def count_by_all_methods(
    groups: dict[str, int], candidates: str = "ABC", *, seed: str | None = None
) -> dict[str, Result]:
    """Count rankings such as "AB" (A first, then B) by every method."""
    cast = [(Ranking.from_levels(list(order)), often) for order, often in groups.items()]
    ballots = Ballots.from_counts(list(candidates), cast)
    return {name: method(ballots, seed=seed) for name, method in METHODS.items()}


def test_disagreement_between_methods_is_explained() -> None:
    compared = compare_methods(
        count_by_all_methods({"AC": 4, "BC": 3, "CB": 2}), "Schulze decides."
    )
    assert compared.sentence == (
        "The methods disagree. Schulze, Ranked Pairs, Borda and Copeland: C. "
        "Instant runoff: B. Plurality: A."
    )
    assert compared.explanation.endswith("Schulze decides.")
    assert dict(compared.rows)["A"] == (3, 3, 2, 2, 3, 1)


def test_disagreement_over_a_circle_names_the_circle() -> None:
    compared = compare_methods(count_by_all_methods({"ABC": 4, "BCA": 3, "CAB": 2}), "")
    assert "no candidate beats all others" in compared.explanation
    assert "A, B and C" in compared.explanation


def test_rows_are_in_the_order_of_the_deciding_method() -> None:
    results = count_by_all_methods({"AC": 4, "BC": 3, "CB": 2})
    runoff_first = {name: results[name] for name in ("instant runoff", "plurality", "schulze")}
    compared = compare_methods(runoff_first, "")
    assert [title for title, _ in compared.columns] == ["Instant runoff", "Plurality", "Schulze"]
    assert [name for name, _ in compared.rows] == ["B", "A", "C"]


# The seed breaks a tie within a round, so that the last round looks like a clear win.
def test_tie_broken_within_a_round_is_not_a_disagreement() -> None:
    compared = compare_methods(count_by_all_methods({"AB": 3, "BA": 3}, "AB", seed="seed"), "")
    assert compared.sentence == "Every method has the same tie for first: A and B."
    assert compared.explanation == ""


# A headline that names the winner of a tie-break, beside a table that calls it a tie, confuses.
def test_winner_by_a_tie_break_is_first_by_the_deciding_method() -> None:
    results = count_by_all_methods({"AB": 3, "BA": 3}, "AB", seed="seed")
    runoff_first = {name: results[name] for name in ("instant runoff", "plurality", "schulze")}
    winners = results["instant runoff"].winners
    compared = compare_methods(runoff_first, "", winners=winners, noun="option")
    assert f"Instant runoff: {winners[0]}. Plurality and Schulze: a tie" in compared.sentence
    assert [places[0] for _, places in compared.rows] == [1, 2]
    assert "no option beats all others" in compared.explanation


def test_round_table_says_who_is_out_and_who_wins() -> None:
    runoff = count_by_all_methods({"AC": 4, "BC": 3, "CB": 2})["instant runoff"]
    assert isinstance(runoff, RunoffResult)
    rounds = round_table(runoff)
    assert rounds.numbers == (1, 2)
    assert [(name, [(c.votes, c.outcome) for c in cells]) for name, cells in rounds.rows] == [
        ("B", [("3", ""), ("5", "wins")]),
        ("A", [("4", ""), ("4", "")]),
        ("C", [("2", "out"), ("", "")]),
    ]


def test_round_table_of_seats_has_quotas_and_all_who_are_elected() -> None:
    groups = (("AB", 6), ("BA", 2), ("C", 2))
    cast = [(Ranking.from_levels(list(order)), often) for order, often in groups]
    rounds = round_table(scottish_stv(Ballots.from_counts(["A", "B", "C"], cast), seats=2))
    assert rounds.quotas == ("4", "4", "4")
    assert [(name, [(c.votes, c.outcome) for c in cells]) for name, cells in rounds.rows] == [
        ("A", [("6", "elected"), ("4", ""), ("4", "")]),
        ("B", [("2", ""), ("3.99998", ""), ("3.99998", "elected")]),
        ("C", [("2", ""), ("2", "out"), ("", "")]),
    ]


@pytest.mark.parametrize(
    ("cast", "missing"),
    [
        ([Ranking.from_levels(["A", "B"])], set[str]()),
        ([Ranking.from_levels(["A"])], {"soc", "toc"}),
        ([Ranking.from_levels([["A", "B"]])], {"soc", "soi", "csv-ranks"}),
        ([Ranking()], {"soc", "soi", "toc", "toi"}),
    ],
    ids=["strict", "one left out", "level", "blank"],
)
def test_formats_that_cannot_hold_the_ballots_are_left_out(
    cast: list[Ranking], missing: set[str]
) -> None:
    formats = writable_formats(["A", "B"], [(one, 1) for one in cast])
    assert set(writable_formats(["A", "B"], [])) - set(formats) == missing
