"""A password is long, and not the first that is guessed; whatever is typed is answered in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.shared.accounts import PasswordRejected, check_password
from singletable_apps.shared.accounts.passwords import COMMON, SHORTEST


@pytest.mark.parametrize(
    "password",
    [
        "twelve chars",
        "x" * 199 + "y",
        "短い言葉でも十二文字以上です",
        "🐎🔋📎✅🐎🔋📎✅🐎🔋📎✅",
        "            .",
    ],
)
def test_a_long_password_is_taken(password: str) -> None:
    check_password(password, about=("alice", "alice@example.org"))


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("", "at least 12 characters, and this one has 0"),
        ("eleven char", "at least 12 characters, and this one has 11"),
        # Eleven letters in twenty-two characters.
        ("e\u0301" * 11, "this one has 11"),
        ("x" * 201, "at most 200 characters, and this one has 201"),
        # It is not normalised first, to eighteen million.
        ("\ufdfa" * 1_000_000, "this one has 1,000,000"),
        # One character that normalises to eighteen.
        ("\ufdfa" * 12, "this one has 216"),
        ("aaaaaaaaaaaa", "again and again"),
        ("            ", "again and again"),
        ("passwordpassword", "guessed first"),
        ("PassWord1234", "guessed first"),
        ("ｐａｓｓｗｏｒｄ１２３４", "guessed first"),
        ("Alice.Example", "your own name"),
        ("alice.example@example.org", "your own name"),
        ("half of a pair \ud83d", "half a character"),
    ],
    ids=range(14),
)
def test_a_bad_password_is_refused_with_the_reason(password: str, why: str) -> None:
    with pytest.raises(PasswordRejected, match=why):
        check_password(password, about=("Al", "Alice.Example@example.org"))


# A refusal is shown on the screen and may be logged.
def test_a_refusal_does_not_repeat_the_password() -> None:
    with pytest.raises(PasswordRejected) as refused:
        check_password("Password1234")
    assert "1234" not in str(refused.value)


# What is too short anyway need not be listed, and what is listed must be found.
def test_every_listed_password_is_long_and_folded() -> None:
    for listed in COMMON:
        assert len(listed) >= SHORTEST
        assert listed == listed.casefold()


@given(st.text(st.characters(exclude_categories=()), max_size=30), st.text(max_size=30))
def test_nothing_but_a_refusal_comes_of_anything(password: str, name: str) -> None:
    try:
        check_password(password, about=(name,))
    except PasswordRejected:
        return
    assert len(password) >= 1
    assert password.casefold() != name.casefold()
