"""Personal access tokens: stored as HMACs, valid until they expire, are revoked or stolen."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from singletable import Store
from singletable.testing import StoreClock
from singletable_apps.shared.accounts import Account, Scope, Sessions
from singletable_apps.shared.accounts.entities import PersonalToken
from singletable_apps.shared.accounts.personal_tokens import MAX_TOKENS, PersonalTokens
from singletable_apps.shared.errors import InvalidInput
from tests.apps.support.tables import stored_text

SECRET = b"a secret of thirty-two bytes or more"
ADA = Account(7, 1, "", name="Ada", email="ada@example.org")


@pytest.fixture
def tokens(store: Store, store_clock: StoreClock) -> PersonalTokens:
    return PersonalTokens(store, secret=SECRET, clock=store_clock)


def create(tokens: PersonalTokens, owner: Account = ADA) -> str:
    return tokens.create(owner, "Backup", [Scope.READ], 7)


def test_token_is_found_until_it_expires(tokens: PersonalTokens, store_clock: StoreClock) -> None:
    text = create(tokens)
    store_clock.advance(days=6)
    found = tokens.find(text)
    assert found is not None
    assert (found.subject, found.name, found.scopes) == (7, "Backup", ["read"])
    store_clock.advance(days=1)
    assert tokens.find(text) is None
    assert tokens.list(ADA) == []


# Somebody who reads the table, or guesses, must not get in.
def test_table_contains_no_token(
    store: Store, tokens: PersonalTokens, store_clock: StoreClock
) -> None:
    text = create(tokens)
    stored = stored_text(store)
    assert "Backup" in stored
    assert text.removeprefix("pat_7_") not in stored
    [token] = tokens.list(ADA)
    for forged in (token.digest, f"pat_7_{token.digest}", text.replace("_7_", "_8_"), f"{text}x"):
        assert tokens.find(forged) is None
    other = PersonalTokens(store, secret=bytes(reversed(SECRET)), clock=store_clock)
    assert other.find(text) is None


def test_revoked_token_and_those_of_ended_sessions_do_not_work(
    store: Store, tokens: PersonalTokens, store_clock: StoreClock
) -> None:
    first, second = create(tokens), create(tokens)
    other = create(tokens, replace(ADA, subject=8))
    tokens.revoke(replace(ADA, subject=8), tokens.list(ADA)[0].digest)
    assert tokens.find(first)
    found = tokens.find(second)
    assert found is not None
    tokens.revoke(ADA, found.digest)
    assert tokens.find(second) is None
    Sessions(store, secret=SECRET).end_all(7)
    assert tokens.find(first) is None
    assert tokens.find(other)


def test_last_use_is_stored_once_an_hour(
    store: Store, tokens: PersonalTokens, store_clock: StoreClock
) -> None:
    text, start = create(tokens), store_clock()
    for minutes, used in ((0, 0), (59, 0), (1, 60)):
        store_clock.advance(minutes=minutes)
        tokens.find(text)
        [stored] = store.query(PersonalToken.key.partition(7))
        assert stored.used == start + timedelta(minutes=used)


def test_number_of_tokens_is_limited(tokens: PersonalTokens, store_clock: StoreClock) -> None:
    for _ in range(MAX_TOKENS):
        create(tokens)
    with pytest.raises(InvalidInput, match="Revoke one"):
        create(tokens)
