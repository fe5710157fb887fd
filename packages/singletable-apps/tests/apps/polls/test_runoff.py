"""Instant runoff of a poll, where the original system counted differently."""

from __future__ import annotations

from singletable_apps.polls.entities import Poll
from singletable_apps.polls.tally import MethodResults, Tally, count_votes, encode_ranking
from singletable_apps.shared.service import utc_now


def _counted(*ballots: tuple[int, str]) -> MethodResults:
    poll = Poll(
        id="1", title="Q", candidates=["A", "B", "C"], created_at=utc_now(), lanes=1, secret="S"
    )
    counts = {encode_ranking(poll, order.split(" > ")): many for many, order in ballots}
    counted = count_votes(poll, Tally((0,), counts))
    assert isinstance(counted, MethodResults)
    return counted


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
