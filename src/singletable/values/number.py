"""Numbers as DynamoDB keeps them: 38 digits, one canonical text each.

A number is `sign × 0.DIGITS × 10^exponent`, with no zero at either end of DIGITS; zero has no
digits. In that form equal numbers are equal tuples, and the order of the parts is the order of the
numbers.
"""

from __future__ import annotations

import re
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import NamedTuple

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


class NotANumber(ValueError):
    """The text is no number that DynamoDB can keep; the message is DynamoDB's."""


class Number(NamedTuple):
    """A number in parts; see the top of the file."""

    sign: int
    digits: str
    exponent: int


ZERO = Number(0, "", 0)


def parse_number(text: str) -> Number:
    """The number that `text` writes; NotANumber if it is none, or out of DynamoDB's range."""
    match = _SYNTAX.fullmatch(text)
    if match is None or not (match[2] or match[3]):
        raise NotANumber(f"{NOT_NUMERIC}: {text}")
    whole, fraction = match[2], match[3] or ""
    power = _power(match[4], text)
    digits = (whole + fraction).lstrip("0")
    # Zero is held to the range as well, by the exponent it is written with.
    exponent = len(digits) - len(fraction) + power if digits else power + 1
    digits = digits.rstrip("0")
    if exponent > LARGEST_EXPONENT:
        raise NotANumber(OVERFLOW)
    if exponent < SMALLEST_EXPONENT:
        raise NotANumber(UNDERFLOW)
    if len(digits) > MAX_DIGITS:
        raise NotANumber(TOO_MANY_DIGITS)
    if not digits:
        return ZERO
    return Number(-1 if match[1] == "-" else 1, digits, exponent)


def _power(written: str | None, text: str) -> int:
    """The written exponent; DynamoDB reads no more than 64 bits of it."""
    if not written:
        return 0
    magnitude = written.lstrip("+-").lstrip("0") or "0"
    power = -int(magnitude[:20]) if written.startswith("-") else int(magnitude[:20])
    if len(magnitude) > 19 or not -(2**63) <= power < 2**63:
        raise NotANumber(f"{NOT_NUMERIC}: {text}")
    return power


def is_short_integer(text: str) -> bool:
    """Whether the text is a positive whole number in canonical form: what most numbers are."""
    return text.isdigit() and text.isascii() and text[0] != "0" and len(text) <= MAX_DIGITS


def integer_size(text: str) -> int:
    """How many bytes DynamoDB counts for a positive whole number in canonical text."""
    return 1 + (len(text.rstrip("0")) + 1) // 2


def canonical_number(text: str) -> str:
    """The one text that DynamoDB gives back for the number: no exponent, no superfluous zero."""
    if _CANONICAL_INTEGER.fullmatch(text):
        return text
    return number_text(parse_number(text))


def number_text(number: Number) -> str:
    """The canonical text of a number."""
    sign, digits, exponent = number
    if not sign:
        return "0"
    minus = "-" if sign < 0 else ""
    if exponent <= 0:
        return f"{minus}0.{'0' * -exponent}{digits}"
    if exponent >= len(digits):
        return minus + digits + "0" * (exponent - len(digits))
    return f"{minus}{digits[:exponent]}.{digits[exponent:]}"


def number_bytes(number: Number) -> bytes:
    """Bytes that sort as the numbers do."""
    sign, digits, exponent = number
    if not sign:
        return b"\x80"
    if len(digits) % 2:
        digits += "0"
    pairs = bytes([int(digits[i : i + 2]) + 1 for i in range(0, len(digits), 2)])
    magnitude = (exponent + 1000).to_bytes(2, "big") + pairs
    if sign > 0:
        return b"\xc0" + magnitude
    # Larger magnitudes come first below zero; the last byte lets -1.5 follow -1.55.
    return b"\x40" + bytes([255 - byte for byte in magnitude]) + b"\xff"


def number_size(text: str) -> int:
    """How many bytes DynamoDB counts for a number in canonical text.

    One, and one for every two significant digits before the point and after it, each rounded up;
    one more below zero. Zeros at either end of the whole number are not significant.
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
    """The canonical sum; NotANumber if DynamoDB could not keep it."""
    return canonical_number(str(EXACT.add(Decimal(left), Decimal(right))))


def subtract_numbers(left: str, right: str) -> str:
    """The canonical difference; NotANumber if DynamoDB could not keep it."""
    return canonical_number(str(EXACT.subtract(Decimal(left), Decimal(right))))
