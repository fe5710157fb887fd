"""Sign-in with the identity provider of an organization, by OpenID Connect.

The operator names one provider: `--oidc https://CLIENT@login.example.org?name=Example`. Pages send
the browser there with `Provider.start`, and read who came back with `Provider.finish`.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

import httpx2
import jwt

from singletable_apps.shared.errors import AppError, RequestRejected
from singletable_apps.shared.web.hosts import is_loopback

OIDC_CLIENT_SECRET = "OIDC_CLIENT_SECRET"
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]
_SECONDS = 10
_CLOCK_SKEW = 60
# How long what a provider says about itself, and its keys, are kept.
_KEPT = 3600


class InvalidOidcUrl(AppError):
    """The URL of the identity provider is not valid."""


class ProviderFailed(RequestRejected):
    """The provider cannot be reached, or sent something that cannot be trusted."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A browser that is on its way to the provider. It keeps this, sealed, until it comes back."""

    state: str
    nonce: str
    verifier: str
    next: str

    @classmethod
    def begin(cls, next_url: str) -> Visit:
        """Return a visit with random values."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        return cls(state, nonce, verifier, next_url)


@dataclass(frozen=True, slots=True)
class Identity:
    """A person known to the provider.

    `email` is empty unless the provider has verified it. `proved` is when the person entered a
    password there, if the provider says so.
    """

    issuer: str
    subject: str
    name: str
    username: str
    email: str
    proved: datetime | None = None


@dataclass
class Provider:
    """An identity provider, and the client as which this site is registered there."""

    name: str
    issuer: str
    client: str
    secret: str = field(repr=False)
    _known: tuple[float, dict[str, Any], jwt.PyJWKClient] | None = field(default=None, repr=False)

    def start(self, visit: Visit, redirect: str, *, again: bool = False) -> str:
        """Return the URL to send the browser to. With `again`, it asks for the password there."""
        digest = hashlib.sha256(visit.verifier.encode()).digest()
        query = {
            "response_type": "code",
            "scope": "openid profile email",
            "client_id": self.client,
            "redirect_uri": redirect,
            "state": visit.state,
            "nonce": visit.nonce,
            "code_challenge": urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
            **({"prompt": "login", "max_age": "0"} if again else {}),
        }
        url = str(self._metadata()["authorization_endpoint"])
        return f"{url}{'&' if '?' in url else '?'}{urlencode(query)}"

    def finish(self, visit: Visit, code: str, redirect: str) -> Identity:
        """Exchange the browser's code for the person's identity."""
        body = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect,
            "code_verifier": visit.verifier,
        }
        accepted = self._metadata().get("token_endpoint_auth_methods_supported") or ()
        auth = None
        if "client_secret_post" in accepted and "client_secret_basic" not in accepted:
            body |= {"client_id": self.client, "client_secret": self.secret}
        else:
            auth = (quote(self.client, safe=""), quote(self.secret, safe=""))
        found = self._read("POST", str(self._metadata()["token_endpoint"]), data=body, auth=auth)
        return self._identity(self._claims(str(found.get("id_token")), visit))

    def _claims(self, token: str, visit: Visit) -> Mapping[str, Any]:
        _, keys = self._ask()
        try:
            claims = jwt.decode(
                token,
                keys.get_signing_key_from_jwt(token).key,
                algorithms=_ALGORITHMS,
                audience=self.client,
                issuer=self.issuer,
                leeway=_CLOCK_SKEW,
                options={"require": ["exp", "iat", "iss", "aud", "sub"]},
            )
        except jwt.PyJWTError as error:
            raise self._failed(f"sent an ID token that cannot be trusted: {error}") from error
        if not secrets.compare_digest(str(claims.get("nonce")), visit.nonce):
            raise self._failed("sent an ID token for another visit")
        if claims.get("azp", self.client) != self.client:
            raise self._failed("sent an ID token for another site")
        return claims

    def _identity(self, claims: Mapping[str, Any]) -> Identity:
        email = str(claims.get("email") or "") if claims.get("email_verified") is True else ""
        username = str(claims.get("preferred_username") or email).partition("@")[0]
        proved = claims.get("auth_time")
        return Identity(
            self.issuer,
            str(claims["sub"]),
            str(claims.get("name") or username),
            username,
            email,
            datetime.fromtimestamp(proved, UTC) if isinstance(proved, int) else None,
        )

    def _metadata(self) -> dict[str, Any]:
        return self._ask()[0]

    def _ask(self) -> tuple[dict[str, Any], jwt.PyJWKClient]:
        """Return what the provider says about itself, and its keys."""
        now = time.monotonic()
        if self._known is None or now - self._known[0] > _KEPT:
            found = self._read("GET", f"{self.issuer}/.well-known/openid-configuration")
            if found.get("issuer") != self.issuer:
                raise self._failed(f"calls itself {found.get('issuer')}, not {self.issuer}")
            for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                if not str(found.get(name)).startswith(("https://", "http://")):
                    raise self._failed(f"does not say what its {name} is")
            keys = jwt.PyJWKClient(str(found["jwks_uri"]), timeout=_SECONDS, lifespan=_KEPT)
            self._known = (now, found, keys)
        return self._known[1:]

    def _read(self, method: str, url: str, **sent: Any) -> dict[str, Any]:
        try:
            response = httpx2.request(method, url, timeout=_SECONDS, **sent)
            found = response.json()
        except (httpx2.HTTPError, ValueError) as error:
            raise self._failed("does not answer") from error
        if response.status_code != 200 or not isinstance(found, dict):
            reason = found.get("error") if isinstance(found, dict) else ""
            raise self._failed(f"answered {response.status_code} {reason or ''}".rstrip())
        return cast(dict[str, Any], found)

    def _failed(self, what: str) -> ProviderFailed:
        return ProviderFailed(f"{self.name} {what}. Try again, or sign in with your password.")


def parse_oidc_url(text: str) -> Provider:
    """Return the provider of a URL. The secret of the client comes from the environment."""
    parts = urlsplit(text)
    secret = os.environ.get(OIDC_CLIENT_SECRET, "")
    host = parts.hostname or ""
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))
    if not is_safe or not host or not parts.username or parts.password is not None:
        raise InvalidOidcUrl(
            f"--oidc expects https://CLIENT@login.example.org?name=Example, with the secret of the "
            f"client as {OIDC_CLIENT_SECRET} in the environment, but got '{text}'."
        )
    if not secret:
        raise InvalidOidcUrl(f"--oidc needs the secret of the client as {OIDC_CLIENT_SECRET}.")
    issuer = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"
    name = parse_qs(parts.query).get("name", [host])[-1]
    return Provider(name, issuer, unquote(parts.username), secret)
