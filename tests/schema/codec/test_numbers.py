"""Numbers: what is the same number, and what DynamoDB cannot hold."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import InvalidValue, ItemMismatch
from singletable.schema.codec import StoredField, codec_of, compile_codec
from singletable.values import AttributeValue
from tests.schema.codec.values import Right


def _both(kind: Any) -> list[Callable[[object], AttributeValue]]:
    """The codec, and the compiled one of an item that has one field: how each encodes."""
    compiled = compile_codec("Thing", [StoredField("it", "it", codec_of(kind))], frozenset())

    def encode(value: object) -> AttributeValue:
        return compiled.encode({"it": value})["it"]

    return [codec_of(kind).encode, encode]


# Other writers, and DynamoDB's own arithmetic, write whole numbers in other ways.
@pytest.mark.parametrize(("text", "number"), [("5.0", 5), ("1E2", 100), ("-0", 0), ("+7", 7)])
def test_a_whole_number_is_read_however_it_is_written(text: str, number: int) -> None:
    compiled = compile_codec("Thing", [StoredField("it", "it", codec_of(int))], frozenset())
    for read in (codec_of(int).decode({"N": text}), compiled.decode({"it": {"N": text}})["it"]):
        assert read == number
        assert type(read) is int


def test_a_fraction_is_no_whole_number() -> None:
    with pytest.raises(ItemMismatch, match=r"expected a whole number \(N\)"):
        codec_of(int).decode({"N": "1.5"})


@pytest.mark.parametrize("value", ["5", True, 5.0, Decimal(5), None])
def test_an_int_is_given_as_an_int(value: object) -> None:
    for encode in _both(int):
        with pytest.raises(InvalidValue, match=r"expected a whole number \(int\), but got"):
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
def test_what_dynamodb_cannot_hold_is_refused(kind: Any, value: Any) -> None:
    for encode in _both(kind):
        with pytest.raises(InvalidValue, match=r"that DynamoDB can hold, but got .* 38 digits"):
            encode(value)


@given(st.integers(-(2**53), 2**53))
def test_a_whole_number_may_be_given_for_a_float_or_a_decimal(number: int) -> None:
    for kind in (float, Decimal):
        for encode in _both(kind):
            assert codec_of(kind).decode(encode(number)) == number


# Neither the float's nearest number nor an error at reading would be what was given.
def test_a_whole_number_that_no_float_is_cannot_be_given_for_one() -> None:
    for number in (2**53 + 1, 10**400):
        for encode in _both(float):
            with pytest.raises(InvalidValue, match="No float is exactly this number"):
                encode(number)


# An IntFlag keeps bits that it has no name for.
def test_flags_that_dynamodb_cannot_hold_are_refused() -> None:
    for encode in _both(Right):
        assert encode(Right.READ | Right.WRITE) == {"N": "3"}
        with pytest.raises(InvalidValue, match="that DynamoDB can hold"):
            encode(Right(2**130))


def test_a_float_is_held_as_its_shortest_text() -> None:
    for encode in _both(float):
        assert encode(0.1) == {"N": "0.1"}
        assert encode(1e22) == {"N": "10000000000000000000000"}


def test_a_float_for_a_decimal_is_refused_with_the_decimal_to_write() -> None:
    with pytest.raises(InvalidValue, match=r'Write Decimal\("0.1"\), which is exact'):
        codec_of(Decimal).encode(0.1)
