"""Results as documents and as sentences: the same numbers, and nobody left out."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.counting import METHODS, Result, instant_runoff, schulze
from singletable_apps.counting.text import format_number, format_ordinal, join_names, pluralize
from tests.apps.counting.profiles import Groups, cast, elections
from tests.apps.counting.test_systems import WIKIPEDIA, ballots

every_method = pytest.mark.parametrize("method", METHODS)


@every_method
def test_a_document_is_sorted_and_says_its_version(method: str) -> None:
    text = METHODS[method](WIKIPEDIA, seed="s").to_json()
    found = json.loads(text)
    assert text == json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    assert (found["format"], found["version"]) == ("singletable count", 1)
    for field in ("method", "rules", "account", "places", "winners", "winner", "explanation"):
        assert field in found
    assert found["tie_break"]["seed"] == "s"


_AGAIN = """
from singletable_apps.counting import METHODS
from tests.apps.counting.test_systems import WIKIPEDIA
for count in METHODS.values():
    print(count(WIKIPEDIA, seed="s").to_json(), end="")
"""


# Another process has other hashes, and sets in another order.
def test_a_count_gives_the_same_bytes_in_another_process() -> None:
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


def test_a_document_keeps_fractions_and_large_numbers() -> None:
    found = json.loads(instant_runoff(ballots("A B", "1 A = B", "1 A")).to_json())
    assert found["rounds"][0]["tally"] == {"A": "3/2", "B": "1/2"}
    huge = json.loads(schulze(ballots("A B", f"{10**30} A")).to_json())
    assert huge["preferences"] == [[0, 10**30], [0, 0]]


@every_method
def test_every_candidate_and_every_place_is_explained(method: str) -> None:
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
        return "tied" in said or "still standing" in said
    return any(
        words in said
        for words in (f"{winner} wins", "and so wins", f"{winner} has ", f"{winner} is the last")
    )


@every_method
@pytest.mark.parametrize(
    ("candidates", "lines", "sentences"),
    [
        (
            "A B C",
            [],
            ["No ballots were cast.", "Nobody is preferred to anybody: A, B and C are tied."],
        ),
        (
            "A B",
            ["2"],
            [
                "All of the 2 ballots cast are blank.",
                "Nobody is preferred to anybody: A and B are tied.",
            ],
        ),
        ("A", [], ["No ballots were cast.", "A is the only candidate, and so wins."]),
        ("A", ["1 A"], ["1 ballot was cast.", "A is the only candidate, and so wins."]),
    ],
)
def test_too_little_to_count_is_said_plainly(
    method: str, candidates: str, lines: list[str], sentences: list[str]
) -> None:
    result = METHODS[method](ballots(candidates, *lines))
    assert list(result.explanation) == sentences
    assert result.winners == tuple(candidates.split())


def test_a_tie_is_said_and_how_it_was_broken() -> None:
    cast = ballots("A B", "1 A", "1 B", "1")
    said = schulze(cast).explanation
    assert said[0] == "3 ballots were cast; 1 of them is blank."
    assert any(sentence.startswith("A and B are tied for the 1st place") for sentence in said)
    broken = schulze(cast, seed="s")
    assert broken.winner == broken.final_order[0]
    assert (
        f"The tie is broken by the seed 's': {join_names(broken.final_order)}, so "
        f"{broken.winner} wins."
    ) in broken.explanation


def test_sentences_have_the_numbers_of_the_result() -> None:
    said = schulze(ballots("Ada Ben", "12 Ada > Ben", "9 Ben > Ada")).explanation
    assert list(said) == [
        "21 ballots were cast.",
        "Ada beats every other candidate head to head, and so wins.",
        "Ada beats Ben 12 to 9.",
        "Ben is 2nd, below Ada: Ada beats Ben 12 to 9 (strength 12); no chain leads from Ben to "
        "Ada.",
        "Exactly 2 ballots would have to be different for anyone else to win or share the win: "
        "Ada beats everyone head to head, Ben most narrowly by 3 ballots, and a changed ballot can "
        "move that by two.",
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
def test_names_and_numbers_are_said_as_people_say_them(said: str, expected: str) -> None:
    assert said == expected
