"""Key bytes: they sort as DynamoDB sorts, alone and as parts of a longer key."""

from __future__ import annotations

from base64 import b64encode

from hypothesis import given
from hypothesis import strategies as st

from singletable.values import AttributeValue, after_prefix, escaped, key_bytes, part

# Zeros and 0xFF are where encodings go wrong, so they come often.
keys = st.lists(st.sampled_from([b"\x00", b"\xff", b"\x01", b"a", b"b"]), max_size=6).map(b"".join)


@given(st.text(), st.text())
def test_texts_sort_by_their_utf8_bytes(one: str, two: str) -> None:
    left: AttributeValue = {"S": one}
    right: AttributeValue = {"S": two}
    assert (key_bytes(left) < key_bytes(right)) == (one.encode() < two.encode())


@given(st.binary(), st.binary())
def test_binary_sorts_by_unsigned_bytes(one: bytes, two: bytes) -> None:
    left: AttributeValue = {"B": b64encode(one).decode()}
    right: AttributeValue = {"B": b64encode(two).decode()}
    assert (key_bytes(left) < key_bytes(right)) == (one < two)


@given(st.lists(keys, min_size=2, max_size=2), st.lists(keys, min_size=2, max_size=2))
def test_parts_sort_as_the_tuple_of_their_keys(one: list[bytes], two: list[bytes]) -> None:
    left, right = b"".join(map(part, one)), b"".join(map(part, two))
    assert (left < right) == (one < two)
    assert (left == right) == (one == two)


@given(keys, keys)
def test_a_part_begins_with_an_escaped_prefix_exactly_if_the_key_does(
    key: bytes, start: bytes
) -> None:
    assert part(key).startswith(escaped(start)) == key.startswith(start)


@given(keys, keys)
def test_after_prefix_is_above_all_that_begins_with_it_and_nothing_else(
    prefix: bytes, key: bytes
) -> None:
    bound = after_prefix(prefix)
    inside = prefix <= key and (bound is None or key < bound)
    assert inside == key.startswith(prefix)
