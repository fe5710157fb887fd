"""Several seats by STV: published counts, ties, and properties that hold for all ballots."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations
from itertools import pairwise as neighbors
from pathlib import Path
from random import Random
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranked_ballots import (
    STV_METHODS,
    Ballots,
    BallotsError,
    Ranking,
    StvResult,
    format_decimal,
    instant_runoff,
    meek_stv,
    scottish_stv,
)
from ranked_ballots.formats import read_ballots
from tests.counting.test_systems import ballots, places
from tools.testing.rankings import Groups, cast, elections

Election = tuple[tuple[str, ...], Groups]
DATA = Path(__file__).parents[1] / "data" / "stv"
both = pytest.mark.parametrize("method", STV_METHODS)

# The report of the returning officer: the votes of each stage, with those that no candidate has.
MARYFIELD = """
Georgia CRUICKSHANK    953 957 1017 1062 1062       1054       1054
Rebecca DEWAR          198 202
Ewan GURR               34
Sundas KAMRAN          214 218  226
Ken LYNN              1037 1037 1042 1093 1054      1054       1054
Danielle MARR          371 376  414  430  430.53520  432.18427
Lynne SHORT            960 962  974 1005 1038.43216 1039.55413 1058.95252
Martha Elizabeth SMART 446 453  493  517  519.28352  521.15096  597.57623
Non-transferable         0   8   47  106  108.74912  112.11064  448.47125
"""


def _rows(table: str) -> dict[str, list[Fraction]]:
    """Return the numbers in each line of a table by the name before them."""
    rows: dict[str, list[Fraction]] = {}
    for line in table.strip().splitlines():
        words = line.split()
        first = next(at for at, word in enumerate(words) if word[0].isdigit())
        rows[" ".join(words[:first])] = [Fraction(word) for word in words[first:]]
    return rows


def test_scottish_count_equals_every_stage_of_an_official_report() -> None:
    file = read_ballots(DATA / "maryfield-2022.blt")
    assert file.seats == 3
    result = scottish_stv(file.ballots, seats=3)
    found: dict[str, list[Fraction]] = {}
    for round_ in result.rounds:
        for name, votes in (*round_.tally.items(), ("Non-transferable", round_.exhausted_total)):
            found.setdefault(name, []).append(Fraction(votes))
    assert found == _rows(MARYFIELD)
    assert {round_.quota for round_ in result.rounds} == {1054}
    steps = [round_.surplus_of or round_.eliminated for round_ in result.rounds]
    assert steps == [
        *("Ewan GURR", "Rebecca DEWAR", "Sundas KAMRAN", "Ken LYNN", "Georgia CRUICKSHANK"),
        *("Danielle MARR", None),
    ]
    assert result.elected == ("Ken LYNN", "Georgia CRUICKSHANK", "Lynne SHORT")
    assert result.rounds[3].transfer_values == ((1, Fraction("0.03568")),)


def test_scottish_count_elects_the_councillors_of_a_second_ward() -> None:
    file = read_ballots(DATA / "bishopton-2017.blt")
    assert file.seats == 3
    result = scottish_stv(file.ballots, seats=3)
    assert result.elected == ("James MacLaren", "Natalie Don", "Colin McCulloch")
    assert [round_.surplus_of for round_ in result.rounds[:2]] == list(result.elected[:2])


# A count by the program of Hill, Wichmann and Woodall, in hundredths; its stages in which surpluses
# were distributed are the rounds 1, 2, 4, 5 and 7 here.
ERS97 = """
Smith     134    107.26 106.96 104.42 101.58
Carpenter  81     87.98  88.47  97.71 101.58
Wright     27     31.99  32.34  34.97   0
Glazier    24     30.19  30.62   0      0
Duke      105    106.60 106.96 104.42 101.58
Prince     91     91     91     92.45  97.07
Baron      64     64     64     64.03  67.24
Abbot      59     59.80  64.85  66     68.92
Vicar      55     55     69.21  70.99  73.27
Monk       23     23.40   0      0      0
Freeman    90     93.59  94.27  95.97  99.81
Quota     107.57 107.26 106.96 104.42 101.58
"""


def test_meek_count_equals_the_reference_count_of_the_model_election() -> None:
    result = meek_stv(read_ballots(DATA / "ers97.blt").ballots, seats=6)
    for name, expected in _rows(ERS97).items():
        for number, votes in zip((1, 2, 4, 5, 7), expected, strict=True):
            round_ = result.rounds[number - 1]
            found = round_.quota if name == "Quota" else round_.tally.get(name, 0)
            assert round(Fraction(found), 2) == votes, (name, number)
    assert result.elected == ("Smith", "Duke", "Carpenter", "Freeman", "Prince", "Vicar")


# From issue 12 of Voting Matters, on the accuracy of Meek's method; to all nine decimals, the
# numbers are those of the program Droop for the reference rule.
def test_meek_count_equals_the_reference_rule_to_nine_decimals() -> None:
    cast_ballots = ballots(
        "A B X Y Z",
        *("333 A > X", "333 A > Y", "333 A > Z", "333 B > X", "333 B > Y", "333 B > Z"),
        *("667 X", "667 Y", "667 Z", "1 A > B > X", "1 A > B > Y", "2 B > A > X"),
    )
    second = meek_stv(cast_ballots, seats=3).rounds[1]
    assert second.quota == Fraction("1000.750000001")
    expected = ("1000.750000126", "1000.750000126", "667.166666686", "667.166666562", "667.1666665")
    assert tuple(second.tally.values()) == tuple(map(Fraction, expected))
    assert second.keep_factors == {"A": Fraction("0.99974975"), "B": Fraction("0.99974975")}
    # The difference is smaller than the surplus that is left, so these are tied.
    assert second.tie is not None
    assert second.tie.tied == ("X", "Y", "Z")


def _first_tie(result: StvResult) -> tuple[str | None, tuple[str, ...], str]:
    """Return to whom the step after the first tie applied, who was tied, and what broke the tie."""
    round_ = next(each for each in result.rounds if each.tie is not None)
    assert round_.tie is not None
    return round_.surplus_of or round_.eliminated, round_.tie.tied, round_.tie.broken_by


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["9 A", "4 B", "3 C", "1 D > C"], ("C", ("B", "C"), "earlier rounds")),
        # Both get a surplus of one vote; B had more votes before.
        (
            ["6 A > D", "7 B > D", "3 C > A", "2 C > B", "6 D", "6 E"],
            ("B", ("A", "B"), "earlier rounds"),
        ),
    ],
)
def test_earlier_rounds_break_ties_of_the_scottish_rules(
    lines: list[str], expected: tuple[str, tuple[str, ...], str]
) -> None:
    seats = 3 if "6 E" in lines else 2
    assert _first_tie(scottish_stv(ballots("A B C D E", *lines), seats=seats)) == expected


@both
def test_tie_that_matters_is_reported_or_broken_by_the_seed(method: str) -> None:
    cast_ballots = ballots("A B C", "4 A", "2 B", "2 C")
    result = STV_METHODS[method](cast_ballots, seats=2)
    assert (result.elected, result.tied, result.ties_mattered) == (("A",), ("B", "C"), "yes")
    assert places(result) == "1:A 2:B=C"
    assert "So B and C are tied for 1 seat." in " ".join(result.explanation)
    drawn = {STV_METHODS[method](cast_ballots, seats=2, seed=seed).elected for seed in "abcdef"}
    assert drawn == {("A", "B"), ("A", "C")}
    long = STV_METHODS[method](cast_ballots, seats=2, seed="0123456789abcdef" * 4)
    assert "'01234567…'" in long.rules[-1].sentence


# Whose surplus moves first decides which candidates are left to receive the other one.
def test_order_of_equal_surpluses_can_matter() -> None:
    cast_ballots = ballots("A B C D E", "3 D > C > B", "1 A > E > D > C", "2 A > D > E")
    result = scottish_stv(cast_ballots, seats=3)
    assert (result.elected, result.tied) == (("A", "D"), ("C", "E"))
    assert any("A and D are tied for the largest surplus." in each for each in result.explanation)


def test_tie_before_one_that_matters_does_not_end_the_count() -> None:
    result = scottish_stv(ballots("A B C D E", "1 D", "1 C", "4 E", "4 B"), seats=3)
    assert _first_tie(result) == ("B", ("B", "E"), "candidate order")
    assert (result.elected, result.tied) == (("B", "E"), ("C", "D"))
    assert result.ties_mattered == "yes"


@both
def test_tie_that_cannot_change_who_is_elected_does_not_end_the_count(method: str) -> None:
    result = STV_METHODS[method](
        ballots("A B C D E", "4 A", "4 B", "3 E", "1 C > A", "1 D > A"), seats=2
    )
    assert (result.elected, result.tied, result.ties_mattered) == (("A", "B"), (), "no")


@both
def test_too_many_ways_to_break_ties_are_reported(method: str) -> None:
    names = [f"c{number:02}" for number in range(14)]
    circle = [Ranking.from_levels(names[at:] + names[:at]) for at in range(14)]
    result = STV_METHODS[method](Ballots.from_rankings(names, circle), seats=3)
    assert result.ties_mattered == "not known"
    assert (result.elected, result.tied) == ((), tuple(names))


@both
def test_seats_without_candidates_stay_vacant(method: str) -> None:
    result = STV_METHODS[method](ballots("A B", "1 B", "1"), seats=3)
    assert set(result.elected) == {"A", "B"}
    assert result.explanation[-1] == "1 seat cannot be filled: there are no more candidates."
    with pytest.raises(BallotsError, match="`seats` is 0"):
        STV_METHODS[method](ballots("A", "1 A"), seats=0)


@pytest.mark.parametrize(
    ("rule", "no_choices", "equal"), [("exhaust at once", 2, 4), ("skip", 5, 1)]
)
def test_ballot_counts_up_to_its_first_shared_rank_or_without_it(
    rule: Literal["exhaust at once", "skip"], no_choices: int, equal: int
) -> None:
    cast_ballots = ballots("A B C D", "3 A > B = C > D", "4 B", "1 C = D", "2 D")
    result = scottish_stv(cast_ballots, seats=1, equal_ranks=rule)
    assert sum(result.rounds[0].tally.values()) == 9
    exhausted = {"no more choices": no_choices, "equal ranks": equal, "rounded down": 0}
    assert result.account.exhausted == exhausted


def test_counts_beyond_64_bits_are_exact() -> None:
    huge = 10**20
    result = scottish_stv(ballots("A B C", f"{3 * huge} A > B", f"{huge} C"), seats=2)
    assert result.rounds[0].quota == 4 * huge // 3 + 1
    assert sum(Fraction(each) for each in result.rounds[-1].tally.values()) <= 4 * huge
    assert result.elected == ("A", "B")


@both
@pytest.mark.parametrize(
    "seats", [pytest.param(1, marks=pytest.mark.rest), 2, pytest.param(3, marks=pytest.mark.rest)]
)
def test_properties_hold_for_all_ballots(method: str, seats: int) -> None:
    @given(elections(largest=6), st.randoms(use_true_random=False))
    def check(election: Election, chance: Random) -> None:
        count = STV_METHODS[method]
        result = count(cast(election), seats=seats, seed="s")
        _check_votes_are_conserved(result)
        _check_solid_coalitions(result, election)
        _check_undecided(count(cast(election), seats=seats), result)
        one_by_one = [(ranking, 1) for ranking, number in election[1] for _ in range(number)]
        chance.shuffle(one_by_one)
        again = count(Ballots.from_counts(election[0], one_by_one), seats=seats, seed="s")
        assert again.to_json() == result.to_json()
        assert all(sentence.endswith(".") for sentence in result.explanation)

    check()


def _check_votes_are_conserved(result: StvResult) -> None:
    account = result.account
    assert account.cast == account.blank + account.counted + sum(account.exhausted.values())
    for before, after in neighbors(result.rounds):
        assert (
            before.continuing + before.exhausted_total == after.continuing + after.exhausted_total
        )
        assert all(move.votes > 0 for move in before.transfers)
        for name, votes in before.tally.items():
            lost = sum(move.votes for move in before.transfers if move.source == name)
            gained = sum(move.votes for move in before.transfers if move.target == name)
            assert votes - lost + gained == after.tally.get(name, 0)
    placed = [name for place in result.places for name in place.candidates]
    assert sorted(placed) == sorted(result.candidates)
    assert sorted(result.final_order) == sorted(result.candidates)
    assert len(result.elected) == min(result.seats, len(result.candidates))


# Droop proportionality: if the voters of k quotas rank the same candidates above all others, then k
# of these are elected, or all of them.
def _check_solid_coalitions(result: StvResult, election: Election) -> None:
    names, groups = election
    strict = [
        (ranking, n) for ranking, n in groups if all(len(each) == 1 for each in ranking.levels)
    ]
    quota = (result.account.cast - result.account.blank) // (result.seats + 1) + 1
    for group in chain.from_iterable(combinations(names, n) for n in range(1, len(names))):
        voters = sum(n for ranking, n in strict if set(ranking.names[: len(group)]) == set(group))
        elected = len(set(result.elected) & set(group))
        assert elected >= min(voters // quota, len(group)), group


def _check_undecided(undecided: StvResult, decided: StvResult) -> None:
    """Check that without a seed, the elected and tied candidates are those of some seed."""
    certain = set(undecided.elected)
    assert certain <= set(decided.elected) <= certain | set(undecided.tied)
    last = undecided.rounds[-1].tie
    assert bool(undecided.tied) == (last is not None and last.broken_by == "nothing")


@given(elections(strict=True), st.sampled_from("abc"))
def test_one_seat_goes_to_the_winner_of_an_instant_runoff(election: Election, seed: str) -> None:
    strict = cast(election)
    runoff = instant_runoff(strict, look_back=True, seed=seed)
    assert scottish_stv(strict, seats=1, seed=seed).winner == runoff.winner
    assert meek_stv(strict, seats=1, seed=seed).winner == instant_runoff(strict, seed=seed).winner


@pytest.mark.parametrize(
    ("votes", "text"),
    [(0, "0"), (1054, "1,054"), (Fraction("430.53520"), "430.53520"), (Fraction(5, 2), "2.5")],
)
def test_votes_are_written_with_up_to_five_decimals(votes: int | Fraction, text: str) -> None:
    assert format_decimal(votes) == text
