"""Small files of each format, made by hand, are read as a person would read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable_apps.counting.formats import BallotRules, FormatError, read_ballots

EXAMPLES = Path(__file__).parents[3] / "data" / "ballots"
TREES = ("Ash", "Black Locust", "Cherry")
RANKED = [("Black Locust = Cherry > Ash", 4), ("Ash > Cherry", 3), ("Cherry", 1)]

FILES = [
    ("tree.cvotes", "cef", [*RANKED[:2], ("", 2), RANKED[2]]),
    ("tree.abif", "abif", [*RANKED[:2], ("", 2), RANKED[2]]),
    ("tree.toi", "toi", RANKED),
    ("tree-before-2022.toi", "toi", RANKED),
    ("tree.csv", "csv", [*RANKED[:2], ("", 2), RANKED[2]]),
    (
        "tree-by-rank.csv",
        "csv-ranks",
        [("Ash > Cherry", 3), ("", 1), ("Cherry > Black Locust", 1)],
    ),
]


@pytest.mark.parametrize(("name", "form", "expected"), FILES)
def test_a_file_is_read(name: str, form: str, expected: list[tuple[str, int]]) -> None:
    reading = read_ballots(EXAMPLES / name)
    assert reading.format == form
    assert set(reading.ballots.candidates) == set(TREES)
    assert [
        (str(ranking), count) for ranking, count in reading.ballots.ranking_counts()
    ] == expected


def test_weights_and_unknown_candidates_are_accounted_for() -> None:
    reading = read_ballots(EXAMPLES / "tree.cvotes")
    assert [str(each) for each in reading.changed] == [
        "4 (first: line 8): weight counted as so many ballots",
        "1 (first: line 9): unknown candidates ignored",
    ]
    assert reading.title == "Choice of a garden tree"


# The file says so, and a count by Schulze's method would not notice; an instant runoff does.
def test_who_is_not_listed_stands_last_if_the_file_asks_for_it() -> None:
    file = b"#/Candidates: Ash;Cherry;Elm\nAsh * 2\n/EMPTY/\n"
    reading = read_ballots(file)
    assert [str(ranking) for ranking, _ in reading.ballots.ranking_counts()] == [
        "Ash > Cherry = Elm",
        "Ash = Cherry = Elm",
    ]
    assert [each.ballots for each in reading.changed] == [3]
    left = read_ballots(file, rules=BallotRules(unlisted="leave out"))
    assert [str(ranking) for ranking, _ in left.ballots.ranking_counts()] == ["Ash", ""]


def test_candidates_that_nobody_declared_are_those_in_the_votes() -> None:
    reading = read_ballots(
        b"Ash > Elm * 2\nElm = Cherry\n", "cef", rules=BallotRules(unlisted="leave out")
    )
    assert reading.ballots.candidates == ("Ash", "Elm", "Cherry")


def test_ratings_are_read_as_an_order() -> None:
    reading = read_ballots(b"2: a/5, b/0, c/5\n1: c/3>a/9\n")
    assert [(str(ranking), count) for ranking, count in reading.ballots.ranking_counts()] == [
        ("a = c > b", 2),
        ("c > a", 1),
    ]
    assert [str(each) for each in reading.changed] == [
        "2 (first: line 1): ratings read as an order",
        "1 (first: line 2): ratings beside an order left out",
    ]


def test_records_are_of_the_contest_that_was_asked_for() -> None:
    reading = read_ballots(EXAMPLES / "tree-cvr.json", contest="Garden tree")
    assert [(str(ranking), count) for ranking, count in reading.ballots.ranking_counts()] == [
        ("", 1),
        ("Ash > Cherry", 1),
        ("Black Locust = Cherry", 1),
    ]
    assert reading.notes == ("1 records have nothing of this contest",)
    assert [str(each) for each in reading.changed] == ["1 (first: record 1): skipped ranks ignored"]
    assert read_ballots(EXAMPLES / "tree-cvr.json", contest="k1").read == 3


@pytest.mark.parametrize(
    ("contest", "why"),
    [
        (None, r"several contests; .*: 'Garden tree' \(k1\), 'Fence' \(k2\)"),
        ("Mayor", r"no contest is called 'Mayor'; there are: 'Garden tree' \(k1\), 'Fence'"),
    ],
)
def test_a_contest_that_is_not_clear_is_asked_for(contest: str | None, why: str) -> None:
    with pytest.raises(FormatError, match=why):
        read_ballots(EXAMPLES / "tree-cvr.json", contest=contest)
