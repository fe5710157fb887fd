"""Instant runoff: ties and equal ranks."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import pytest

from ranked_ballots import Ballots, Ranking, TieBreak, instant_runoff
from ranked_ballots.result import Number
from tests.counting.test_systems import ballots

Votes = dict[str, Number]
OVERVOTE = ("2 A = B > C", "3 C", "2 A > B")


@pytest.mark.parametrize(
    ("rule", "tally", "exhausted"),
    [
        ("split", {"A": 3, "B": 1, "C": 3}, {"no more choices": 0, "equal ranks": 0}),
        ("exhaust", {"A": 2, "B": 0, "C": 3}, {"no more choices": 0, "equal ranks": 2}),
        ("exhaust at once", {"A": 2, "B": 0, "C": 3}, {"no more choices": 0, "equal ranks": 2}),
        ("skip", {"A": 2, "B": 0, "C": 5}, {"no more choices": 0, "equal ranks": 0}),
    ],
)
def test_equal_ranks_follow_the_chosen_rule(
    rule: Literal["split", "exhaust", "exhaust at once", "skip"], tally: Votes, exhausted: Votes
) -> None:
    first = instant_runoff(ballots("A B C", *OVERVOTE), equal_ranks=rule).rounds[0]
    assert first.tally == tally
    assert first.exhausted == exhausted


# "exhaust" considers the remaining candidates, "exhaust at once" the ballot as it was cast.
def test_shared_rank_with_one_remaining_candidate_counts() -> None:
    cast = ballots("A B C D", "3 A", "4 B", "1 C > A = D")
    later = instant_runoff(cast, equal_ranks="exhaust", seed="s")
    assert later.rounds[2].tally == {"A": 4, "B": 4}
    at_once = instant_runoff(cast, equal_ranks="exhaust at once", seed="s")
    assert sum(at_once.rounds[-1].exhausted.values()) == 1
    assert at_once.winner == "B"


def test_split_ballot_becomes_whole_again() -> None:
    result = instant_runoff(ballots("A B C", "1 A = B = C", "2 A", "2 B"), seed="s")
    third = Fraction(1, 3)
    assert result.rounds[0].tally == {"A": 2 + third, "B": 2 + third, "C": third}
    assert result.rounds[1].tally == {"A": Fraction(5, 2), "B": Fraction(5, 2)}
    assert [move.votes for move in result.rounds[0].transfers] == [Fraction(1, 6)] * 2


def test_tie_that_matters_is_broken_by_the_seed() -> None:
    cast = ballots("A B C", "26 A > B > C", "20 B > C > A", "20 C > A > B")
    open_result = instant_runoff(cast)
    assert (open_result.winner, open_result.winners) == (None, ("A", "C"))
    assert open_result.ties_mattered == "yes"
    for seed in ("x", "y", "z"):
        result = instant_runoff(cast, seed=seed)
        tie = result.rounds[0].tie
        assert tie is not None
        assert (tie.broken_by, tie.mattered) == ("seed", "yes")
        assert result.rounds[0].eliminated == TieBreak.from_seed(cast.candidates, seed).last(
            ["B", "C"]
        )


def test_look_back_breaks_a_tie_by_earlier_rounds() -> None:
    cast = ballots("A B C D", "5 A", "4 B", "3 C", "1 D > C")
    result = instant_runoff(cast, look_back=True)
    tie = result.rounds[1].tie
    assert tie is not None
    assert (tie.tied, tie.broken_by) == (("B", "C"), "earlier rounds")
    assert result.rounds[1].eliminated == "C"
    assert result.winner == "A"


def test_all_remaining_are_tied_if_no_ballot_counts() -> None:
    cast = ballots("A B C", "3 A = B")
    result = instant_runoff(cast, equal_ranks="exhaust")
    assert result.winners == ("A", "B", "C")
    assert result.account.exhausted["equal ranks"] == 3
    decided = instant_runoff(cast, equal_ranks="exhaust", seed="s")
    assert decided.winner in ("A", "B", "C")
    assert any("No ballot counts anymore" in sentence for sentence in decided.explanation)
    assert not any("more than half" in sentence for sentence in decided.explanation)


def test_too_many_ways_to_break_ties_are_reported() -> None:
    names = [f"c{number:02}" for number in range(14)]
    circle = [Ranking.from_levels(names[at:] + names[:at]) for at in range(14)]
    swapped = [Ranking.from_levels([names[at], names[at - 7], names[at - 3]]) for at in range(14)]
    cast = Ballots.from_rankings(names, [*circle, *swapped])
    result = instant_runoff(cast)
    assert result.ties_mattered == "not known"
    assert result.possible_winners is None
    assert (result.winner, result.winners) == (None, tuple(names))
    assert any("seed" in sentence for sentence in result.explanation)
    assert instant_runoff(cast, seed="s").winner is not None


# Twenty candidates and two ballots: those without first choices go in any order.
def test_candidates_without_votes_do_not_make_a_tie_matter() -> None:
    names = [f"c{number:02}" for number in range(20)]
    cast = Ballots.from_rankings(
        names, [Ranking.from_levels(["c03", "c04"])] * 2 + [Ranking.from_levels(["c07"])]
    )
    result = instant_runoff(cast)
    assert result.winner == "c03"
    level = Ballots.from_rankings(names, [Ranking.from_levels([name]) for name in ("c03", "c07")])
    assert instant_runoff(level).winners == ("c03", "c07")


# C and D have no votes and go first in any order; only the tie of A and B decides.
@pytest.mark.parametrize("seed", [None, "s"])
def test_tie_of_candidates_without_votes_does_not_matter(seed: str | None) -> None:
    result = instant_runoff(ballots("A B C D", "2 A", "2 B"), seed=seed)
    ties = [(round_.tie.tied, round_.tie.mattered) for round_ in result.rounds if round_.tie]
    assert ties == [(("C", "D"), "no"), (("A", "B"), "yes")]
    assert result.ties_mattered == "yes"
    assert result.possible_winners == ("A", "B")


# Without a seed, a tie that cannot change the winner does not end the count.
def test_count_continues_after_a_tie_that_does_not_matter() -> None:
    result = instant_runoff(ballots("A B C D", "2 A", "2 B"))
    assert [round_.eliminated for round_ in result.rounds] == ["D", "C", None]
    assert [place.candidates for place in result.places] == [("A", "B"), ("C",), ("D",)]
