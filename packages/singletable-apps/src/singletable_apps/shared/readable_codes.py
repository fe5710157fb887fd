"""Codes that people read and type: Crockford's base 32, in which no digit looks like another."""

from __future__ import annotations

import unicodedata

DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LOOKALIKES = str.maketrans("ILO", "110")
_MAX_INPUT = 100


def clean_code(typed: str) -> str:
    """Return the letters and digits of what was typed, in upper case, with lookalikes fixed."""
    text = unicodedata.normalize("NFKC", typed[:_MAX_INPUT]).upper()
    return "".join(filter(str.isalnum, text)).translate(_LOOKALIKES)


def encode_bytes(data: bytes, digits: int) -> str:
    """Return the highest digits of the data as a number in base 32."""
    return encode_number(int.from_bytes(data, "big") >> max(0, len(data) * 8 - digits * 5), digits)


def encode_number(number: int, digits: int) -> str:
    """Return the lowest digits of a number in base 32."""
    text = ""
    for _ in range(digits):
        number, digit = divmod(number, 32)
        text = DIGITS[digit] + text
    return text


def decode_number(text: str) -> int | None:
    """Return the number that digits of base 32 stand for, or None if some are not digits."""
    number = 0
    for digit in text:
        if digit not in DIGITS:
            return None
        number = number * 32 + DIGITS.index(digit)
    return number
