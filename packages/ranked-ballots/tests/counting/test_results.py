"""Results as JSON and as explanations in sentences."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranked_ballots import (
    METHODS,
    Margin,
    Result,
    describe_margin,
    explain,
    format_number,
    instant_runoff,
    join_names,
    pluralize,
    schulze,
)
from ranked_ballots.text import format_ordinal
from tests.counting.test_systems import WIKIPEDIA, ballots
from tools.testing.rankings import Groups, cast, elections

every_method = pytest.mark.parametrize("method", METHODS)


@every_method
def test_json_is_sorted_and_has_its_version(method: str) -> None:
    text = METHODS[method](WIKIPEDIA, seed="s").to_json()
    found = json.loads(text)
    assert text == json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    assert (found["format"], found["version"]) == ("singletable count", 1)
    for field in ("method", "rules", "account", "places", "winners", "winner", "explanation"):
        assert field in found
    assert found["tie_break"]["seed"] == "s"


_AGAIN = """
from ranked_ballots import METHODS
from tests.counting.test_systems import WIKIPEDIA
for count in METHODS.values():
    print(count(WIKIPEDIA, seed="s").to_json(), end="")
"""


# Another process has different hashes and set orders.
def test_json_is_the_same_in_another_process() -> None:
    here = "".join(count(WIKIPEDIA, seed="s").to_json() for count in METHODS.values())
    for hashes in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-c", _AGAIN],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": hashes, "PYTHONPATH": ":".join(filter(None, sys.path))},
        )
        assert ran.stdout == here


def test_json_keeps_fractions_and_large_numbers() -> None:
    found = json.loads(instant_runoff(ballots("A B", "1 A = B", "1 A")).to_json())
    assert found["rounds"][0]["tally"] == {"A": "3/2", "B": "1/2"}
    huge = json.loads(schulze(ballots("A B", f"{10**30} A")).to_json())
    assert huge["preferences"] == [[0, 10**30], [0, 0]]


@every_method
def test_explanation_names_every_candidate_and_the_winner(method: str) -> None:
    @given(elections(), st.none() | st.just("seed"))
    def check(election: tuple[tuple[str, ...], Groups], seed: str | None) -> None:
        result = METHODS[method](cast(election), seed=seed)
        said = "\n".join(result.explanation)
        for name in result.candidates:
            assert name in said
        for sentence in result.explanation:
            assert sentence.endswith(".")
            assert sentence[0].isupper() or sentence[0].isdigit()
        assert _says_who_wins(result, said)

    check()


def _says_who_wins(result: Result, said: str) -> bool:
    winner, *others = result.winners
    if others:
        return "tied" in said or "still in the race" in said
    return any(sentence.startswith(winner) and "wins" in sentence for sentence in said.split("\n"))


@every_method
@pytest.mark.parametrize(
    ("candidates", "lines", "sentences"),
    [
        (
            "A B C",
            [],
            ["No ballots were cast.", "No candidate is preferred to another: A, B and C are tied."],
        ),
        (
            "A B",
            ["2"],
            [
                "2 ballots were cast; all are blank.",
                "No candidate is preferred to another: A and B are tied.",
            ],
        ),
        ("A", [], ["No ballots were cast.", "A is the only candidate and wins."]),
        ("A", ["1 A"], ["1 ballot was cast.", "A is the only candidate and wins."]),
    ],
)
def test_trivial_counts_are_explained(
    method: str, candidates: str, lines: list[str], sentences: list[str]
) -> None:
    result = METHODS[method](ballots(candidates, *lines))
    assert list(result.explanation) == sentences
    assert result.winners == tuple(candidates.split())


def test_explanation_says_how_a_tie_was_broken() -> None:
    cast = ballots("A B", "1 A", "1 B", "1")
    said = schulze(cast).explanation
    assert said[0] == "3 ballots were cast; 1 is blank."
    assert any(sentence.startswith("A and B are tied for 1st place") for sentence in said)
    broken = schulze(cast, seed="s")
    assert broken.winner == broken.final_order[0]
    assert (
        f"The seed 's' breaks the tie in this order: "
        f"{join_names(broken.final_order)}, so {broken.winner} wins."
    ) in broken.explanation


def test_explanation_shortens_a_seed_that_is_a_hash() -> None:
    seed = "0123456789abcdef" * 4
    broken = schulze(ballots("A B", "1 A", "1 B"), seed=seed)
    said = [*broken.explanation, *(rule.sentence for rule in broken.rules)]
    assert not [sentence for sentence in said if seed in sentence]
    assert sum("'01234567…'" in sentence for sentence in said) == 2


# The candidates of a circle beat everyone else, but not each other.
def test_explanation_of_a_circle_does_not_say_that_each_beats_all() -> None:
    cast = ballots("A B C D", "1 A > B > C > D", "1 B > C > A > D", "1 C > A > B > D")
    assert schulze(cast).explanation[1] == (
        "No candidate beats every other one head to head. A, B and C each beat every candidate "
        "outside this group, but none of them beats all others within it."
    )


def test_explanation_has_the_numbers_of_the_result() -> None:
    said = schulze(ballots("Ada Ben", "12 Ada > Ben", "9 Ben > Ada")).explanation
    assert list(said) == [
        "21 ballots were cast.",
        "Ada beats every other candidate head to head and wins.",
        "Ada beats Ben 12 to 9.",
        "Ben is 2nd, below Ada: Ada beats Ben 12 to 9 (strength 12); there is no chain from Ben to "
        "Ada.",
        "2 different ballots could have changed the winner; fewer could not: Ada has the narrowest "
        "victory over Ben, by 3 ballots, and changing one ballot can shift that by two.",
    ]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (format_number(1_234_567), "1,234,567"),
        (format_number(schulze(WIKIPEDIA).account.cast), "45"),
        (pluralize(1, "ballot"), "1 ballot"),
        (pluralize(0, "ballot"), "0 ballots"),
        (
            " ".join(map(format_ordinal, (1, 2, 3, 4, 11, 12, 13, 21, 112))),
            "1st 2nd 3rd 4th 11th 12th 13th 21st 112th",
        ),
        (join_names(["A"]), "A"),
        (join_names(["A", "B"]), "A and B"),
        (join_names([]), ""),
    ],
)
def test_names_and_numbers_are_formatted_for_sentences(said: str, expected: str) -> None:
    assert said == expected


def test_explain_uses_the_conditional_while_voting_is_open() -> None:
    cast = ballots("Ada Ben", "12 Ada > Ben", "9 Ben > Ada")
    assert explain(schulze(cast), is_final=True) == schulze(cast).explanation
    assert list(explain(schulze(cast), is_final=False))[:2] == [
        "21 ballots have been cast so far.",
        "Ada beats every other candidate head to head and would win if voting closed now.",
    ]


@every_method
@given(election=elections(), seed=st.none() | st.just("seed"))
def test_explanation_of_an_open_vote_announces_no_winner(
    method: str, election: tuple[tuple[str, ...], Groups], seed: str | None
) -> None:
    result = METHODS[method](cast(election), seed=seed)
    sentences = explain(result, is_final=False)
    assert len(sentences) == len(result.explanation)
    for sentence in sentences:
        assert not re.search(r"\band wins\b|^\w+ wins\b|could have changed", sentence)


@pytest.mark.parametrize(
    ("margin", "final", "still_open"),
    [
        (
            Margin(1, 1, "", makes_tie="no"),
            "One different ballot could have changed the winner.",
            "One different ballot could change the winner.",
        ),
        (
            Margin(3, 3, "", makes_tie="yes"),
            "3 different ballots could have made it a tie; fewer could not.",
            "3 different ballots could make it a tie; fewer could not.",
        ),
        (
            Margin(2, None, ""),
            "It would have taken at least 2 different ballots to change the winner or make it a "
            "tie.",
            "It would take at least 2 different ballots to change the winner or make it a tie.",
        ),
        (
            Margin(2, 5, ""),
            "It would have taken between 2 and 5 different ballots to change the winner or "
            "make it a tie.",
            "It would take between 2 and 5 different ballots to change the winner or make it a "
            "tie.",
        ),
    ],
)
def test_margin_is_described(margin: Margin, final: str, still_open: str) -> None:
    assert describe_margin(margin, is_final=True) == final
    assert describe_margin(margin, is_final=False) == still_open
