"""Detection of the format of a file, and the reasons if none matches."""

from __future__ import annotations

from pathlib import Path

import pytest

from ranked_ballots.formats import FORMATS, FormatError, UnknownFormat, read_ballots

DETECTED = [
    ("#/Candidates: A;B\n", "cef"),
    ("# only votes\nAda > Ben = Cy * 3\n", "cef"),
    ("me, you || Ada > Ben\n", "cef"),
    ("3:A>B\n", "abif"),
    ('# a comment\n{title: "x"}\n=a:[Ada]\n', "abif"),
    ("ABIF 1.0\nballot_type: ordinal\n27: D > S\n", "abif"),
    ("# NUMBER ALTERNATIVES: 1\n# ALTERNATIVE NAME 1: A\n1: 1\n", "toi"),
    ('# two seats\n1 2\n3 1 0\n0\n"Ada"\n', "blt"),
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


@pytest.mark.parametrize(("text", "form"), DETECTED)
def test_format_is_detected_by_content(text: str, form: str) -> None:
    assert read_ballots(text.encode()).format == form


# A name may resemble or contain the title of a special column.
@pytest.mark.parametrize("name", ["Frank 2", "Ward", "Ms Count", "Prefect", "Rankin", "N", "Idris"])
def test_csv_name_is_not_mistaken_for_a_special_column(name: str) -> None:
    file = read_ballots(f"{name},Ben\n1,2\n".encode())
    assert file.ballots.candidates == (name, "Ben")


def test_csv_ignores_columns_about_the_ballot_and_reports_them() -> None:
    file = read_ballots(b"Ballot ID,Precinct,Ada,Ben,Weight\nx7,North,1,2,3\n")
    assert file.ballots.candidates == ("Ada", "Ben")
    assert file.ballots.cast == 3
    assert file.notes == ("columns ignored: Ballot ID, Precinct",)


# A vote with a comma could also be two cells.
def test_extension_decides_if_two_formats_match(tmp_path: Path) -> None:
    for ending in ("abif", "csv"):
        (tmp_path / f"votes.{ending}").write_text("3:A>B,C\n1:B,C>A\n")
    assert read_ballots(tmp_path / "votes.abif").total == 4
    with pytest.raises(FormatError, match="Line 2: the rank of '3:A>B' is '1:B'"):
        read_ballots(tmp_path / "votes.csv")


def test_unknown_format_has_a_reason_for_each_format() -> None:
    with pytest.raises(UnknownFormat, match="No format matches") as unknown:
        read_ballots(b"Dear all,\nplease find the ballots attached.\n"[:9])
    assert set(unknown.value.tried) == {"cvr", "rctab", "preflib", "abif", "cef", "csv", "blt"}
    assert "line 1: expected '{', found 'Dear all,'" in unknown.value.tried["cvr"]
    for why in unknown.value.tried.values():
        assert why in str(unknown.value)


def test_read_ballots_refers_to_read_rounds_for_tabulations() -> None:
    with pytest.raises(FormatError, match="read_rounds"):
        read_ballots(b'{"config": {}, "results": []}')


def test_formats_have_names_descriptions_and_extensions() -> None:
    assert all(name == form.name and form.description for name, form in FORMATS.items())
    assert all(ending == ending.lower() for form in FORMATS.values() for ending in form.extensions)
