"""Rules for new passwords: long enough, not common, not the owner's name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.shared.accounts import PasswordRejected, check_password
from singletable_apps.shared.accounts.passwords import COMMON_PASSWORDS, MIN_LENGTH


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
def test_check_password_accepts_long_passwords(password: str) -> None:
    check_password(password, about=("alice", "alice@example.org"))


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("", "at least 12 characters; this password has 0"),
        ("eleven char", "at least 12 characters; this password has 11"),
        # Eleven letters in twenty-two characters.
        ("e\u0301" * 11, "this password has 11"),
        ("x" * 201, "at most 200 characters; this password has 201"),
        # Normalizing first would make eighteen million characters of it.
        ("\ufdfa" * 1_000_000, "this password has 1,000,000"),
        # One character that normalizes to eighteen.
        ("\ufdfa" * 12, "this password has 216"),
        ("aaaaaaaaaaaa", "repeats one character"),
        ("            ", "repeats one character"),
        ("passwordpassword", "too common"),
        ("PassWord1234", "too common"),
        ("ｐａｓｓｗｏｒｄ１２３４", "too common"),
        ("Alice.Example", "your name"),
        ("alice.example@example.org", "your name"),
        ("half of a pair \ud83d", "half a character"),
    ],
    ids=range(14),
)
def test_check_password_rejects_bad_passwords_with_the_reason(password: str, why: str) -> None:
    with pytest.raises(PasswordRejected, match=why):
        check_password(password, about=("Al", "Alice.Example@example.org"))


# The message is shown on the screen and may be logged.
def test_error_does_not_contain_the_password() -> None:
    with pytest.raises(PasswordRejected) as rejected:
        check_password("Password1234")
    assert "1234" not in str(rejected.value)


# Shorter ones are rejected anyway, and the comparison is case-folded.
def test_common_passwords_are_long_and_case_folded() -> None:
    for listed in COMMON_PASSWORDS:
        assert len(listed) >= MIN_LENGTH
        assert listed == listed.casefold()


@given(st.text(st.characters(exclude_categories=()), max_size=30), st.text(max_size=30))
def test_check_password_raises_nothing_but_password_rejected(password: str, name: str) -> None:
    try:
        check_password(password, about=(name,))
    except PasswordRejected:
        return
    assert len(password) >= 1
    assert password.casefold() != name.casefold()
