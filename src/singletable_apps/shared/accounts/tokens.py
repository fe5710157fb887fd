"""Short tokens that say who asks, and need no table to be read."""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt

from singletable_apps.shared.accounts.errors import InvalidToken

SHORTEST = 32


def derive_key(secret: bytes, purpose: str) -> bytes:
    """The key for one purpose; what is made with it is worth nothing for another."""
    if len(secret) < SHORTEST:
        raise ValueError(
            f"A secret has at least {SHORTEST} bytes, and this one has {len(secret)}. Make one "
            "with secrets.token_bytes(32), and keep it outside of the tables."
        )
    return hmac.digest(secret, purpose.encode(), hashlib.sha256)


def mac(key: bytes, *parts: str) -> str:
    """What only a holder of the key can say of these parts: 43 letters of an address."""
    # Each part with its length, or ("a", "bc") would be the same as ("ab", "c"). A text may hold
    # half of a surrogate pair: it comes from outside, and need not be fit for UTF-8.
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    message = b"".join(len(part).to_bytes(4) + part for part in encoded)
    digest = hmac.digest(key, message, hashlib.sha256)
    return urlsafe_b64encode(digest).rstrip(b"=").decode()


ALGORITHM = "HS256"
LONGEST = 2000
CLAIMS = ("iss", "aud", "sub", "cre", "iat", "exp")


@dataclass(frozen=True, slots=True)
class Access:
    """Who asks, by which state of their credentials, and until when."""

    subject: int
    credentials: int
    expires: datetime


class AccessTokens:
    """Issues and reads tokens of one app, `issuer`.

    A token cannot be called back. It holds the number of the last change of credentials, so that
    an app which looks at its user anyway sees that the password was changed since.
    """

    def __init__(
        self, secret: bytes, *, issuer: str, lifetime: timedelta = timedelta(minutes=10)
    ) -> None:
        self._key = derive_key(secret, "access tokens")
        self._issuer = issuer
        self.lifetime = lifetime

    def issue(self, subject: int, credentials: int, now: datetime) -> str:
        """A token for somebody, from now on for a lifetime."""
        issued = int(now.timestamp())
        claims = {
            "iss": self._issuer,
            "aud": self._issuer,
            "sub": str(subject),
            "cre": credentials,
            "iat": issued,
            "exp": issued + int(self.lifetime.total_seconds()),
        }
        return jwt.encode(claims, self._key, ALGORITHM)

    def read(self, token: str, now: datetime) -> Access:
        """Who the token is for; TokenRefused if it is not ours, or its time is over."""
        access = _access(self._claims(token))
        if now >= access.expires:
            raise InvalidToken("expired", "The access token's time is over. Renew the session.")
        return access

    def _claims(self, token: str) -> dict[str, Any]:
        if len(token) > LONGEST:
            raise _malformed(f"it has {len(token):,} characters")
        try:
            return jwt.decode(
                token,
                self._key,
                algorithms=[ALGORITHM],
                issuer=self._issuer,
                audience=self._issuer,
                # The time is compared by us, for the clock is an argument.
                options={"require": list(CLAIMS), "verify_exp": False, "verify_iat": False},
            )
        except (
            jwt.InvalidSignatureError,
            jwt.InvalidAlgorithmError,
            jwt.InvalidIssuerError,
            jwt.InvalidAudienceError,
        ):
            raise InvalidToken(
                "forged", "The access token was not made by this service. Sign in again."
            ) from None
        except (jwt.PyJWTError, ValueError) as error:
            raise _malformed(str(error)) from None


def _access(claims: dict[str, Any]) -> Access:
    try:
        return Access(
            int(claims["sub"]), int(claims["cre"]), datetime.fromtimestamp(claims["exp"], UTC)
        )
    except (TypeError, ValueError, OverflowError, OSError) as error:
        raise _malformed(str(error)) from None


def _malformed(why: str) -> InvalidToken:
    return InvalidToken("malformed", f"This is no access token: {why}. Sign in again.")
