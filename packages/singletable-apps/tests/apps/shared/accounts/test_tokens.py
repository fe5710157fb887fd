"""Access tokens: valid until they expire, for their issuer only."""

from __future__ import annotations

import hmac
import json
from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.accounts.tokens import AccessClaims, AccessTokens
from singletable_apps.shared.sealed import derive_key

SECRET = b"a secret of thirty-two bytes or more"
KEY = derive_key(SECRET, "access tokens")
NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
TOKENS = AccessTokens(SECRET, issuer="vote")
CLAIMS = {
    "iss": "vote",
    "aud": "vote",
    "sub": "7",
    "sid": "desk",
    "cre": 3,
    "auth_time": 1767268800,
    "iat": int(NOW.timestamp()),
    "exp": int(NOW.timestamp()) + 600,
}


def _signed_by_another_algorithm() -> str:
    parts = [json.dumps(part).encode() for part in ({"alg": "HS512"}, CLAIMS)]
    said = b".".join(map(urlsafe_b64encode, parts)).replace(b"=", b"")
    seal = urlsafe_b64encode(hmac.digest(KEY, said, "sha512")).replace(b"=", b"")
    return (said + b"." + seal).decode()


@given(st.integers(0, 2**63), st.integers(0, 2**63))
def test_issued_token_can_be_read(subject: int, credentials: int) -> None:
    token = TOKENS.issue(subject, "desk", credentials, NOW)
    assert TOKENS.read(token, NOW) == AccessClaims(
        subject, "desk", credentials, NOW, NOW + timedelta(minutes=10)
    )


def test_token_expires_after_its_lifetime() -> None:
    tokens = AccessTokens(SECRET, issuer="vote", lifetime=timedelta(minutes=2))
    token = tokens.issue(7, "desk", 3, NOW)
    assert tokens.read(token, NOW + timedelta(seconds=119)).subject == 7
    with pytest.raises(NotSignedIn, match="has expired"):
        tokens.read(token, NOW + timedelta(seconds=120))


@pytest.mark.parametrize(
    "token",
    [
        AccessTokens(b"another secret of thirty-two bytes", issuer="vote").issue(7, "desk", 3, NOW),
        AccessTokens(SECRET, issuer="links").issue(7, "desk", 3, NOW),
        jwt.encode({**CLAIMS, "iss": "links"}, KEY, "HS256"),
        jwt.encode({**CLAIMS, "aud": "links"}, KEY, "HS256"),
        jwt.encode(CLAIMS, "", "none"),
        _signed_by_another_algorithm(),
        # The secret itself is not the key.
        jwt.encode(CLAIMS, SECRET, "HS256"),
    ],
    ids=["secret", "app", "issuer", "audience", "no signature", "algorithm", "purpose"],
)
def test_tokens_of_other_issuers_are_forged(token: str) -> None:
    with pytest.raises(NotSignedIn, match="not issued by this service"):
        TOKENS.read(token, NOW)


def test_changed_token_is_forged() -> None:
    head, _, seal = TOKENS.issue(7, "desk", 3, NOW).split(".")
    _, others, _ = TOKENS.issue(8, "desk", 3, NOW).split(".")
    with pytest.raises(NotSignedIn, match="not issued by this service"):
        TOKENS.read(f"{head}.{others}.{seal}", NOW)


@pytest.mark.parametrize("missing", CLAIMS)
def test_token_without_a_claim_is_rejected(missing: str) -> None:
    claims = {name: value for name, value in CLAIMS.items() if name != missing}
    with pytest.raises(NotSignedIn):
        TOKENS.read(jwt.encode(claims, KEY, "HS256"), NOW)


@pytest.mark.parametrize(
    "wrong", [{"sub": "alice"}, {"cre": None}, {"cre": [1]}, {"exp": "soon"}, {"exp": 10**30}]
)
def test_token_with_an_unexpected_claim_is_malformed(wrong: dict[str, object]) -> None:
    with pytest.raises(NotSignedIn, match="not an access token"):
        TOKENS.read(jwt.encode({**CLAIMS, **wrong}, KEY, "HS256"), NOW)


@pytest.mark.parametrize("token", ["", "a.b.c", "..", "\ud800.\ud800.\ud800", "x" * 2000])
def test_malformed_tokens_are_rejected(token: str) -> None:
    with pytest.raises(NotSignedIn, match="not an access token"):
        TOKENS.read(token, NOW)


# Do not compute an HMAC over megabytes from outside.
def test_long_token_is_rejected_unread() -> None:
    with pytest.raises(NotSignedIn, match="it has 1,000,000 characters"):
        TOKENS.read("x" * 1_000_000, NOW)


@given(st.text(st.characters(exclude_categories=())))
def test_read_raises_nothing_but_not_signed_in(token: str) -> None:
    with pytest.raises(NotSignedIn):
        TOKENS.read(token, NOW)
