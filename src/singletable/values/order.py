"""Key values as bytes that sort as DynamoDB sorts: text and binary by bytes, numbers by value."""

from __future__ import annotations

from binascii import a2b_base64

from singletable.values.attribute import AttributeValue
from singletable.values.number import number_bytes, parse_number


def key_bytes(value: AttributeValue) -> bytes:
    """The sorting bytes of a string, number or binary."""
    if "S" in value:
        return value["S"].encode()
    if "N" in value:
        return number_bytes(parse_number(value["N"]))
    return a2b_base64(value["B"])


def part(key: bytes) -> bytes:
    """The bytes as one part of a longer key: closed, so that tuples of parts sort as tuples.

    A part ends in 00 00 and a zero inside it becomes 00 FF, so no part is a prefix of another.
    """
    return escaped(key) + b"\x00\x00"


def escaped(key: bytes) -> bytes:
    """The bytes as the beginning of a part, still open: what a prefix query looks for."""
    return key.replace(b"\x00", b"\x00\xff")


def after_prefix(prefix: bytes) -> bytes | None:
    """The smallest bytes above everything that begins with `prefix`; None if there is no bound."""
    stripped = prefix.rstrip(b"\xff")
    if not stripped:
        return None
    return stripped[:-1] + bytes([stripped[-1] + 1])
