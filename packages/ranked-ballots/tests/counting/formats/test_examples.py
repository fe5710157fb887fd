"""Small handmade files of each format."""

from __future__ import annotations

from pathlib import Path

import pytest

from ranked_ballots.formats import BallotRules, FormatError, read_ballots

EXAMPLES = Path(__file__).parents[2] / "data" / "ballots"
TREES = ("Ash", "Black Locust", "Cherry")
RANKED = [("Black Locust = Cherry > Ash", 4), ("Ash > Cherry", 3), ("Cherry", 1)]

FILES = [
    ("tree.cvotes", "cef", [*RANKED[:2], ("", 2), RANKED[2]]),
    ("tree.abif", "abif", [*RANKED[:2], ("", 2), RANKED[2]]),
    ("tree.toi", "toi", RANKED),
    ("tree-before-2022.toi", "toi", RANKED),
    ("tree.blt", "blt", [*RANKED[:2], ("", 2), RANKED[2]]),
    ("tree.csv", "csv", [*RANKED[:2], ("", 2), RANKED[2]]),
    (
        "tree-by-rank.csv",
        "csv-ranks",
        [("Ash > Cherry", 3), ("", 1), ("Cherry > Black Locust", 1)],
    ),
]


@pytest.mark.parametrize(("name", "form", "expected"), FILES)
def test_example_file_is_read(name: str, form: str, expected: list[tuple[str, int]]) -> None:
    file = read_ballots(EXAMPLES / name)
    assert file.format == form
    assert set(file.ballots.candidates) == set(TREES)
    assert [(str(ranking), count) for ranking, count in file.ballots.ranking_counts()] == expected


def test_cef_reports_weights_and_unknown_candidates() -> None:
    file = read_ballots(EXAMPLES / "tree.cvotes")
    assert [str(entry) for entry in file.changed] == [
        "4 (first: line 8): weight counted as a number of ballots",
        "1 (first: line 9): unknown candidates ignored",
    ]
    assert file.title == "Choice of a garden tree"


def test_blt_has_seats_and_withdrawn_candidates() -> None:
    file = read_ballots(EXAMPLES / "tree.blt")
    assert (file.seats, file.title) == (1, "Choice of a garden tree")
    assert file.notes == ("withdrawn: Elm",)
    assert [str(entry) for entry in file.changed] == [
        "1 (first: line 6): withdrawn candidates removed",
        "1 (first: line 8): skipped ranks ignored",
    ]
    assert "seats to fill: 1" in file.summary()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("2\n0\n", "Line 1: expected the number of candidates and of seats"),
        ("2 1\n1 1 2\n", "the ballots do not end"),
        ('2 1\n1 3 0\n0\n"A"\n"B"\n', "Line 2: there is no candidate 3; .* 1 to 2"),
        ('2 1\nx 1 0\n0\n"A"\n"B"\n', "Line 2: The number of ballots must be a whole number"),
        ('2 1\n1 1 0\n0\n"A"\n', "Line 1: the file has 2 candidates, but 1 names"),
    ],
)
def test_blt_errors_say_what_was_expected(text: str, why: str) -> None:
    with pytest.raises(FormatError, match=why):
        read_ballots(text.encode(), "blt")


# It makes no difference for Schulze, but it does for an instant runoff.
def test_cef_ranks_unlisted_candidates_last_if_the_file_says_so() -> None:
    data = b"#/Candidates: Ash;Cherry;Elm\nAsh * 2\n/EMPTY/\n"
    file = read_ballots(data)
    assert [str(ranking) for ranking, _ in file.ballots.ranking_counts()] == [
        "Ash > Cherry = Elm",
        "Ash = Cherry = Elm",
    ]
    assert [entry.ballots for entry in file.changed] == [3]
    left = read_ballots(data, rules=BallotRules(unlisted="leave out"))
    assert [str(ranking) for ranking, _ in left.ballots.ranking_counts()] == ["Ash", ""]


def test_cef_without_declared_candidates_uses_those_in_the_votes() -> None:
    file = read_ballots(
        b"Ash > Elm * 2\nElm = Cherry\n", "cef", rules=BallotRules(unlisted="leave out")
    )
    assert file.ballots.candidates == ("Ash", "Elm", "Cherry")


def test_abif_ratings_are_read_as_an_order() -> None:
    file = read_ballots(b"2: a/5, b/0, c/5\n1: c/3>a/9\n")
    assert [(str(ranking), count) for ranking, count in file.ballots.ranking_counts()] == [
        ("a = c > b", 2),
        ("c > a", 1),
    ]
    assert [str(entry) for entry in file.changed] == [
        "2 (first: line 1): ratings read as an order",
        "1 (first: line 2): ratings beside an order ignored",
    ]


def test_cvr_reads_the_chosen_contest() -> None:
    file = read_ballots(EXAMPLES / "tree-cvr.json", contest="Garden tree")
    assert [(str(ranking), count) for ranking, count in file.ballots.ranking_counts()] == [
        ("", 1),
        ("Ash > Cherry", 1),
        ("Black Locust = Cherry", 1),
    ]
    assert file.notes == ("1 records do not have this contest",)
    assert [str(entry) for entry in file.changed] == ["1 (first: record 1): skipped ranks ignored"]
    assert read_ballots(EXAMPLES / "tree-cvr.json", contest="k1").total == 3


@pytest.mark.parametrize(
    ("contest", "why"),
    [
        (None, r"several contests; .*: 'Garden tree' \(k1\), 'Fence' \(k2\)"),
        ("Mayor", r"no contest 'Mayor'. Contests: 'Garden tree' \(k1\), 'Fence'"),
    ],
)
def test_cvr_needs_a_known_contest_if_there_are_several(contest: str | None, why: str) -> None:
    with pytest.raises(FormatError, match=why):
        read_ballots(EXAMPLES / "tree-cvr.json", contest=contest)
