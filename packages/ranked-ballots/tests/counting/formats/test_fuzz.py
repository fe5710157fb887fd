"""Arbitrary bytes: they are read with every ballot accounted for, or FormatError is raised."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ranked_ballots.formats import (
    FORMATS,
    BallotRules,
    FormatError,
    read_ballots,
    read_rounds,
)

EXAMPLES = sorted((Path(__file__).parents[2] / "data" / "ballots").iterdir())
SCRAPS = [
    *(b"\n", b"\r", b"\xef\xbb\xbf", b"\xff\xfe", b"\0", b"\xe9", b'"', b"{", b"}", b"[", b"]"),
    *(b">", b"=", b",", b";", b":", b"#", b"#/", b"*", b"^", b"||", b"/EMPTY/", b"-1", b"1e400"),
    *(b"9" * 30, b"9" * 5000, b"null", b"true", b"rank 1", b"count", b"overvote", b" ", b"\t"),
]
RULES = [
    BallotRules(),
    BallotRules("skip", "exhaust", 0, "refuse", "|", "leave out"),
    BallotRules("refuse", "refuse", 1, "refuse"),
]


@st.composite
def damaged_files(draw: st.DrawFn) -> bytes:
    """Return a valid file with a few places overwritten, cut or doubled."""
    data = draw(st.sampled_from(EXAMPLES)).read_bytes()
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        end = start + draw(st.integers(0, 20))
        scrap = draw(st.sampled_from(SCRAPS) | st.binary(max_size=4))
        data = data[:start] + scrap + data[draw(st.sampled_from([start, end])) :]
    return data


@pytest.mark.rest
@settings(max_examples=24 * settings().max_examples, deadline=None)
@given(
    data=damaged_files() | st.binary(max_size=60),
    form=st.sampled_from([None, None, "preflib", *FORMATS]),
    rules=st.sampled_from(RULES),
)
def test_read_ballots_raises_only_format_errors(
    data: bytes, form: str | None, rules: BallotRules
) -> None:
    check(data, form, rules, "k1" if b"k1" in data else None)


def check(
    data: bytes, form: str | None, rules: BallotRules | None, contest: str | None = None
) -> None:
    """Read the data; any error but FormatError fails the test."""
    try:
        file = read_ballots(data, form, rules=rules, contest=contest)
    except FormatError:
        return
    rejected = sum(entry.ballots for entry in file.rejected)
    assert file.total == file.ballots.cast + rejected
    assert file.summary()


@settings(max_examples=8 * settings().max_examples, deadline=None)
@given(data=damaged_files() | st.binary(max_size=60))
def test_read_rounds_raises_only_format_errors(data: bytes) -> None:
    with suppress(FormatError):
        assert read_rounds(data).rounds is not None


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_truncated_files_raise_only_format_errors(path: Path) -> None:
    data = path.read_bytes()
    for end in range(1, len(data), 7):
        check(data[:end], None, None)
