"""Keys derived from one secret, and the HMAC of several parts."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from singletable_apps.shared.accounts.tokens import mac
from singletable_apps.shared.sealed import derive_key

SECRET = b"s" * 32

texts = st.lists(st.text(max_size=4), max_size=3)


# A short secret can be found by brute force from one token.
def test_short_secret_is_rejected() -> None:
    with pytest.raises(ValueError, match="at least 32 bytes, but got 31"):
        derive_key(b"s" * 31, "sessions")


def test_each_purpose_has_its_own_key() -> None:
    assert derive_key(SECRET, "sessions") != derive_key(SECRET, "resets")
    assert derive_key(SECRET, "sessions") != derive_key(b"t" * 32, "sessions")


# ("a", "bc") and ("ab", "c") are two accounts with two signatures.
@given(texts, texts)
@example(["a", "bc"], ["ab", "c"])
@example(["a", ""], ["a"])
def test_only_equal_parts_have_equal_macs(one: list[str], other: list[str]) -> None:
    assert (mac(SECRET, *one) == mac(SECRET, *other)) == (one == other)


def test_mac_accepts_any_text() -> None:
    assert len(mac(SECRET, "\ud800", "\0")) == 43
