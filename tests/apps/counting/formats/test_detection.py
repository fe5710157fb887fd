"""A file's format is found out, or the reader is told why no format fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable_apps.counting.formats import FORMATS, FormatError, UnknownFormat, read_ballots

FOUND = [
    ("#/Candidates: A;B\n", "cef"),
    ("# only votes\nAda > Ben = Cy * 3\n", "cef"),
    ("me, you || Ada > Ben\n", "cef"),
    ("3:A>B\n", "abif"),
    ('# a comment\n{title: "x"}\n=a:[Ada]\n', "abif"),
    ("ABIF 1.0\nballot_type: ordinal\n27: D > S\n", "abif"),
    ("# NUMBER ALTERNATIVES: 1\n# ALTERNATIVE NAME 1: A\n1: 1\n", "toi"),
    ("Ada,Ben\n1,2\n", "csv"),
    ("Ada;Ben, Jr\n1;2\n", "csv"),
    ("Ada\tBen\n1\t2\n", "csv"),
    ("rank_1,rank_2\nAda,Ben\n", "csv-ranks"),
    ("1st choice,2nd choice\nAda,Ben\n", "csv-ranks"),
    ("First,Second\nAda,Ben\n", "csv-ranks"),
    (
        "Ballot ID,DEM Mayor Choice 1 of 2 (0123),DEM Mayor Choice 2 of 2 (0123)\n7,Ada,Ben\n",
        "csv-ranks",
    ),
]


@pytest.mark.parametrize(("text", "form"), FOUND)
def test_a_format_is_known_by_its_content(text: str, form: str) -> None:
    assert read_ballots(text.encode()).format == form


# A name may look like the title of a column, or hold one.
@pytest.mark.parametrize("name", ["Frank 2", "Ward", "Ms Count", "Prefect", "Rankin", "N", "Idris"])
def test_a_candidate_is_not_taken_for_a_column(name: str) -> None:
    reading = read_ballots(f"{name},Ben\n1,2\n".encode())
    assert reading.ballots.candidates == (name, "Ben")


def test_columns_about_the_ballot_are_left_out_and_named() -> None:
    reading = read_ballots(b"Ballot ID,Precinct,Ada,Ben,Weight\nx7,North,1,2,3\n")
    assert reading.ballots.candidates == ("Ada", "Ben")
    assert reading.ballots.cast == 3
    assert reading.notes == ("columns left out: Ballot ID, Precinct",)


# A vote with a comma is also two cells; whoever named the file knew.
def test_the_end_of_the_name_decides_where_two_formats_fit(tmp_path: Path) -> None:
    for ending in ("abif", "csv"):
        (tmp_path / f"votes.{ending}").write_text("3:A>B,C\n1:B,C>A\n")
    assert read_ballots(tmp_path / "votes.abif").read == 4
    with pytest.raises(FormatError, match="Line 2: the rank of '3:A>B' is '1:B'"):
        read_ballots(tmp_path / "votes.csv")


def test_where_nothing_fits_each_format_says_why() -> None:
    with pytest.raises(UnknownFormat, match="No format fits") as unknown:
        read_ballots(b"Dear all,\nplease find the ballots attached.\n"[:9])
    assert set(unknown.value.tried) == {"cvr", "rctab", "preflib", "abif", "cef", "csv"}
    assert "line 1: JSON begins with '{', and 'Dear all,' came" in unknown.value.tried["cvr"]
    for why in unknown.value.tried.values():
        assert why in str(unknown.value)


def test_a_tabulation_is_no_ballots() -> None:
    with pytest.raises(FormatError, match=r"from which no ballots can be made.*read_rounds"):
        read_ballots(b'{"config": {}, "results": []}')


def test_the_table_names_each_format_once() -> None:
    assert all(name == form.name and form.description for name, form in FORMATS.items())
    assert all(ending == ending.lower() for form in FORMATS.values() for ending in form.extensions)
