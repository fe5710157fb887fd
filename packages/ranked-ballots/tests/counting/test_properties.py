"""Properties that hold for all ballots."""

from __future__ import annotations

from itertools import pairwise as neighbours
from random import Random
from typing import get_args

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ranked_ballots import (
    METHODS,
    Ballots,
    Ranking,
    Result,
    copeland,
    instant_runoff,
    ranked_pairs,
    schulze,
)
from ranked_ballots.rules import EqualRanks
from tools.testing.rankings import NAMES, Groups, cast, elections

Election = tuple[tuple[str, ...], Groups]
EQUAL_RANKS: tuple[EqualRanks, ...] = get_args(EqualRanks)
seeds = st.none() | st.sampled_from(["a", "b", "c"])


@given(elections(), seeds)
def test_condorcet_winner_wins(election: Election, seed: str | None) -> None:
    ballots = cast(election)
    winner = schulze(ballots).condorcet_winner
    for method in (schulze, ranked_pairs, copeland):
        result = method(ballots, seed=seed)
        assert result.condorcet_winner == winner
        if winner is not None:
            assert result.winners == (winner,)
            assert result.smith_set == (winner,)


@given(elections(), seeds)
def test_pairwise_winners_are_in_the_smith_set(election: Election, seed: str | None) -> None:
    ballots = cast(election)
    for method in (schulze, ranked_pairs, copeland):
        result = method(ballots, seed=seed)
        inside = [result.candidates.index(name) for name in result.smith_set]
        assert set(result.winners) <= set(result.smith_set)
        for a in inside:
            for b in set(range(len(result.candidates))) - set(inside):
                assert result.preferences[a][b] > result.preferences[b][a]


@given(elections())
def test_single_winner_does_not_win_reversed_ballots(election: Election) -> None:
    names, groups = election
    full: Groups = [(_completed(ranking, names), count) for ranking, count in groups]
    reverse: Groups = [(Ranking(ranking.levels[::-1]), count) for ranking, count in full]
    for method in (schulze, ranked_pairs, copeland):
        winner = method(Ballots.from_counts(names, full)).winner
        if winner is not None and len(names) > 1:
            assert winner not in method(Ballots.from_counts(names, reverse)).winners


def _completed(ranking: Ranking, names: tuple[str, ...]) -> Ranking:
    missing = tuple(name for name in names if name not in ranking.names)
    return Ranking((*ranking.levels, missing))


@given(elections(largest=3), st.randoms(use_true_random=False))
def test_order_of_ballots_does_not_matter(election: Election, chance: Random) -> None:
    names, groups = election
    one_by_one = [(ranking, 1) for ranking, count in groups for _ in range(count)]
    chance.shuffle(one_by_one)
    for method in METHODS.values():
        expected = method(cast(election)).to_json()
        assert method(Ballots.from_counts(names, one_by_one)).to_json() == expected


# An instant runoff without a seed breaks ties that do not matter by the order of the candidates, so
# only its winners are compared.
@given(elections(), st.permutations(NAMES))
def test_names_of_candidates_do_not_matter(election: Election, others: list[str]) -> None:
    names, groups = election
    new = dict(zip(NAMES, others, strict=True))
    renamed: Groups = [
        (Ranking(tuple(tuple(new[name] for name in level) for level in ranking.levels)), count)
        for ranking, count in groups
    ]
    for name, method in METHODS.items():
        result = method(cast(election))
        again = method(Ballots.from_counts([new[each] for each in names], renamed))
        number = 1 if name == "instant runoff" else len(result.places)
        expected = [{new[each] for each in place} for place in _places(result)]
        assert _places(again)[:number] == expected[:number], name


def _places(result: Result) -> list[set[str]]:
    return [set(place.candidates) for place in result.places]


@given(elections())
def test_doubled_ballots_give_the_same_places(election: Election) -> None:
    names, groups = election
    twice = Ballots.from_counts(names, [*groups, *groups])
    for method in METHODS.values():
        assert method(twice).places == method(cast(election)).places


@given(elections(), seeds)
def test_every_ballot_is_accounted_for_and_every_candidate_has_a_place(
    election: Election, seed: str | None
) -> None:
    for method in METHODS.values():
        result = method(cast(election), seed=seed)
        account = result.account
        assert account.cast == sum(count for _, count in election[1])
        assert account.cast == account.blank + account.counted + sum(account.exhausted.values())
        placed = [name for place in result.places for name in place.candidates]
        assert sorted(placed) == sorted(election[0])
        taken = 0
        for place in result.places:
            assert place.place == taken + 1
            taken += len(place.candidates)
        if seed is not None:
            assert sorted(result.final_order) == sorted(election[0])
            assert result.winner in result.winners


@given(elections(), seeds, st.sampled_from(EQUAL_RANKS))
def test_votes_are_conserved_between_rounds(
    election: Election, seed: str | None, rule: EqualRanks
) -> None:
    ballots = cast(election)
    result = instant_runoff(ballots, seed=seed, equal_ranks=rule)
    for each in result.rounds:
        assert each.continuing == sum(each.tally.values())
        exhausted = sum(each.exhausted.values())
        assert ballots.cast == ballots.blank + each.continuing + exhausted
        assert all(number >= 0 for number in [*each.tally.values(), *each.exhausted.values()])
    for before, after in neighbours(result.rounds):
        assert before.eliminated is not None
        moved = sum(move.votes for move in before.transfers)
        assert moved == before.tally[before.eliminated]
        assert all(move.votes > 0 for move in before.transfers)
        for name, votes in after.tally.items():
            gained = sum(move.votes for move in before.transfers if move.target == name)
            assert before.tally[name] + gained == votes


@given(elections(strict=True))
def test_all_constructors_give_the_same_results(election: Election) -> None:
    names, groups = election
    one_by_one = [ranking for ranking, count in groups for _ in range(count)]
    orders = np.full((len(one_by_one), len(names)), -1, np.int64)
    ranks = np.zeros((len(one_by_one), len(names)), np.int64)
    for row, ranking in enumerate(one_by_one):
        for at, name in enumerate(ranking.names):
            orders[row, at] = names.index(name)
            ranks[row, names.index(name)] = 1000 * (at + 1)
    forms: list[Ballots] = [Ballots.from_orders(names, orders), Ballots.from_ranks(names, ranks)]
    for method in METHODS.values():
        expected = method(cast(election)).to_json()
        for form in forms:
            assert method(form).to_json() == expected
            assert method(form.compact()).to_json() == expected
