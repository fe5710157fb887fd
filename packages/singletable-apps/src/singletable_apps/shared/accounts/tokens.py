"""Access tokens (JWT) and device tokens, which are verified without reading a table."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt

from singletable_apps.shared.accounts.errors import NotSignedIn
from singletable_apps.shared.sealed import derive_key


def mac(key: bytes, *parts: str) -> str:
    """Return an HMAC-SHA256 of the parts as 43 URL-safe characters."""
    # Prefix each part with its length, so that ("a", "bc") and ("ab", "c") differ. Input from
    # outside may contain lone surrogates.
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    message = b"".join(len(part).to_bytes(4) + part for part in encoded)
    digest = hmac.digest(key, message, hashlib.sha256)
    return urlsafe_b64encode(digest).rstrip(b"=").decode()


ALGORITHM = "HS256"
MAX_LENGTH = 2000
CLAIMS = ("iss", "aud", "sub", "sid", "cre", "auth_time", "iat", "exp")
_REQUIRED = frozenset(CLAIMS)


@dataclass(frozen=True, slots=True)
class AccessClaims:
    """The content of an access token. `signed_in` is the time when the password was entered."""

    subject: int
    session: str
    credentials: int
    signed_in: datetime
    expires: datetime


class AccessTokens:
    """Issues and reads the tokens of one app, the `issuer`.

    A token cannot be revoked. Compare `AccessClaims.credentials` with the user's, to reject tokens
    issued before a password change, and check that `AccessClaims.session` has not ended.
    """

    def __init__(
        self, secret: bytes, *, issuer: str, lifetime: timedelta = timedelta(minutes=10)
    ) -> None:
        self._key = derive_key(secret, "access tokens")
        self._issuer = issuer
        self.lifetime = lifetime

    def issue(
        self,
        subject: int,
        session: str,
        credentials: int,
        now: datetime,
        signed_in: datetime | None = None,
    ) -> str:
        """Return a token that is valid for `lifetime`; `signed_in` defaults to `now`."""
        issued = int(now.timestamp())
        claims = {
            "iss": self._issuer,
            "aud": self._issuer,
            "sub": str(subject),
            "sid": session,
            "cre": credentials,
            "auth_time": int((signed_in or now).timestamp()),
            "iat": issued,
            "exp": issued + int(self.lifetime.total_seconds()),
        }
        return jwt.encode(claims, self._key, ALGORITHM)

    def read(self, token: str, now: datetime) -> AccessClaims:
        """Return the content of a token. Raise NotSignedIn if it is forged or expired."""
        if len(token) > MAX_LENGTH:
            raise _malformed(f"it has {len(token):,} characters")
        access = _access(self._issued_claims(token) or self._claims(token))
        if now >= access.expires:
            raise NotSignedIn("The access token has expired. Renew the session.")
        return access

    def _issued_claims(self, token: str) -> dict[str, Any] | None:
        """Return the claims of a token that this app has issued; None for all others."""
        signed, _, signature = token.rpartition(".")
        digest = hmac.digest(self._key, signed.encode(errors="replace"), hashlib.sha256)
        expected = urlsafe_b64encode(digest).rstrip(b"=")
        if not hmac.compare_digest(signature.encode(errors="replace"), expected):
            return None
        claims: dict[str, Any] = json.loads(urlsafe_b64decode(signed.partition(".")[2] + "=="))
        is_ours = claims.keys() >= _REQUIRED and claims["iss"] == claims["aud"] == self._issuer
        return claims if is_ours else None

    def _claims(self, token: str) -> dict[str, Any]:
        """Return the claims as any JWT library does, which says what is wrong, but takes longer."""
        try:
            return jwt.decode(
                token,
                self._key,
                algorithms=[ALGORITHM],
                issuer=self._issuer,
                audience=self._issuer,
                # `read` compares the time, because the clock is an argument.
                options={"require": list(CLAIMS), "verify_exp": False, "verify_iat": False},
            )
        except (
            jwt.InvalidSignatureError,
            jwt.InvalidAlgorithmError,
            jwt.InvalidIssuerError,
            jwt.InvalidAudienceError,
        ):
            raise NotSignedIn(
                "The access token was not issued by this service. Sign in again."
            ) from None
        except (jwt.PyJWTError, ValueError) as error:
            raise _malformed(str(error)) from None


class DeviceTokens:
    """Tokens for browsers where a user has signed in before (OWASP's device cookies).

    A token belongs to one account and grants no access. Attempts with it are counted apart, so that
    guesses from elsewhere cannot lock out the owner.
    """

    def __init__(self, secret: bytes) -> None:
        self._key = derive_key(secret, "devices")

    def issue(self, subject: int) -> str:
        """Return a token for a new device."""
        nonce = secrets.token_urlsafe(16)
        return f"{nonce}.{mac(self._key, str(subject), nonce)}"

    def read(self, token: str, subject: int) -> str | None:
        """Return the id of the device, or None if the token is not for this account."""
        nonce, _, signature = token[:MAX_LENGTH].partition(".")
        expected = mac(self._key, str(subject), nonce)
        is_ours = hmac.compare_digest(signature.encode("utf-8", "replace"), expected.encode())
        return nonce if is_ours else None


def _access(claims: dict[str, Any]) -> AccessClaims:
    try:
        return AccessClaims(
            int(claims["sub"]),
            str(claims["sid"]),
            int(claims["cre"]),
            datetime.fromtimestamp(claims["auth_time"], UTC),
            datetime.fromtimestamp(claims["exp"], UTC),
        )
    except (TypeError, ValueError, OverflowError, OSError) as error:
        raise _malformed(str(error)) from None


def _malformed(problem: str) -> NotSignedIn:
    return NotSignedIn(f"This is not an access token: {problem}. Sign in again.")
