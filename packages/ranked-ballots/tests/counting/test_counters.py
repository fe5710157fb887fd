"""Counters of live results: adding, removing and replacing ballots equals a recount."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranked_ballots import (
    Ballots,
    BallotsError,
    PairwiseCounter,
    Ranking,
    RankingCounter,
    RankingError,
    count_pairs,
    instant_runoff,
    schulze,
)
from tests.counting.strategies import NAMES, rankings

AB, BA = Ranking.from_levels(["Ada", "Ben"]), Ranking.from_levels(["Ben", "Ada"])


@given(st.data())
def test_counters_equal_a_recount(data: st.DataObject) -> None:
    pairs, rankings_counter = PairwiseCounter(NAMES), RankingCounter(NAMES)
    ballots: list[Ranking] = []
    for _ in range(data.draw(st.integers(0, 12))):
        action = data.draw(st.sampled_from(["add", "remove", "replace"] if ballots else ["add"]))
        old = data.draw(st.sampled_from(ballots)) if action != "add" else None
        new = data.draw(rankings(NAMES)) if action != "remove" else None
        for counter in (pairs, rankings_counter):
            if old is not None and new is not None:
                counter.replace(old, new)
            elif new is not None:
                counter.add(new)
            elif old is not None:
                counter.remove(old)
        ballots = [*_without(ballots, old), *([] if new is None else [new])]
    assert pairs.pairwise() == count_pairs(Ballots.from_rankings(NAMES, ballots))
    assert PairwiseCounter.from_pairwise(pairs.pairwise()).pairwise() == pairs.pairwise()
    assert (
        rankings_counter.ballots().ranking_counts()
        == Ballots.from_rankings(NAMES, ballots).ranking_counts()
    )
    assert (
        schulze(pairs.pairwise()).to_json()
        == schulze(Ballots.from_rankings(NAMES, ballots)).to_json()
    )
    recount = instant_runoff(Ballots.from_rankings(NAMES, ballots))
    assert instant_runoff(rankings_counter.ballots()).to_json() == recount.to_json()


def _without(ballots: list[Ranking], old: Ranking | None) -> list[Ranking]:
    if old is None:
        return ballots
    at = ballots.index(old)
    return ballots[:at] + ballots[at + 1 :]


def test_counters_accept_counts() -> None:
    for count in (3, 2**70):
        pairs, rankings_counter = PairwiseCounter(["Ada", "Ben"]), RankingCounter(["Ada", "Ben"])
        for counter in (pairs, rankings_counter):
            counter.add(AB, 2 * count)
            counter.remove(AB, count)
        expected = Ballots.from_counts(["Ada", "Ben"], [(AB, count)])
        assert pairs.pairwise() == count_pairs(expected)
        assert rankings_counter.ballots().ranking_counts() == expected.ranking_counts()


@pytest.mark.parametrize("kind", [PairwiseCounter, RankingCounter])
def test_counters_reject_removing_a_ballot_that_was_not_added(
    kind: type[PairwiseCounter | RankingCounter],
) -> None:
    counter = kind(["Ada", "Ben"])
    for missing in (AB, Ranking()):
        with pytest.raises(BallotsError, match="remove"):
            counter.remove(missing)
    counter.add(AB)
    with pytest.raises(BallotsError, match="remove 2"):
        counter.remove(AB, 2)


# If the new ranking is invalid, the voter keeps the old ballot.
@pytest.mark.parametrize("kind", [PairwiseCounter, RankingCounter])
def test_invalid_replacement_changes_nothing(kind: type[PairwiseCounter | RankingCounter]) -> None:
    counter = kind(["Ada", "Ben"])
    counter.add(AB)
    with pytest.raises(RankingError, match="'Zed'"):
        counter.replace(AB, Ranking.from_levels(["Zed"]))
    with pytest.raises(BallotsError, match="-1"):
        counter.add(BA, -1)
    counter.remove(AB)
