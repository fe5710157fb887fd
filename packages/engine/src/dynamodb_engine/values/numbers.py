"""DynamoDB's numbers: 38 digits, each with one canonical text.

A number is `sign × 0.DIGITS × 10^exponent`, without leading or trailing zeros in DIGITS; zero has
no digits. In this form equal numbers are equal tuples, and the tuples sort as the numbers do.
"""

from __future__ import annotations

import re
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import NamedTuple

__all__ = [
    "InvalidNumber",
    "NumberParts",
    "add_numbers",
    "canonical_number",
    "number_size",
    "number_text",
    "parse_number",
    "subtract_numbers",
]

# Long enough to add or subtract any two numbers exactly: exponents span 255 places.
EXACT = Context(prec=400, Emax=MAX_EMAX, Emin=MIN_EMIN)

MAX_DIGITS = 38
LARGEST_EXPONENT = 126
SMALLEST_EXPONENT = -129

NOT_NUMERIC = "The parameter cannot be converted to a numeric value"
OVERFLOW = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)
UNDERFLOW = (
    "Number underflow. Attempting to store a number with magnitude smaller than supported range"
)
TOO_MANY_DIGITS = "Attempting to store more than 38 significant digits in a Number"

_SYNTAX = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?", re.ASCII)
_CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,37}", re.ASCII)
# At most MAX_DIGITS characters, so the digits and the exponent are in range.
_CANONICAL_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]*[1-9]", re.ASCII)


class InvalidNumber(ValueError):
    """The text is not a number that DynamoDB can store; the message is DynamoDB's."""


class NumberParts(NamedTuple):
    """A number in its parts, as described at the top of this file."""

    sign: int
    digits: str
    exponent: int


ZERO = NumberParts(0, "", 0)


def parse_number(text: str) -> NumberParts:
    """Parse a number. Raise InvalidNumber if it is malformed or out of DynamoDB's range."""
    match = _SYNTAX.fullmatch(text)
    if match is None or not (match[2] or match[3]):
        raise InvalidNumber(f"{NOT_NUMERIC}: {text}")
    whole, fraction = match[2], match[3] or ""
    power = _parse_exponent(match[4], text)
    digits = (whole + fraction).lstrip("0")
    # DynamoDB checks the range of zero too, by the exponent it is written with.
    exponent = len(digits) - len(fraction) + power if digits else power + 1
    digits = digits.rstrip("0")
    if exponent > LARGEST_EXPONENT:
        raise InvalidNumber(OVERFLOW)
    if exponent < SMALLEST_EXPONENT:
        raise InvalidNumber(UNDERFLOW)
    if len(digits) > MAX_DIGITS:
        raise InvalidNumber(TOO_MANY_DIGITS)
    if not digits:
        return ZERO
    return NumberParts(-1 if match[1] == "-" else 1, digits, exponent)


def _parse_exponent(written: str | None, text: str) -> int:
    """Parse the exponent, which DynamoDB limits to 64 bits."""
    if not written:
        return 0
    magnitude = written.lstrip("+-").lstrip("0") or "0"
    power = -int(magnitude[:20]) if written.startswith("-") else int(magnitude[:20])
    if len(magnitude) > 19 or not -(2**63) <= power < 2**63:
        raise InvalidNumber(f"{NOT_NUMERIC}: {text}")
    return power


def is_short_integer(text: str) -> bool:
    """Return whether the text is an integer in canonical form and not negative, as most are."""
    if not text.isdigit() or not text.isascii() or len(text) > MAX_DIGITS:
        return False
    return text[0] != "0" or text == "0"


def integer_size(text: str) -> int:
    """Return the size in bytes that DynamoDB counts for such an integer."""
    return 1 + (len(text.rstrip("0")) + 1) // 2


def canonical_number(text: str) -> str:
    """Return the text that DynamoDB returns for the number: no exponent, no redundant zeros."""
    if _CANONICAL_INTEGER.fullmatch(text):
        return text
    if len(text) <= MAX_DIGITS and _CANONICAL_DECIMAL.fullmatch(text):
        return text
    return number_text(parse_number(text))


def number_text(number: NumberParts) -> str:
    """Format a number as its canonical text."""
    sign, digits, exponent = number
    if not sign:
        return "0"
    minus = "-" if sign < 0 else ""
    if exponent <= 0:
        return f"{minus}0.{'0' * -exponent}{digits}"
    if exponent >= len(digits):
        return minus + digits + "0" * (exponent - len(digits))
    return f"{minus}{digits[:exponent]}.{digits[exponent:]}"


def number_size(text: str) -> int:
    """Return the size in bytes that DynamoDB counts for a number in canonical form.

    One byte, plus one for every two significant digits before and after the point, each rounded
    up, plus one for a negative number. Leading and trailing zeros are not significant.
    """
    negative = text.startswith("-")
    whole, _, fraction = text.removeprefix("-").partition(".")
    if fraction:
        whole = whole.lstrip("0")
        if not whole:
            fraction = fraction.lstrip("0")
    else:
        whole = whole.strip("0")
    return 1 + (len(whole) + 1) // 2 + (len(fraction) + 1) // 2 + negative


def add_numbers(left: str, right: str) -> str:
    """Add two numbers. Raise InvalidNumber if DynamoDB could not store the sum."""
    return canonical_number(str(EXACT.add(Decimal(left), Decimal(right))))


def subtract_numbers(left: str, right: str) -> str:
    """Subtract two numbers. Raise InvalidNumber if DynamoDB could not store the difference."""
    return canonical_number(str(EXACT.subtract(Decimal(left), Decimal(right))))
