"""Sealed values cannot be changed, reused for another purpose, or used after they expire."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from singletable_apps.shared.sealed import InvalidSeal, Sealer

SECRET = b"a secret of thirty-two bytes or more"
SEALER = Sealer(SECRET, "tests")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(json_values, st.text(max_size=20))
def test_sealed_value_can_be_opened(value: JsonValue, context: str) -> None:
    assert SEALER.open(SEALER.seal(value, context=context), context=context) == value


@given(st.integers(0, 10_000), st.characters())
def test_changed_text_is_rejected(place: int, character: str) -> None:
    text = SEALER.seal({"offset": 7, "list": "people"})
    place %= len(text)
    changed = text[:place] + character + text[place + 1 :]
    if changed != text:
        # The last character of Base64 has unused bits, so some changes mean the same.
        try:
            value = SEALER.open(changed)
        except InvalidSeal:
            return
        assert value == {"offset": 7, "list": "people"}


@pytest.mark.parametrize(
    "other",
    [Sealer(SECRET, "other tests"), Sealer(b"another secret of thirty-two bytes", "tests")],
    ids=["purpose", "secret"],
)
def test_value_of_another_purpose_or_secret_is_rejected(other: Sealer) -> None:
    with pytest.raises(InvalidSeal):
        SEALER.open(other.seal("value"))


def test_value_of_another_context_is_rejected() -> None:
    text = SEALER.seal(7, context="/people")
    for context in ("", "/voters"):
        with pytest.raises(InvalidSeal):
            SEALER.open(text, context=context)


def test_value_expires_after_max_age(monkeypatch: pytest.MonkeyPatch) -> None:
    text, now = SEALER.seal("value"), time.time()
    monkeypatch.setattr(time, "time", lambda: now + 61)
    assert SEALER.open(text) == "value"
    assert SEALER.open(text, max_age=timedelta(minutes=2)) == "value"
    with pytest.raises(InvalidSeal, match="has expired"):
        SEALER.open(text, max_age=timedelta(minutes=1))


@pytest.mark.parametrize(
    "text", ["", ".", "a.b.c", "ä", "\ud800", "x" * 100_000, "\0"], ids=range(7)
)
def test_text_that_was_never_sealed_is_rejected(text: str) -> None:
    with pytest.raises(InvalidSeal, match="not issued by this service"):
        SEALER.open(text)
