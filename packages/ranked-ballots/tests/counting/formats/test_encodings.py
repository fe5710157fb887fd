"""Encodings that are read, and errors with advice for files that cannot be read."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from ranked_ballots.formats import FormatError, read_ballots

TEXT = "Zoë,Łukasz\n1,2\n"
ACCEPTED = {
    "UTF-8": TEXT.encode(),
    "UTF-8 with byte order mark": codecs.BOM_UTF8 + TEXT.encode(),
    "UTF-16 little-endian": codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
    "UTF-16 big-endian": codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    "Windows line ends": TEXT.replace("\n", "\r\n").encode(),
    "no final line feed": TEXT.rstrip("\n").encode(),
}


@pytest.mark.parametrize("data", ACCEPTED.values(), ids=ACCEPTED)
def test_encodings_are_read(data: bytes) -> None:
    file = read_ballots(data)
    assert file.ballots.candidates == ("Zoë", "Łukasz")
    assert str(file.ballots.ranking(0)) == "Zoë > Łukasz"


REJECTED = {
    "Latin-1": ("Ada,Zoë\n1,2\n".encode("latin-1"), "Line 1: byte 0xeb .* iconv"),
    "nothing": (b"", "empty"),
    "white space": (b" \n\n", "empty"),
    "NUL": (b"Ada,Ben\n1,\x002\n", "Byte 10 of the data is NUL"),
    "UTF-16 without byte order mark": (
        "Ada,Ben\n".encode("utf-16-le"),
        "without a byte order mark",
    ),
    "half of UTF-16": (codecs.BOM_UTF16_LE + b"A\x00\x00\xd8", "byte order mark of UTF-16"),
    "deep JSON": (b'{"Election":' + b"[" * 100_000, "nested|not JSON"),
    "an enormous count": (b"1" * 5_000 + b":A>B\n", "5,000 digits; the maximum is 1,000"),
    "an enormous rank": (b"A,B\n1," + b"9" * 5_000 + b"\n", "5,000 digits"),
    "a cell without end": (b'"A","B"\n1,"' + b"x" * 200_000, "invalid row"),
    "many candidates": (b",".join(b"%d x" % n for n in range(40_000)) + b"\n", "more than 32,766"),
}


@pytest.mark.parametrize(("data", "why"), REJECTED.values(), ids=REJECTED)
def test_unreadable_data_is_rejected_with_advice(data: bytes, why: str) -> None:
    with pytest.raises(FormatError, match=why):
        read_ballots(data)


def test_path_must_be_a_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="is a directory"):
        read_ballots(tmp_path)
    with pytest.raises(FormatError, match="There is no file"):
        read_ballots(str(tmp_path / "ballots.csv"))
    with pytest.raises(FormatError, match="cannot be read"):
        read_ballots("bal\0lots.csv")
