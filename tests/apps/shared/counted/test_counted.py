"""What a page says of a count, whatever it is a count of."""

from __future__ import annotations

import pytest

from singletable_apps.counting import METHODS, Ballots, Margin, Ranking, Result, RunoffResult
from singletable_apps.shared.counted import comparison, formats_for, margin_words, rounds_of


def counted(
    groups: dict[str, int], candidates: str = "ABC", *, seed: str | None = None
) -> dict[str, Result]:
    """Rankings like "AB" (A first, then B), each with how often it was cast, by all methods."""
    cast = [(Ranking.from_levels(list(order)), often) for order, often in groups.items()]
    ballots = Ballots.from_counts(list(candidates), cast)
    return {name: method(ballots, seed=seed) for name, method in METHODS.items()}


@pytest.mark.parametrize(
    ("margin", "final", "said"),
    [
        (Margin(3, 3, "…"), False, "Exactly 3 votes would have to be different"),
        (Margin(1, None, "…"), False, "At least 1 vote would have to be different"),
        (Margin(1, 2, "…"), False, "Between 1 and 2 votes would have to be different"),
        (Margin(3, 3, "…"), True, "Exactly 3 votes would have had to be different"),
    ],
    ids=str,
)
def test_a_margin_says_whether_it_is_exact(margin: Margin, final: bool, said: str) -> None:
    assert margin_words(margin, final=final, thing="vote").startswith(said)


def test_methods_that_disagree_are_told_apart_and_explained() -> None:
    compared = comparison(counted({"AC": 4, "BC": 3, "CB": 2}), "Schulze decides.")
    assert compared.sentence == (
        "They disagree about the first place. Schulze, Ranked Pairs, Borda and Copeland: C. "
        "Instant runoff: B. Plurality: A."
    )
    assert "ask different things of them" in compared.why
    assert compared.why.endswith("Schulze decides.")
    assert dict(compared.rows)["A"] == (3, 3, 2, 2, 3, 1)


def test_a_circle_is_said_to_be_why() -> None:
    compared = comparison(counted({"ABC": 4, "BCA": 3, "CAB": 2}), "")
    assert "nobody here beats everybody else" in compared.why
    assert "chooses among A, B and C by" in compared.why


# Rows are in the order of the method that decides, whichever that is.
def test_whoever_the_deciding_method_has_first_is_first() -> None:
    results = counted({"AC": 4, "BC": 3, "CB": 2})
    runoff_first = {name: results[name] for name in ("instant runoff", "plurality", "schulze")}
    compared = comparison(runoff_first, "")
    assert [title for title, _ in compared.columns] == ["Instant runoff", "Plurality", "Schulze"]
    assert [name for name, _ in compared.rows] == ["B", "A", "C"]


# The seed breaks a tie within a round, and what remains looks like a clear win.
def test_a_tie_that_was_broken_on_the_way_is_no_disagreement() -> None:
    compared = comparison(counted({"AB": 3, "BA": 3}, "AB", seed="seed"), "")
    assert compared.sentence == "All of them have a tie of A and B in the first place."
    assert compared.why == ""


def test_rounds_say_who_leaves_and_who_wins() -> None:
    runoff = counted({"AC": 4, "BC": 3, "CB": 2})["instant runoff"]
    assert isinstance(runoff, RunoffResult)
    rounds = rounds_of(runoff)
    assert rounds.numbers == (1, 2)
    assert [(name, [(c.votes, c.fate) for c in cells]) for name, cells in rounds.rows] == [
        ("B", [("3", ""), ("5", "wins")]),
        ("A", [("4", ""), ("4", "")]),
        ("C", [("2", "leaves"), ("", "")]),
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
def test_formats_that_cannot_hold_the_ballots_are_not_offered(
    cast: list[Ranking], missing: set[str]
) -> None:
    offered = formats_for(["A", "B"], [(one, 1) for one in cast])
    assert set(formats_for(["A", "B"], [])) - set(offered) == missing
