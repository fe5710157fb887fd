"""Access tokens: what was issued is read, for its time, by its issuer, and nothing else is."""

from __future__ import annotations

import hmac
import json
from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.shared.accounts import Access, AccessTokens, InvalidToken
from singletable_apps.shared.accounts.tokens import derive_key

SECRET = b"a secret of thirty-two bytes or more"
KEY = derive_key(SECRET, "access tokens")
NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
TOKENS = AccessTokens(SECRET, issuer="vote")
CLAIMS = {
    "iss": "vote",
    "aud": "vote",
    "sub": "7",
    "cre": 3,
    "iat": int(NOW.timestamp()),
    "exp": int(NOW.timestamp()) + 600,
}


def _signed_by_another_algorithm() -> str:
    parts = [json.dumps(part).encode() for part in ({"alg": "HS512"}, CLAIMS)]
    said = b".".join(map(urlsafe_b64encode, parts)).replace(b"=", b"")
    seal = urlsafe_b64encode(hmac.digest(KEY, said, "sha512")).replace(b"=", b"")
    return (said + b"." + seal).decode()


@given(st.integers(0, 2**63), st.integers(0, 2**63))
def test_what_is_issued_is_read(subject: int, credentials: int) -> None:
    token = TOKENS.issue(subject, credentials, NOW)
    assert TOKENS.read(token, NOW) == Access(subject, credentials, NOW + timedelta(minutes=10))


def test_a_token_ends_when_it_says() -> None:
    tokens = AccessTokens(SECRET, issuer="vote", lifetime=timedelta(minutes=2))
    token = tokens.issue(7, 3, NOW)
    assert tokens.read(token, NOW + timedelta(seconds=119)).subject == 7
    with pytest.raises(InvalidToken) as refused:
        tokens.read(token, NOW + timedelta(seconds=120))
    assert refused.value.why == "expired"


@pytest.mark.parametrize(
    "token",
    [
        AccessTokens(b"another secret of thirty-two bytes", issuer="vote").issue(7, 3, NOW),
        AccessTokens(SECRET, issuer="links").issue(7, 3, NOW),
        jwt.encode({**CLAIMS, "iss": "links"}, KEY, "HS256"),
        jwt.encode({**CLAIMS, "aud": "links"}, KEY, "HS256"),
        jwt.encode(CLAIMS, "", "none"),
        _signed_by_another_algorithm(),
        # The secret itself is no key: what is signed with it for another purpose opens nothing.
        jwt.encode(CLAIMS, SECRET, "HS256"),
    ],
    ids=["secret", "app", "issuer", "audience", "no signature", "algorithm", "purpose"],
)
def test_a_token_of_others_is_forged(token: str) -> None:
    with pytest.raises(InvalidToken) as refused:
        TOKENS.read(token, NOW)
    assert refused.value.why == "forged"


def test_who_changes_a_token_is_found_out() -> None:
    head, _, seal = TOKENS.issue(7, 3, NOW).split(".")
    _, others, _ = TOKENS.issue(8, 3, NOW).split(".")
    with pytest.raises(InvalidToken, match="not made by this service"):
        TOKENS.read(f"{head}.{others}.{seal}", NOW)


@pytest.mark.parametrize("lacking", CLAIMS)
def test_a_token_that_lacks_a_claim_is_refused(lacking: str) -> None:
    claims = {name: value for name, value in CLAIMS.items() if name != lacking}
    with pytest.raises(InvalidToken):
        TOKENS.read(jwt.encode(claims, KEY, "HS256"), NOW)


@pytest.mark.parametrize(
    "wrong", [{"sub": "alice"}, {"cre": None}, {"cre": [1]}, {"exp": "soon"}, {"exp": 10**30}]
)
def test_a_token_with_a_strange_claim_is_malformed(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidToken) as refused:
        TOKENS.read(jwt.encode({**CLAIMS, **wrong}, KEY, "HS256"), NOW)
    assert refused.value.why == "malformed"


@pytest.mark.parametrize("token", ["", "a.b.c", "..", "\ud800.\ud800.\ud800", "x" * 2000])
def test_what_is_no_token_is_malformed(token: str) -> None:
    with pytest.raises(InvalidToken) as refused:
        TOKENS.read(token, NOW)
    assert refused.value.why == "malformed"


# Anyone may send anything: a seal is not worked out over megabytes.
def test_a_token_that_is_too_long_is_not_looked_at() -> None:
    with pytest.raises(InvalidToken, match="it has 1,000,000 characters"):
        TOKENS.read("x" * 1_000_000, NOW)


@given(st.text(st.characters(exclude_categories=())))
def test_nothing_but_a_refusal_comes_of_anything(token: str) -> None:
    with pytest.raises(InvalidToken):
        TOKENS.read(token, NOW)
