"""Who may vote, and what a ballot may contain."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranked_ballots import Ranking
from singletable_apps.elections.entities import State
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.roles import ROLES, Role
from singletable_apps.elections.rules.voting import (
    check_cast,
    check_withdraw,
    drop_removed_candidates,
    is_eligible,
    parse_ranking,
    rank_pairs,
)
from singletable_apps.shared.errors import InvalidInput, NotFound
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.elections.rules.factories import HOUR, NOON, election, user
from tools.testing.cases import every

CANDIDATES = ("Ada", "Ben", "Cy", "Di")
NAMES = st.sampled_from([*CANDIDATES])
RANKS = st.dictionaries(NAMES, st.none() | st.integers(1, 9), min_size=1)
RANKINGS = RANKS.map(Ranking.from_ranks)


@every(("role", "voters", "listed"), [*product(ROLES, [0, 5], [False, True])])
def test_eligible_voter_can_cast(role: Role, voters: int, listed: bool) -> None:
    it = election(State.FIXED, voters=voters)
    # With no list every voter may vote; with one, those on it, if they still may vote at all.
    eligible = ROLES.index(role) >= 2 and (listed or not voters)
    assert is_eligible(user(role), it, listed) is eligible
    if eligible:
        check_cast(user(role), it, listed=listed, has_voted=False, now=NOON)
    else:
        with pytest.raises(NotPermitted):
            check_cast(user(role), it, listed=listed, has_voted=False, now=NOON)


@every("role", ROLES)
def test_eligible_voter_can_withdraw(role: Role) -> None:
    # Also who is not on the list any more: what is one's own may be taken back.
    it = election(State.EDITABLE, voters=5)
    if ROLES.index(role) >= 2:
        check_withdraw(user(role), it, has_voted=True, now=NOON)
    else:
        with pytest.raises(NotPermitted):
            check_withdraw(user(role), it, has_voted=True, now=NOON)


def test_withdrawing_needs_a_ballot() -> None:
    voter = user(Role.VOTER)
    with pytest.raises(NotFound):
        check_withdraw(voter, election(State.EDITABLE), has_voted=False, now=NOON)
    # Whether a ballot is there says nothing when no ballot could be withdrawn.
    with pytest.raises(WrongState):
        check_withdraw(
            voter, election(State.EDITABLE, (None, NOON)), has_voted=False, now=NOON + HOUR
        )


# An election that is over is over for everybody, so nobody asks to be added to its voters.
def test_state_is_checked_before_the_voter_list() -> None:
    it = election(State.CLOSED, voters=5)
    with pytest.raises(WrongState):
        check_cast(user(Role.VOTER), it, listed=False, has_voted=False, now=NOON)


@every(
    ("lines", "levels"),
    [
        ([("Ada", 1)], [["Ada"]]),
        ([("Cy", 9), ("Ada", 1), ("Ben", 4)], [["Ada"], ["Ben"], ["Cy"]]),
        ([("Cy", 2), ("Ada", 1), ("Ben", 2), ("Di", None)], [["Ada"], ["Ben", "Cy"]]),
        ([("ADA", 1), (" ben ", 2)], [["Ada"], ["Ben"]]),
        ([("Ada", None)], []),
        ([(name, None) for name in CANDIDATES], []),
    ],
)
def test_ranks_define_an_order(
    lines: list[tuple[str, int | None]], levels: list[list[str]]
) -> None:
    assert parse_ranking(lines, CANDIDATES) == Ranking.from_levels(levels)


@given(ranks=RANKS)
def test_gaps_and_order_of_lines_do_not_matter(ranks: dict[str, int | None]) -> None:
    lines = list(ranks.items())
    ranking = parse_ranking(lines, CANDIDATES)
    assert ranking == parse_ranking(lines[::-1], CANDIDATES[::-1])
    assert ranking == parse_ranking([(name.upper(), rank) for name, rank in lines], CANDIDATES)
    assert ranking == Ranking.from_ranks({n: r and r * 7 for n, r in ranks.items()})


@given(ranking=RANKINGS)
def test_rank_pairs_are_canonical(ranking: Ranking) -> None:
    lines = rank_pairs(ranking)
    assert list(lines) == sorted(lines, key=lambda line: (line[1], line[0]))
    assert {rank for _, rank in lines} == set(range(1, len(ranking.levels) + 1))
    assert Ranking.from_pairs(lines) == ranking
    assert not lines or parse_ranking(lines, CANDIDATES) == ranking


@every("rank", [0, -1, True, False, 1.5, "1"])
def test_invalid_rank_is_rejected(rank: int) -> None:
    with pytest.raises(InvalidInput):
        parse_ranking([("ada", rank)], CANDIDATES)


@every("twice", [("Ada", "Ada"), ("Ada", "ADA"), ("ada", " Ada")])
@every("ranks", [(1, 2), (1, 1), (None, 1), (None, None)])
def test_duplicate_candidate_is_rejected(
    twice: tuple[str, str], ranks: tuple[int | None, ...]
) -> None:
    with pytest.raises(InvalidInput):
        parse_ranking([*zip(twice, ranks, strict=True), ("Ben", 3)], CANDIDATES)


@given(ranking=RANKINGS, candidates=st.dictionaries(NAMES, st.sampled_from([1, 9, 10, 11])))
def test_candidate_added_later_is_not_ranked(ranking: Ranking, candidates: dict[str, int]) -> None:
    counted = drop_removed_candidates(ranking, 10, candidates)
    old = {name for name, since in candidates.items() if since in (1, 9)}
    assert set(counted.names) == old & set(ranking.names)
    # The others keep their order, and who stood level stands level.
    assert counted == Ranking.from_levels([old.intersection(level) for level in ranking.levels])
    assert drop_removed_candidates(counted, 10, candidates) == counted
