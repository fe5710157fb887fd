"""Password hashing: only the right password matches, and unknown accounts take as long."""

from __future__ import annotations

import time
from threading import Barrier, Lock

import bcrypt
import pytest
from argon2 import PasswordHasher
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.shared.accounts import PasswordRejected, Passwords
from tests.apps.support.concurrency import run_concurrently

TINY = Passwords(memory_kib=8, passes=1)
ENCODED = TINY.hash("a long password")

written = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(written)
def test_a_password_matches_its_hash(password: str) -> None:
    assert TINY.matches(TINY.hash(password), password)


@given(written)
def test_other_passwords_do_not_match(password: str) -> None:
    assert TINY.matches(ENCODED, password) == (password == "a long password")


# A leaked table must not show who has the same password.
def test_two_hashes_of_a_password_differ() -> None:
    assert TINY.hash("a long password") != TINY.hash("a long password")


def test_default_parameters_are_the_owasp_minimum(password_cost: tuple[int, ...]) -> None:
    hashed = Passwords(*password_cost).hash("a long password")
    assert hashed.startswith("$argon2id$v=19$m=19456,t=2,p=1$")


# A Mac and a phone encode the same letter differently.
@pytest.mark.parametrize(
    ("chosen", "typed"),
    [
        ("caf\u00e9 au lait", "cafe\u0301 au lait"),
        ("ｗｉｄｅ letters", "wide letters"),
        ("ﬁne", "fine"),
    ],
)
def test_passwords_match_across_unicode_normalization_forms(chosen: str, typed: str) -> None:
    assert TINY.matches(TINY.hash(chosen), typed)
    assert TINY.matches(TINY.hash(typed), chosen)


@pytest.mark.parametrize(
    "encoded",
    [
        "",
        "plain",
        "$2b$04$abcdefghijklmnopqrstuuJ1u4v7bC6x8mW2yq0n5R3s9t1k7h2eG",
        "$argon2id$",
        "$argon2id$v=19$m=8,t=1,p=1$",
        "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$!!!",
        "$argon2id$v=19$m=x,t=y,p=z$c2FsdHNhbHQ$aGFzaA",
        ENCODED[:-1],
        ENCODED + "A",
        "é" + ENCODED,
        "\ud800",
    ],
    ids=range(11),
)
def test_broken_hash_matches_nothing_and_needs_a_rehash(encoded: str) -> None:
    assert not TINY.matches(encoded, "a long password")
    assert TINY.needs_rehash(encoded) or encoded.startswith(ENCODED[:-1])


@given(st.integers(0, len(ENCODED) - 1), st.characters())
def test_hash_with_one_wrong_character_never_raises(place: int, wrong: str) -> None:
    altered = ENCODED[:place] + wrong + ENCODED[place + 1 :]
    # The last character of Base64 has bits to spare, so an altered one may say the same.
    assert TINY.matches(altered, "a long password") in (True, False)
    assert not TINY.matches(altered, "another password")


@pytest.mark.parametrize("password", ["x" * 201, "\ud800", "xy" * 500_000], ids=range(3))
def test_impossible_passwords_match_nothing(password: str) -> None:
    assert not TINY.matches(ENCODED, password)
    assert not TINY.matches(None, password)
    with pytest.raises(PasswordRejected):
        TINY.hash(password)


# Response times must not reveal whether an account exists.
@pytest.mark.parametrize("encoded", [None, "broken"])
def test_unknown_account_takes_as_long_as_a_known_one(encoded: str | None) -> None:
    slower = Passwords(memory_kib=1024, passes=4)
    known = slower.hash("a long password")
    assert not slower.matches(encoded, "a long password")
    assert _time_of(slower, encoded) > _time_of(slower, known) / 2


def test_hashes_with_other_parameters_match_and_need_a_rehash() -> None:
    older = Passwords(memory_kib=16, passes=1).hash("a long password")
    assert TINY.needs_rehash(older)
    assert TINY.matches(older, "a long password")
    assert not TINY.needs_rehash(ENCODED)


# Migrated accounts have hashes of bcrypt, written by Go ($2a$), Python ($2b$) or PHP ($2y$).
@pytest.mark.parametrize("prefix", ["$2a$", "$2b$", "$2y$"])
def test_hashes_of_bcrypt_match_and_need_a_rehash(prefix: str) -> None:
    old = prefix + _bcrypt("secret")[4:]
    assert TINY.matches(old, "secret")
    assert not TINY.matches(old, "Secret")
    assert not TINY.matches(old, "")
    assert TINY.needs_rehash(old)
    assert not Passwords(memory_kib=8, passes=1, keep_bcrypt=True).needs_rehash(old)


# bcrypt reads 72 bytes, and fails for more in new versions.
def test_long_passwords_match_as_bcrypt_cut_them_off() -> None:
    assert TINY.matches(_bcrypt("é" * 36), "é" * 36 + "more")
    assert not TINY.matches(_bcrypt("é" * 36), "é" * 35)


# The old system hashed what the keyboard sent.
def test_bcrypt_compares_without_normalization() -> None:
    assert TINY.matches(_bcrypt("ﬁne"), "ﬁne")
    assert not TINY.matches(_bcrypt("ﬁne"), "fine")


# A hash of cost 31 would take days.
@pytest.mark.parametrize("cost", ["00", "03", "15", "31", "99"])
def test_bcrypt_of_unreasonable_cost_matches_nothing(cost: str) -> None:
    assert not TINY.matches(f"$2b${cost}$" + _bcrypt("secret")[7:], "secret")


def _bcrypt(password: str) -> str:
    return bcrypt.hashpw(password.encode(), bcrypt.gensalt(4)).decode()


# Each takes 19 MiB: a hundred in parallel would exhaust the memory.
def test_parallel_hashing_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    passwords = Passwords(memory_kib=8, passes=1, at_once=2)
    both, counting, inside, seen = Barrier(2), Lock(), [0], set[int]()
    verify = PasswordHasher.verify

    def watched(self: PasswordHasher, encoded: str | bytes, password: str | bytes) -> bool:
        with counting:
            inside[0] += 1
            seen.add(inside[0])
        both.wait(10)
        try:
            return verify(self, encoded, password)
        finally:
            with counting:
                inside[0] -= 1

    monkeypatch.setattr(PasswordHasher, "verify", watched)
    matched, _ = run_concurrently(
        8, lambda: passwords.matches(ENCODED, "a long password"), ValueError
    )
    assert matched == [True] * 8
    assert seen == {1, 2}


def _time_of(passwords: Passwords, encoded: str | None) -> float:
    """Return the shortest CPU time of five answers."""
    times: list[float] = []
    for _ in range(5):
        start = time.thread_time()
        passwords.matches(encoded, "another password")
        times.append(time.thread_time() - start)
    return min(times)
