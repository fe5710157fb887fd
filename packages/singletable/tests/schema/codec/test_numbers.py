"""Numbers: notations, conversions, and numbers that DynamoDB cannot store."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.values import AttributeValue
from singletable import InvalidValue, ItemMismatch
from singletable.schema.codec import StoredField, codec_of, compile_codec
from tests.schema.codec.strategies import Right


def _both(kind: Any) -> list[Callable[[object], AttributeValue]]:
    """Return the encoders of the slow path and of the generated code."""
    compiled = compile_codec("Thing", [StoredField("it", "it", codec_of(kind))], frozenset())

    def encode(value: object) -> AttributeValue:
        return compiled.encode({"it": value})["it"]

    return [codec_of(kind).encode, encode]


# Other programs, and DynamoDB's own arithmetic, write integers in other ways.
@pytest.mark.parametrize(("text", "number"), [("5.0", 5), ("1E2", 100), ("-0", 0), ("+7", 7)])
def test_integer_is_read_from_any_notation(text: str, number: int) -> None:
    compiled = compile_codec("Thing", [StoredField("it", "it", codec_of(int))], frozenset())
    for read in (codec_of(int).decode({"N": text}), compiled.decode({"it": {"N": text}})["it"]):
        assert read == number
        assert type(read) is int


def test_fraction_is_not_an_integer() -> None:
    with pytest.raises(ItemMismatch, match=r"expected an integer \(N\)"):
        codec_of(int).decode({"N": "1.5"})


@pytest.mark.parametrize("value", ["5", True, 5.0, Decimal(5), None])
def test_int_field_accepts_only_int(value: object) -> None:
    for encode in _both(int):
        with pytest.raises(InvalidValue, match=r"expected an integer \(int\), but got"):
            encode(value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (int, 10**38 + 1),
        (int, -(10**126)),
        pytest.param(int, 10**5000, id="thousands of digits"),
        (Decimal, Decimal("NaN")),
        (Decimal, Decimal("sNaN")),
        (Decimal, Decimal("Infinity")),
        (Decimal, Decimal("1." + "1" * 38)),
        (Decimal, Decimal("1E-131")),
        (Decimal, Decimal("1E126")),
        (Decimal, 10**126),
        (float, float("nan")),
        (float, float("-inf")),
        (float, 1e300),
        (float, 5e-324),
    ],
)
def test_number_that_dynamodb_cannot_store_is_rejected(kind: Any, value: Any) -> None:
    for encode in _both(kind):
        with pytest.raises(InvalidValue, match=r"that DynamoDB can store, but got .* 38 digits"):
            encode(value)


@given(st.integers(-(2**53), 2**53))
def test_int_is_accepted_for_float_and_decimal(number: int) -> None:
    for kind in (float, Decimal):
        for encode in _both(kind):
            assert codec_of(kind).decode(encode(number)) == number


# The nearest float would be another number.
def test_int_that_equals_no_float_is_rejected_for_float() -> None:
    for number in (2**53 + 1, 10**400):
        for encode in _both(float):
            with pytest.raises(InvalidValue, match="No float equals this integer exactly"):
                encode(number)


# An IntFlag keeps bits that have no name.
def test_flag_that_dynamodb_cannot_store_is_rejected() -> None:
    for encode in _both(Right):
        assert encode(Right.READ | Right.WRITE) == {"N": "3"}
        with pytest.raises(InvalidValue, match="that DynamoDB can store"):
            encode(Right(2**130))


def test_float_is_stored_as_its_shortest_text() -> None:
    for encode in _both(float):
        assert encode(0.1) == {"N": "0.1"}
        assert encode(1e22) == {"N": "10000000000000000000000"}


def test_float_for_decimal_is_rejected_with_the_decimal_to_write() -> None:
    with pytest.raises(InvalidValue, match=r'Write Decimal\("0.1"\), which is exact'):
        codec_of(Decimal).encode(0.1)
