"""Key bytes sort as DynamoDB sorts, alone and as parts of a longer key."""

from __future__ import annotations

from base64 import b64encode

from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.values import (
    AttributeValue,
    canonical_number,
    encode_key_part,
    escape_key,
    key_bytes,
    number_bytes,
    number_from_bytes,
    parse_number,
    prefix_upper_bound,
    split_key_parts,
)

# Generate 0x00 and 0xFF often: these are where encodings go wrong.
keys = st.lists(st.sampled_from([b"\x00", b"\xff", b"\x01", b"a", b"b"]), max_size=6).map(b"".join)


@given(st.text(), st.text())
def test_strings_sort_by_utf8_bytes(one: str, two: str) -> None:
    left: AttributeValue = {"S": one}
    right: AttributeValue = {"S": two}
    assert (key_bytes(left) < key_bytes(right)) == (one.encode() < two.encode())


@given(st.binary(), st.binary())
def test_binary_sorts_by_unsigned_bytes(one: bytes, two: bytes) -> None:
    left: AttributeValue = {"B": b64encode(one).decode()}
    right: AttributeValue = {"B": b64encode(two).decode()}
    assert (key_bytes(left) < key_bytes(right)) == (one < two)


@given(st.lists(keys, min_size=2, max_size=2), st.lists(keys, min_size=2, max_size=2))
def test_concatenated_key_parts_sort_as_tuples(one: list[bytes], two: list[bytes]) -> None:
    left, right = b"".join(map(encode_key_part, one)), b"".join(map(encode_key_part, two))
    assert (left < right) == (one < two)
    assert (left == right) == (one == two)


@given(st.lists(keys))
def test_concatenated_key_parts_are_split_again(parts: list[bytes]) -> None:
    assert split_key_parts(b"".join(map(encode_key_part, parts))) == parts


@given(st.integers(-(10**38) + 1, 10**38 - 1), st.integers(-120, 80))
def test_number_is_decoded_from_its_bytes(number: int, exponent: int) -> None:
    text = canonical_number(f"{number}e{exponent}")
    assert number_from_bytes(key_bytes({"N": text})) == text


@given(st.binary(max_size=60) | keys.map(lambda key: b"\xc0\x03\xe9" + key))
def test_damaged_bytes_are_decoded_as_no_other_number(key: bytes) -> None:
    try:
        text = number_from_bytes(key)
    except ValueError:
        return
    assert number_bytes(parse_number(text)) == key


@given(keys, keys)
def test_key_part_starts_with_escaped_prefix_if_and_only_if_key_does(
    key: bytes, start: bytes
) -> None:
    assert encode_key_part(key).startswith(escape_key(start)) == key.startswith(start)


@given(keys, keys)
def test_prefix_upper_bound_is_above_exactly_the_keys_with_the_prefix(
    prefix: bytes, key: bytes
) -> None:
    bound = prefix_upper_bound(prefix)
    inside = prefix <= key and (bound is None or key < bound)
    assert inside == key.startswith(prefix)
