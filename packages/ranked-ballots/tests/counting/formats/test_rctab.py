"""RCTab's format: rounds are read, written and read back unchanged."""

from __future__ import annotations

import json
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranked_ballots import Ballots, Ranking, instant_runoff
from ranked_ballots.formats import (
    FormatError,
    Tabulation,
    WriteError,
    read_rounds,
    write_rounds,
)
from ranked_ballots.formats.rctab import RoundOutcome
from ranked_ballots.rules import EqualRanks
from tests.counting.formats.strategies import all_ballots, names, plain

EXAMPLE = Path(__file__).parents[2] / "data" / "ballots" / "tree-rctab.json"
DAY = date(2026, 5, 1)
some_ballots = all_ballots(names(plain), st.integers(1, 9) | st.just(2**60))


def test_read_rounds_reads_a_file_of_rctab() -> None:
    tabulation = read_rounds(EXAMPLE)
    first, second = tabulation.rounds
    assert (tabulation.contest, tabulation.date) == ("Garden tree", "2026-05-01")
    assert (tabulation.ballots, tabulation.undervotes) == (10, 1)
    assert first.tally == {"Ash": 4, "Black Locust": 1, "Cherry": Fraction(7, 2)}
    assert first.outcomes == (RoundOutcome("Black Locust", elected=False, transfers={"Cherry": 1}),)
    assert (first.threshold, first.inactive["overvotes"]) == (5, 1)
    # Some programs write numbers without quotes.
    assert second.tally == {"Ash": 4, "Cherry": Fraction(9, 2)}
    assert second.outcomes == (RoundOutcome("Cherry", elected=True),)


# A third of a vote is not a finite decimal, and is rejected below.
@given(ballots=some_ballots, rule=st.sampled_from(["exhaust", "exhaust at once", "skip"]))
def test_written_rounds_are_read_back_unchanged(ballots: Ballots, rule: EqualRanks) -> None:
    result = instant_runoff(ballots, equal_ranks=rule, seed="a seed")
    file = write_rounds(result, contest="Tree", day=DAY)
    assert read_rounds(file) == Tabulation.from_result(result, "Tree", "2026-05-01")


# RCVis rejects files where a candidate is eliminated in the last round or comes back, or where a
# result is neither or both of elected and eliminated.
@given(ballots=some_ballots, rule=st.sampled_from(get_args(EqualRanks)))
def test_written_rounds_meet_the_requirements_of_rcvis(ballots: Ballots, rule: EqualRanks) -> None:
    result = instant_runoff(ballots, equal_ranks=rule)
    whole = json.loads(write_rounds(result, contest="Tree", day=DAY, places=4))
    assert {"contest", "date"} <= set(whole["config"])
    gone: set[str] = set()
    for number, each in enumerate(whole["results"], start=1):
        assert each["round"] == number
        assert not gone & set(each["tally"])
        for outcome in each["tallyResults"]:
            assert ("elected" in outcome) != ("eliminated" in outcome)
            gone |= {outcome["eliminated"]} if "eliminated" in outcome else set()
    if whole["results"]:
        assert not any("eliminated" in each for each in whole["results"][-1]["tallyResults"])


@given(ballots=some_ballots, rule=st.sampled_from(get_args(EqualRanks)))
def test_transfers_account_for_every_vote(ballots: Ballots, rule: EqualRanks) -> None:
    tabulation = Tabulation.from_result(
        instant_runoff(ballots, equal_ranks=rule, seed="s"), "Tree", ""
    )
    for each, following in zip(tabulation.rounds, tabulation.rounds[1:], strict=False):
        (outcome,) = each.outcomes
        for name, votes in following.tally.items():
            assert votes == each.tally[name] + outcome.transfers.get(name, 0)
        assert sum(outcome.transfers.values()) == each.tally[outcome.candidate]
        assert (
            sum(each.tally.values()) + sum(each.inactive.values()) == ballots.cast - ballots.blank
        )


def test_write_rounds_needs_places_for_repeating_decimals() -> None:
    tied = Ranking((("Ada", "Ben", "Cy"),))
    ballots = Ballots.from_counts(["Ada", "Ben", "Cy"], [(tied, 1), (Ranking((("Ada",),)), 2)])
    result = instant_runoff(ballots, equal_ranks="split")
    with pytest.raises(WriteError, match="7/3 votes"):
        write_rounds(result, contest="Tree", day=DAY)
    first = json.loads(write_rounds(result, contest="Tree", day=DAY, places=4))["results"][0]
    assert first["tally"] == {"Ada": "2.3333", "Ben": "0.3333", "Cy": "0.3333"}


def test_write_rounds_rejects_a_candidate_named_exhausted() -> None:
    orders = [Ranking.from_levels(each) for each in (["Ada", "exhausted"], ["exhausted"], ["Cy"])]
    ballots = Ballots.from_counts(
        ["Ada", "exhausted", "Cy"], [(orders[0], 1), (orders[1], 2), (orders[2], 2)]
    )
    with pytest.raises(WriteError, match="'exhausted'"):
        write_rounds(instant_runoff(ballots, seed="s"), contest="Tree", day=DAY)


WRONG = [
    (b"{}", "missing required field `config`"),
    (b'{"config": {}, "results": [{"round": 1, "tally": {"A": "x"}}]}', "'A', is 'x'; expected"),
    (b'{"config": {}, "results": [{"round": 1, "tally": {"A": -1}}]}', "'A', is '-1'"),
    (
        b'{"config": {}, "results": [{"round": 1, "tally": {}, "tallyResults": [{}]}]}',
        "either elected or eliminated",
    ),
]


@pytest.mark.parametrize(("file", "why"), WRONG)
def test_read_rounds_rejects_invalid_files(file: bytes, why: str) -> None:
    with pytest.raises(FormatError, match=why):
        read_rounds(file)
