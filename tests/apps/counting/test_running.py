"""A running count is the count of all ballots, whatever came, changed and went before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.counting import (
    BallotsRefused,
    Ranking,
    RankingRefused,
    RunningPairwise,
    RunningRankings,
    ballots_of,
    ballots_of_groups,
    groups,
    instant_runoff,
    pairwise,
    schulze,
)
from tests.apps.counting.profiles import NAMES, rankings

AB, BA = Ranking.of_levels(["Ada", "Ben"]), Ranking.of_levels(["Ben", "Ada"])


@given(st.data())
def test_a_running_count_is_a_recount(data: st.DataObject) -> None:
    sums, kept = RunningPairwise(NAMES), RunningRankings(NAMES)
    ballots: list[Ranking] = []
    for _ in range(data.draw(st.integers(0, 12))):
        act = data.draw(st.sampled_from(["add", "remove", "replace"] if ballots else ["add"]))
        old = data.draw(st.sampled_from(ballots)) if act != "add" else None
        new = data.draw(rankings(NAMES)) if act != "remove" else None
        for running in (sums, kept):
            if old is not None and new is not None:
                running.replace(old, new)
            elif new is not None:
                running.add(new)
            elif old is not None:
                running.remove(old)
        ballots = [*_without(ballots, old), *([] if new is None else [new])]
    assert sums.pairwise() == pairwise(ballots_of(NAMES, ballots))
    assert RunningPairwise.resumed(sums.pairwise()).pairwise() == sums.pairwise()
    assert groups(kept.ballots()) == groups(ballots_of(NAMES, ballots))
    assert schulze(sums.pairwise()).to_json() == schulze(ballots_of(NAMES, ballots)).to_json()
    recount = instant_runoff(ballots_of(NAMES, ballots))
    assert instant_runoff(kept.ballots()).to_json() == recount.to_json()


def _without(ballots: list[Ranking], old: Ranking | None) -> list[Ranking]:
    if old is None:
        return ballots
    at = ballots.index(old)
    return ballots[:at] + ballots[at + 1 :]


def test_many_ballots_alike_are_one_step() -> None:
    for count in (3, 2**70):
        sums, kept = RunningPairwise(["Ada", "Ben"]), RunningRankings(["Ada", "Ben"])
        for running in (sums, kept):
            running.add(AB, 2 * count)
            running.remove(AB, count)
        expected = ballots_of_groups(["Ada", "Ben"], [(AB, count)])
        assert sums.pairwise() == pairwise(expected)
        assert groups(kept.ballots()) == groups(expected)


@pytest.mark.parametrize("kind", [RunningPairwise, RunningRankings])
def test_a_ballot_that_was_not_cast_cannot_be_taken_out(
    kind: type[RunningPairwise | RunningRankings],
) -> None:
    running = kind(["Ada", "Ben"])
    for missing in (AB, Ranking()):
        with pytest.raises(BallotsRefused, match="to take"):
            running.remove(missing)
    running.add(AB)
    with pytest.raises(BallotsRefused, match=r"to take 2|not 2 ballots"):
        running.remove(AB, 2)


# A voter who changes to what cannot be counted must keep the ballot that was.
@pytest.mark.parametrize("kind", [RunningPairwise, RunningRankings])
def test_a_refused_change_changes_nothing(kind: type[RunningPairwise | RunningRankings]) -> None:
    running = kind(["Ada", "Ben"])
    running.add(AB)
    with pytest.raises(RankingRefused, match="'Zed' is no candidate"):
        running.replace(AB, Ranking.of_levels(["Zed"]))
    with pytest.raises(BallotsRefused, match="comes with the count -1"):
        running.add(BA, -1)
    running.remove(AB)
