"""Encode key values as bytes in DynamoDB's sort order.

Text and binary sort by their bytes, numbers by value.
"""

from __future__ import annotations

from binascii import a2b_base64

from dynamodb_engine.values.attributes import AttributeValue
from dynamodb_engine.values.numbers import NumberParts, number_text, parse_number

__all__ = [
    "encode_key_part",
    "escape_key",
    "key_bytes",
    "number_bytes",
    "number_from_bytes",
    "prefix_upper_bound",
    "split_key_parts",
]


def key_bytes(value: AttributeValue) -> bytes:
    """Encode a string, number or binary so that the bytes sort as DynamoDB sorts the values."""
    if "S" in value:
        return value["S"].encode()
    if "N" in value:
        return number_bytes(parse_number(value["N"]))
    return a2b_base64(value["B"])


def number_bytes(number: NumberParts) -> bytes:
    """Encode a number as bytes that sort as the numbers do."""
    sign, digits, exponent = number
    if not sign:
        return b"\x80"
    if len(digits) % 2:
        digits += "0"
    pairs = bytes([int(digits[i : i + 2]) + 1 for i in range(0, len(digits), 2)])
    magnitude = (exponent + 1000).to_bytes(2, "big") + pairs
    if sign > 0:
        return b"\xc0" + magnitude
    # Larger magnitudes sort first below zero; the last byte makes -1.5 follow -1.55.
    return b"\x40" + bytes([255 - byte for byte in magnitude]) + b"\xff"


def number_from_bytes(key: bytes) -> str:
    """Return the number that `number_bytes` encoded. Raise ValueError if the bytes are damaged."""
    if key == b"\x80":
        return "0"
    sign, magnitude = "", key[1:]
    if key[:1] == b"\x40":
        sign, magnitude = "-", bytes(255 - byte for byte in key[1:-1])
    digits = "".join(f"{pair - 1:02}" for pair in magnitude[2:])
    number = parse_number(f"{sign}0.{digits}e{int.from_bytes(magnitude[:2], 'big') - 1000}")
    if number_bytes(number) != key:
        raise ValueError("The bytes are not those of a number.")
    return number_text(number)


def encode_key_part(key: bytes) -> bytes:
    """Terminate the bytes, so that concatenated parts sort as the tuple of the parts does.

    A part ends in 00 00, and a zero inside it becomes 00 FF; so no part is a prefix of another.
    """
    return escape_key(key) + b"\x00\x00"


def split_key_parts(key: bytes) -> list[bytes]:
    """Return the parts that `encode_key_part` terminated."""
    *parts, _ = key.split(b"\x00\x00")
    return [part.replace(b"\x00\xff", b"\x00") for part in parts]


def escape_key(key: bytes) -> bytes:
    """Escape the bytes without terminating them: the lower bound of a prefix query."""
    return key.replace(b"\x00", b"\x00\xff")


def prefix_upper_bound(prefix: bytes) -> bytes | None:
    """Return the smallest bytes above everything that starts with `prefix`, or None."""
    stripped = prefix.rstrip(b"\xff")
    if not stripped:
        return None
    return stripped[:-1] + bytes([stripped[-1] + 1])
