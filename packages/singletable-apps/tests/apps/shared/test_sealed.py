"""Sealed values cannot be changed, reused for another purpose, or used after they expire."""

from __future__ import annotations

import ast
import time
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

import singletable_apps
from singletable_apps.shared.sealed import InvalidSeal, Sealer

SECRET = b"a secret of thirty-two bytes or more"
SEALER: Sealer[Any] = Sealer(SECRET, cast(Any, JsonValue), "tests")

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
    [
        Sealer(SECRET, str, "other tests"),
        Sealer(b"another secret of thirty-two bytes", str, "tests"),
    ],
    ids=["purpose", "secret"],
)
def test_value_of_another_purpose_or_secret_is_rejected(other: Sealer[str]) -> None:
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


@dataclass(frozen=True)
class Visit:
    page: str


# A cookie of an earlier version, or of a bug, must not become an error 500.
@pytest.mark.parametrize(
    ("other", "value"), [(dict[str, int], {"page": 7}), (str, "page"), (list[str], ["page"])]
)
def test_value_of_another_type_is_rejected(other: type[Any], value: object) -> None:
    visits = Sealer(SECRET, Visit, "tests")
    assert visits.open(visits.seal(Visit("/"))) == Visit("/")
    with pytest.raises(InvalidSeal, match="another version"):
        visits.open(Sealer(SECRET, other, "tests").seal(value))


# Values of one purpose can be sent in each other's place, even if only their meaning differs.
def test_each_purpose_is_sealed_in_one_place() -> None:
    folder = Path(singletable_apps.__file__).parent
    calls = [
        node
        for path in folder.rglob("*.py")
        if "ealer(" in (text := path.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("Sealer", ".sealer"))
    ]
    purposes = [ast.unparse(node.args[-1]) for node in calls if len(node.args) > 1]
    purposes.remove("purpose")  # in `Pages.sealer`
    assert len(purposes) > 5
    assert all(purpose.startswith("'") for purpose in purposes)
    assert [purpose for purpose, count in Counter(purposes).items() if count > 1] == []
