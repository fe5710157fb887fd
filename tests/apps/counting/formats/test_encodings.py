"""Files come in the encodings that programs write; what cannot be read is refused with advice."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from singletable_apps.counting.formats import FormatError, read_ballots

TEXT = "Zoë,Łukasz\n1,2\n"
ACCEPTED = {
    "UTF-8": TEXT.encode(),
    "UTF-8 with a mark": codecs.BOM_UTF8 + TEXT.encode(),
    "UTF-16, little end first": codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
    "UTF-16, big end first": codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    "lines of Windows": TEXT.replace("\n", "\r\n").encode(),
    "no end of the last line": TEXT.rstrip("\n").encode(),
}


@pytest.mark.parametrize("data", ACCEPTED.values(), ids=ACCEPTED)
def test_an_encoding_is_read(data: bytes) -> None:
    reading = read_ballots(data)
    assert reading.ballots.candidates == ("Zoë", "Łukasz")
    assert str(reading.ballots.ranking(0)) == "Zoë > Łukasz"


REFUSED = {
    "Latin-1": ("Ada,Zoë\n1,2\n".encode("latin-1"), "Line 1: byte 0xeb is no UTF-8 .* iconv"),
    "nothing": (b"", "nothing in these bytes"),
    "white space": (b" \n\n", "nothing in these bytes"),
    "NUL": (b"Ada,Ben\n1,\x002\n", "Byte 10 of these bytes is NUL"),
    "UTF-16 without a mark": (
        "Ada,Ben\n".encode("utf-16-le"),
        "without its byte order mark",
    ),
    "half of UTF-16": (codecs.BOM_UTF16_LE + b"A\x00\x00\xd8", "begins as UTF-16 does and is not"),
    "deep JSON": (b'{"Election":' + b"[" * 100_000, "nested deeper|not JSON"),
    "an enormous count": (b"1" * 5_000 + b":A>B\n", "5,000 digits; 1,000 are the most"),
    "an enormous rank": (b"A,B\n1," + b"9" * 5_000 + b"\n", "5,000 digits"),
    "a cell without end": (b'"A","B"\n1,"' + b"x" * 200_000, "no row of cells"),
    "many candidates": (b",".join(b"%d x" % n for n in range(40_000)) + b"\n", "more than 32,766"),
}


@pytest.mark.parametrize(("data", "why"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_is_refused_with_advice(data: bytes, why: str) -> None:
    with pytest.raises(FormatError, match=why):
        read_ballots(data)


def test_a_path_that_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="is a directory; name a file in it"):
        read_ballots(tmp_path)
    with pytest.raises(FormatError, match="There is no file"):
        read_ballots(str(tmp_path / "ballots.csv"))
    with pytest.raises(FormatError, match="cannot be read"):
        read_ballots("bal\0lots.csv")
