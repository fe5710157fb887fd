"""The fast implementations agree with the slow reference on random elections."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranked_ballots import (
    Ballots,
    Ranking,
    borda,
    count_pairs,
    instant_runoff,
    meek_stv,
    plurality,
    schulze,
    scottish_stv,
)
from ranked_ballots.rules import BordaVariant
from tests.counting import reference
from tools.testing.rankings import Groups, cast, elections

Election = tuple[tuple[str, ...], Groups]


@given(elections())
def test_pairwise_counts_equal_the_reference(election: Election) -> None:
    names, groups = election
    sums = count_pairs(cast(election))
    for both_ranked, found in (
        (False, sums.preferences("last")),
        (True, sums.preferences("no opinion")),
    ):
        assert found == tuple(
            tuple(reference.prefer(groups, a, b, both_ranked=both_ranked) for b in names)
            for a in names
        )
    assert sums.cast == sum(count for _, count in groups)
    assert sums.blank == sum(count for ranking, count in groups if ranking.is_blank)
    assert sums.ranked == tuple(
        sum(count for ranking, count in groups if name in ranking.names) for name in names
    )


@pytest.mark.parametrize("strength", ["winning", "margins"])
@pytest.mark.parametrize("unranked", ["last", "no opinion"])
def test_schulze_strengths_equal_the_reference(
    strength: Literal["winning", "margins"], unranked: Literal["last", "no opinion"]
) -> None:
    rules = {"margins": strength == "margins", "both_ranked": unranked == "no opinion"}

    @given(elections())
    def check(election: Election) -> None:
        names, groups = election
        result = schulze(cast(election), strength=strength, unranked=unranked)
        for at, a in enumerate(names):
            for to, b in enumerate(names):
                if a == b:
                    continue
                best = reference.strongest(names, groups, a, b, **rules)
                assert result.strengths[at][to] == best
                path = result.path(a, b)
                assert (path is None) == (best == 0)
                if path is not None:
                    assert (path.names[0], path.names[-1], path.strength) == (a, b, best)
                    assert min(path.links) == best
                    steps = zip(path.names, path.names[1:], strict=False)
                    assert path.links == tuple(
                        reference.link(groups, x, y, **rules) for x, y in steps
                    )

    check()


@given(elections(most=4))
def test_runoff_possible_winners_equal_the_reference(election: Election) -> None:
    names, groups = election
    assert set(instant_runoff(cast(election)).winners) == reference.runoff_winners(groups, names)


@given(elections())
def test_runoff_tallies_equal_the_reference(election: Election) -> None:
    for each in instant_runoff(cast(election), seed="a seed").rounds:
        assert each.tally == reference.tally(election[1], list(each.tally))


# The rule equals removing shared ranks from the ballots beforehand.
@pytest.mark.parametrize("rule", ["skip", "exhaust at once"])
def test_shared_ranks_are_skipped_or_end_a_ballot(
    rule: Literal["skip", "exhaust at once"],
) -> None:
    @given(elections())
    def check(election: Election) -> None:
        names, groups = election
        cut: Groups = [
            (
                reference.without_shared_ranks(ranking, and_what_follows=rule == "exhaust at once"),
                count,
            )
            for ranking, count in groups
        ]
        result = instant_runoff(cast(election), equal_ranks=rule, seed="s")
        expected = instant_runoff(Ballots.from_counts(names, cut), seed="s")
        assert [each.tally for each in result.rounds if each.continuing] == [
            each.tally for each in expected.rounds if each.continuing
        ]

    check()


@given(elections())
def test_ballots_exhausted_by_equal_ranks_stay_exhausted(election: Election) -> None:
    _, groups = election
    exhausted: set[Ranking] = set()
    for each in instant_runoff(cast(election), equal_ranks="exhaust", seed="s").rounds:
        votes: Mapping[str, int] = dict.fromkeys(each.tally, 0)
        for ranking, count in groups:
            share = reference.shares(ranking, list(each.tally))
            if len(share) > 1:
                exhausted.add(ranking)
            elif share and ranking not in exhausted:
                votes = {**votes, **{name: votes[name] + count for name in share}}
        assert each.tally == votes


@given(elections())
def test_plurality_equals_the_reference(election: Election) -> None:
    names, groups = election
    assert plurality(cast(election)).scores == reference.tally(groups, names)


@pytest.mark.parametrize("variant", ["shared", "listed", "modified"])
def test_borda_equals_the_reference(variant: BordaVariant) -> None:
    @given(elections())
    def check(election: Election) -> None:
        names, groups = election
        scores = dict.fromkeys(names, Fraction(0))
        for ranking, count in groups:
            points = reference.borda_points(names, ranking, variant)
            scores = {
                name: scores[name] + count * given
                for name, given in zip(names, points, strict=True)
            }
        assert borda(cast(election), variant=variant).scores == scores

    check()


@given(elections(strict=True), st.integers(1, 4), st.sampled_from("abc"))
def test_scottish_stages_equal_the_reference(election: Election, seats: int, seed: str) -> None:
    result = scottish_stv(cast(election), seats=seats, seed=seed)
    assert result.tie_break is not None
    expected = list(reference.scottish_stages(*election, seats, result.tie_break.order))
    assert [dict(round_.tally) for round_ in result.rounds] == expected


# Keep factors come from the count; its votes follow from them, and the factors from the votes.
@given(elections(strict=True), st.integers(1, 4))
def test_meek_votes_and_quotas_follow_from_the_keep_factors(election: Election, seats: int) -> None:
    result = meek_stv(cast(election), seats=seats, seed="s")
    gone: set[str] = set()
    for round_ in result.rounds:
        keep = {
            name: Fraction(round_.keep_factors.get(name, name not in gone)) for name in election[0]
        }
        votes, lost = reference.meek_votes(*election, keep)
        assert dict(round_.tally) == {name: votes[name] for name in election[0] if name not in gone}
        assert round_.exhausted_total == lost
        total = int(sum(votes.values()) * 10**9)
        assert round_.quota == Fraction(total // (seats + 1) + 1, 10**9)
        gone |= {round_.eliminated or ""}
