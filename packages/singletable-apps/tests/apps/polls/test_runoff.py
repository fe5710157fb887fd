"""Instant runoff of a poll, where the original system counted differently."""

from __future__ import annotations

from singletable_apps.polls.tally import MethodResults, Tally, count_votes, encode_ranking

POLL_ID = "123e4567-e89b-12d3-a456-426614174000"


def _counted(*ballots: tuple[int, str]) -> MethodResults:
    counts = {encode_ranking("ABC", order.split(" > ")): many for many, order in ballots}
    return count_votes(POLL_ID, ["A", "B", "C"], Tally((0,), counts))


def test_last_option_drops_out_and_its_votes_transfer() -> None:
    counts = _counted((4, "A > B > C"), (3, "B > C > A"), (2, "C > B > A"))
    first, second = counts.runoff.rounds
    assert (first.tally, first.eliminated) == ({"A": 4, "B": 3, "C": 2}, "C")
    assert (second.tally, second.winner) == ({"A": 4, "B": 5}, "B")
    assert counts.borda.scores == {"A": 17, "B": 21, "C": 16}


# The original compared with all nine ballots, and needed a third round.
def test_majority_is_of_continuing_ballots() -> None:
    counts = _counted((4, "A"), (3, "B"), (2, "C"))
    first, second = counts.runoff.rounds
    assert (first.continuing, first.winner) == (9, None)
    assert (second.continuing, second.tally, second.winner) == (7, {"A": 4, "B": 3}, "A")
    assert sum(second.exhausted.values()) == 2
