"""A count in the words of a page, where an election would be long to conduct."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from singletable_apps.counting import METHODS, Ballots, Ranking
from singletable_apps.elections.entities import Election, Publication
from singletable_apps.elections.pages.results_view import (
    EVERY_PAIR,
    MOST,
    Count,
    duels,
    headline,
    pair_rows,
)
from singletable_apps.elections.service import Tally


def count(groups_: dict[str, int], candidates: str = "ABC", *, seed: str | None = None) -> Count:
    """A count of rankings like "AB" (A first, then B), each with how often it was cast."""
    cast = [(Ranking.from_levels(list(order)), often) for order, often in groups_.items()]
    ballots = Ballots.from_counts(list(candidates), cast)
    election = Election(
        name="Tried",
        owner_name="Ada",
        publication=Publication.ANONYMOUS,
        election_id=1,
        allow_edit=False,
        allow_vote=seed is None,
        when_created=datetime(2026, 1, 1, tzinfo=UTC),
        revision=1,
    )
    results = {name: method(ballots, seed=seed) for name, method in METHODS.items()}
    tally = Tally(election, results["schulze"], frozenset(), ballots.cast, 0.0, None)
    alike = ballots.ranking_counts()
    return Count(tally, results, tuple(alike), len(alike), (), "mark")


TITLES: list[tuple[dict[str, int], str, str | None, str]] = [
    ({"A": 1}, "A", None, "A is the only candidate"),
    ({"A": 1}, "A", "seed", "A is the only candidate"),
    ({"AB": 2, "BA": 1}, "AB", None, "A leads"),
    ({"AB": 2, "BA": 1}, "AB", "seed", "A wins"),
    ({"A": 1, "B": 1, "C": 1}, "ABC", None, "A, B and C are tied"),
    ({"A": 1, "B": 1, "C": 1, "D": 1}, "ABCD", None, "4 candidates are tied"),
    ({"": 3}, "AB", None, "Everybody is tied"),
    ({}, "AB", None, "Nobody has voted yet"),
    ({}, "AB", "seed", "Nobody voted"),
]


@pytest.mark.parametrize(("cast", "candidates", "seed", "title"), TITLES, ids=str)
def test_a_headline_fits_the_count(
    cast: dict[str, int], candidates: str, seed: str | None, title: str
) -> None:
    assert headline(count(cast, candidates, seed=seed)).title == title


def test_a_tie_that_was_broken_names_who_is_first() -> None:
    tied = count({"A": 1, "B": 1}, "AB", seed="seed")
    first = tied.result.final_order[0]
    assert headline(tied).title == f"{first} wins a tie"
    assert headline(tied).why.endswith(f"choose or foresee, and {first} is first.")


def test_the_weakest_link_of_a_chain_is_marked() -> None:
    circle = count({"ABC": 4, "BCA": 3, "CAB": 2})
    (duel,) = [one for one in duels(circle.result) if {one.a, one.b} == {"A", "C"}]
    assert duel.there is not None
    assert [(link.strength, link.to, link.is_weakest) for link in duel.there.links] == [
        (6, "B", True),
        (7, "C", False),
    ]
    assert duel.back is not None
    assert [link.is_weakest for link in duel.back.links] == [False]
    assert duel.higher == "A"


# Of forty candidates there are 780 pairs, and 1,600 cells in the map.
def test_of_many_candidates_the_pairs_that_decide_are_shown() -> None:
    names = "".join(chr(ord("A") + at) for at in range(40))
    many = count({names: 1}, names)
    assert len(names) > EVERY_PAIR
    rows = pair_rows(many.result)
    assert len(rows) == len(rows[0][1]) == MOST
    assert len(duels(many.result)) < 2 * MOST
