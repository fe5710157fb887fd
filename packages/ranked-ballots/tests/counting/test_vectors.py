"""Published results: every field of every vector is checked."""

from __future__ import annotations

import pytest

from ranked_ballots import (
    RunoffResult,
    instant_runoff,
    ranked_pairs,
    schulze,
)
from tests.counting.vectors import VECTORS, Vector


def name_of(vector: Vector) -> str:
    return vector.name


by_paths = pytest.mark.parametrize(
    "vector", [vector for vector in VECTORS if vector.method == "schulze"], ids=name_of
)
by_rounds = pytest.mark.parametrize(
    "vector", [vector for vector in VECTORS if vector.method == "irv"], ids=name_of
)


def test_all_vectors_are_loaded() -> None:
    assert len(VECTORS) == 60


@by_paths
def test_schulze_gives_the_published_result(vector: Vector) -> None:
    expected = vector.expected
    result = schulze(vector.cast(), strength=vector.options.strength)
    assert list(result.winners) == expected.winners
    assert [list(row) for row in result.strengths] == expected.paths
    assert [list(row) for row in result.preferences] == expected.pairwise
    assert [list(place.candidates) for place in result.places] == expected.ranking
    assert result.condorcet_winner == expected.condorcet_winner
    for a, b, votes, against in expected.pairwise_some:
        at, to = result.candidates.index(a), result.candidates.index(b)
        assert (result.preferences[at][to], result.preferences[to][at]) == (votes, against)


@pytest.mark.parametrize(
    "vector", [vector for vector in VECTORS if vector.expected.ranked_pairs_winners], ids=name_of
)
def test_ranked_pairs_gives_the_published_result(vector: Vector) -> None:
    assert list(ranked_pairs(vector.cast()).winners) == vector.expected.ranked_pairs_winners


@by_rounds
def test_instant_runoff_finds_all_possible_winners(vector: Vector) -> None:
    expected = vector.expected
    result = instant_runoff(vector.cast())
    possible = expected.winners or expected.winners_under_some_tiebreak
    assert list(result.winners) == possible
    assert list(result.possible_winners or ()) == possible
    assert result.winner == (expected.winners[0] if expected.winners else None)


@pytest.mark.parametrize(
    "vector", [vector for vector in VECTORS if vector.expected.rounds], ids=name_of
)
def test_instant_runoff_gives_the_published_rounds(vector: Vector) -> None:
    result = instant_runoff(vector.cast())
    for found, expected in zip(result.rounds, vector.expected.rounds or (), strict=True):
        assert found.tally == expected.tally
        assert sum(found.exhausted.values()) == expected.exhausted
        assert (found.eliminated, found.winner) == (expected.eliminated, expected.winner)


@pytest.mark.parametrize(
    "vector", [vector for vector in VECTORS if vector.expected.tie_round], ids=name_of
)
def test_instant_runoff_reports_the_first_tie(vector: Vector) -> None:
    number, tied = _first_tie(instant_runoff(vector.cast()))
    assert (number, list(tied)) == (vector.expected.tie_round, vector.expected.tied_for_last)


def _first_tie(result: RunoffResult) -> tuple[int, tuple[str, ...]]:
    return next((each.number, each.tie.tied) for each in result.rounds if each.tie)


@by_rounds
def test_seeded_winner_is_a_possible_winner(vector: Vector) -> None:
    cast = vector.cast()
    possible = instant_runoff(cast).possible_winners
    assert possible is not None
    won = {instant_runoff(cast, seed=f"seed {number}").winner for number in range(40)}
    assert won == set(possible)
