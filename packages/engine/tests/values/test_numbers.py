"""Numbers have 38 digits, one canonical text, and bytes that sort by value."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.values import (
    InvalidNumber,
    add_numbers,
    canonical_number,
    number_bytes,
    number_size,
    parse_number,
    subtract_numbers,
)
from tools.testing.cases import every


@st.composite
def numbers(draw: st.DrawFn) -> str:
    """Generate numbers that DynamoDB can store, in every way they may be written."""
    digits = draw(st.integers(0, 10**38 - 1))
    exponent = draw(st.integers(-130, 125 - len(str(digits))))
    sign = draw(st.sampled_from(["", "+", "-"]))
    zeros = "0" * draw(st.integers(0, 3))
    mark = draw(st.sampled_from("eE"))
    return f"{sign}{zeros}{digits}{mark}{exponent:+d}"


@given(numbers())
def test_canonical_number_keeps_value_and_is_idempotent(text: str) -> None:
    canonical = canonical_number(text)
    assert Decimal(canonical) == Decimal(text)
    assert canonical_number(canonical) == canonical
    assert "e" not in canonical.lower()


@given(numbers(), numbers())
def test_number_bytes_sort_by_value(first: str, second: str) -> None:
    left, right = Decimal(first), Decimal(second)
    assert (canonical_number(first) == canonical_number(second)) == (left == right)
    left_bytes, right_bytes = number_bytes(parse_number(first)), number_bytes(parse_number(second))
    assert (left_bytes < right_bytes) == (left < right)
    assert (left_bytes == right_bytes) == (left == right)


@given(st.integers(-(10**37), 10**37), st.integers(-(10**37), 10**37))
def test_sums_and_differences_are_exact(one: int, two: int) -> None:
    assert add_numbers(str(one), str(two)) == str(one + two)
    assert subtract_numbers(str(one), str(two)) == str(one - two)


@every(
    ("text", "canonical"),
    [
        ("+5", "5"),
        ("-0", "0"),
        ("+.5", "0.5"),
        ("5.", "5"),
        ("1.e5", "100000"),
        ("00042", "42"),
        ("0042.1200", "42.12"),
        ("1.23E10", "12300000000"),
        ("+1e-2", "0.01"),
        ("0e125", "0"),
        ("1E125", "1" + "0" * 125),
        ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
    ],
)
def test_canonical_number(text: str, canonical: str) -> None:
    assert canonical_number(text) == canonical


@every(
    "text",
    [
        "",
        "+",
        "-",
        ".",
        "abc",
        "1.2.3",
        " 1",
        "1 ",
        "0x10",
        "1e",
        "1e+",
        "e2",
        "NaN",
        "Infinity",
        "1_000",
        "++5",
        "1+2",
        "1e9223372036854775808",
        "٣",
    ],
)
def test_malformed_number_is_rejected_with_its_text(text: str) -> None:
    with pytest.raises(InvalidNumber) as error:
        canonical_number(text)
    assert str(error.value) == f"The parameter cannot be converted to a numeric value: {text}"


# DynamoDB limits the exponent of zero too, as it is written.
@every(
    ("text", "word"),
    [
        ("1e126", "overflow"),
        ("-1e126", "overflow"),
        ("0e126", "overflow"),
        ("1e99999999999", "overflow"),
        ("1e-131", "underflow"),
        ("0e-131", "underflow"),
        ("1e-99999999999", "underflow"),
        ("1" * 39, "38 significant digits"),
    ],
)
def test_number_out_of_range_is_rejected(text: str, word: str) -> None:
    with pytest.raises(InvalidNumber, match=word):
        canonical_number(text)


# Measured on AWS to the byte, with items just at and just above 400 KB.
@every(
    ("text", "size"),
    [
        ("0", 1),
        ("-0", 1),
        ("1", 2),
        ("12", 2),
        ("123", 3),
        ("1234", 3),
        ("12345678901234567890123456789012345678", 20),
        ("0042", 2),
        ("100", 2),
        ("1010", 3),
        ("0.0000001", 2),
        ("1E125", 2),
        ("1E-100", 2),
        ("1.5", 3),
        ("1.200", 3),
        ("1.234", 4),
        ("3.14159", 5),
        ("123456", 4),
        ("100.5", 4),
        ("0.15", 2),
        ("-42", 3),
    ],
)
def test_number_size(text: str, size: int) -> None:
    assert number_size(canonical_number(text)) == size
