"""A code survives being read aloud and typed, and a slip is refused in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.elections.proofs import InvalidCode, format_code, parse_code
from singletable_apps.elections.proofs.encoding import encode_code

CODE = encode_code(bytes(range(32)).hex())


@given(st.binary(min_size=32, max_size=32))
def test_a_code_is_found_again_in_what_people_type(digest: bytes) -> None:
    code = encode_code(digest.hex())
    assert len(code) == 52
    for typed in (
        code,
        format_code(code),
        format_code(code).upper().replace("-", " "),
        f" {code}\n",
    ):
        assert parse_code(typed) == code


def test_a_readable_code_has_groups_of_four() -> None:
    assert format_code(CODE) == "aaaq-eaye-auda-ocaj-bifq-ydio-b4ib-ceqt-cqkr-mfyy-denb-wha5-dypq"


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "this one has 0"),
        (CODE[:-1], "this one has 51"),
        (CODE + "a", "this one has 53"),
        ("0" + CODE[1:], "'0' is in no code"),
        ("\u212a" + CODE[1:], "is in no code"),  # the Kelvin sign, whose small letter is k
        (CODE[:-1] + "b", "ends in a or q"),
    ],
)
def test_a_slip_is_refused_in_words(typed: str, why: str) -> None:
    with pytest.raises(InvalidCode, match=why):
        parse_code(typed)
