"""Small elections on which counting systems differ or were wrong."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ranked_ballots import (
    Ballots,
    Ranking,
    Result,
    borda,
    copeland,
    count_pairs,
    instant_runoff,
    plurality,
    ranked_pairs,
    schulze,
)


def ballots(candidates: str, *lines: str) -> Ballots:
    """Create ballots from lines such as "4 A > B = C"."""
    groups: list[tuple[Ranking, int]] = []
    for line in lines:
        count, _, ranking = line.partition(" ")
        levels = [level.split(" = ") for level in ranking.split(" > ")] if ranking else []
        groups.append((Ranking.from_levels(levels), int(count)))
    return Ballots.from_counts(candidates.split(), groups)


def places(result: Result) -> str:
    return " ".join(f"{place.place}:{'='.join(place.candidates)}" for place in result.places)


ROCK = ballots(
    "Rock Paper Scissors",
    "4 Rock > Scissors > Paper",
    "3 Paper > Rock > Scissors",
    "3 Scissors > Paper > Rock",
)
WIKIPEDIA = ballots(
    "A B C D E",
    *("5 A > C > B > E > D", "5 A > D > E > C > B", "8 B > E > D > A > C", "3 C > A > B > E > D"),
    *("7 C > A > E > B > D", "2 C > B > A > D > E", "7 D > C > E > B > A", "8 E > B > A > D > C"),
)


def test_schulze_breaks_a_cycle_at_its_weakest_link() -> None:
    assert places(schulze(ROCK)) == "1:Rock 2:Scissors 3:Paper"
    result = ranked_pairs(ROCK)
    assert places(result) == "1:Rock 2:Scissors 3:Paper"
    skipped = [pair for pair in result.pairs if not pair.locked]
    assert [(pair.winner, pair.loser, pair.votes, pair.against) for pair in skipped] == [
        ("Paper", "Rock", 6, 4)
    ]
    assert skipped[0].cycle == ("Paper", "Rock", "Scissors", "Paper")


def test_ranked_pairs_differs_from_schulze() -> None:
    assert places(schulze(WIKIPEDIA)) == "1:E 2:A 3:C 4:B 5:D"
    assert places(ranked_pairs(WIKIPEDIA)) == "1:A 2:C 3:E 4:B 5:D"


# If defeats and ties were links too, all three would tie although B beats A.
def test_schulze_paths_consist_of_victories_only() -> None:
    assert places(schulze(ballots("A B C", "1 B > A", "1 C"))) == "1:B=C 3:A"


def test_tied_candidates_share_a_place_and_the_next_is_skipped() -> None:
    assert places(schulze(ballots("a b c d e", "1 a > b", "1 b > c"))) == "1:a=b 3:c 4:d=e"


def test_unranked_rule_can_change_the_winner() -> None:
    cast = ballots("A B C", "2 A > B > C", "1 B > C > A", "2 C > A")
    assert places(ranked_pairs(cast, unranked="no opinion")) == "1:B 2:C 3:A"
    assert ranked_pairs(cast).winners == ("A", "C")
    assert schulze(cast, unranked="no opinion").preferences == ((0, 2, 2), (1, 0, 3), (3, 0, 0))


def test_borda_variant_of_polls() -> None:
    cast = ballots("A B C", "4 A > B > C", "3 B > C > A", "2 C > B > A")
    assert borda(cast, variant="listed").scores == {"A": 17, "B": 21, "C": 16}
    assert borda(cast).scores == {"A": 8, "B": 12, "C": 7}
    result = instant_runoff(cast)
    assert [each.eliminated for each in result.rounds] == ["C", None]
    assert result.rounds[-1].tally == {"A": 4, "B": 5}
    assert result.winner == "B"


def test_three_methods_elect_three_winners() -> None:
    cast = ballots(
        "satisfactory bought cult niche",
        "4 niche > satisfactory > bought > cult",
        "3 bought > satisfactory > niche > cult",
        "3 cult > satisfactory > niche > bought",
    )
    assert schulze(cast).winner == ranked_pairs(cast).winner == "satisfactory"
    assert borda(cast, variant="listed").scores["satisfactory"] == 30
    assert borda(cast, variant="listed").scores["niche"] == 28
    runoff = instant_runoff(cast)
    assert runoff.rounds[0].eliminated == "satisfactory"
    assert runoff.rounds[1].tie is not None
    assert runoff.rounds[1].tie.tied == ("bought", "cult")
    assert runoff.rounds[1].tie.mattered == "no"
    assert runoff.winner == "niche"


@pytest.mark.parametrize("variant", ["listed", "modified"])
def test_short_ballots_in_borda_variants(variant: str) -> None:
    cast = ballots("A B C", "1 A", "1 B > C", "1 A = C")
    expected: dict[str, dict[str, Fraction | int]] = {
        "listed": {"A": 3 + Fraction(5, 2), "B": 3, "C": 2 + Fraction(5, 2)},
        "modified": {"A": 1 + Fraction(3, 2), "B": 2, "C": 1 + Fraction(3, 2)},
    }
    scores = {
        "listed": borda(cast, variant="listed").scores,
        "modified": borda(cast, variant="modified").scores,
    }
    assert scores[variant] == expected[variant]


def test_copeland_counts_half_points() -> None:
    result = copeland(ballots("A B C", "1 A > B > C", "1 B > A > C"))
    assert result.scores == {"A": Fraction(3, 2), "B": Fraction(3, 2), "C": 0}
    assert (result.won["A"], result.tied["A"], result.lost["C"]) == (1, 1, 2)
    assert places(result) == "1:A=B 3:C"


def test_plurality_splits_shared_first_choices() -> None:
    result = plurality(ballots("A B C", "1 A = B = C", "1 A", "1 B = C", "2"))
    assert result.scores == {"A": Fraction(4, 3), "B": Fraction(5, 6), "C": Fraction(5, 6)}
    assert (result.account.blank, result.account.counted) == (2, 3)


# Counts beyond 64 bits.
def test_every_method_is_exact_for_large_counts() -> None:
    huge = 10**30
    cast = ballots("A B C", f"{huge + 1} A > B > C", f"{huge} B > A > C", f"{huge} C > A = B")
    assert schulze(cast).preferences[0] == (0, huge + 1, 2 * huge + 1)
    assert schulze(cast).winner == ranked_pairs(cast).winner == copeland(cast).winner == "A"
    assert instant_runoff(cast, seed="s").rounds[0].tally["A"] == huge + 1
    assert plurality(cast).scores == {"A": huge + 1, "B": huge, "C": huge}
    assert borda(cast).scores["A"] == 2 * (huge + 1) + huge + Fraction(huge, 2)
    assert count_pairs(cast).cast == 3 * huge + 1
