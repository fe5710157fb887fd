"""One secret makes keys that are of no use for each other, and seals that cannot be mistaken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.shared.accounts.tokens import derive_key, mac

SECRET = b"s" * 32

texts = st.lists(st.text(max_size=4), max_size=3)


# A short secret can be tried out by whoever holds one token.
def test_a_short_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 32 bytes, and this one has 31"):
        derive_key(b"s" * 31, "sessions")


def test_each_purpose_has_a_key_of_its_own() -> None:
    assert derive_key(SECRET, "sessions") != derive_key(SECRET, "resets")
    assert derive_key(SECRET, "sessions") != derive_key(b"t" * 32, "sessions")


# ("a", "bc") and ("ab", "c") are two accounts: a seal for one must not be one for the other.
@given(texts, texts)
def test_only_the_same_parts_have_the_same_seal(one: list[str], other: list[str]) -> None:
    assert (mac(SECRET, *one) == mac(SECRET, *other)) == (one == other)


def test_where_parts_end_is_part_of_the_seal() -> None:
    assert mac(SECRET, "a", "bc") != mac(SECRET, "ab", "c")
    assert mac(SECRET, "a", "") != mac(SECRET, "a")


def test_a_seal_is_made_of_anything_that_json_can_bring() -> None:
    assert len(mac(SECRET, "\ud800", "\0")) == 43
