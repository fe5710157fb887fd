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
# OpenID Connect Core 1.0, 2: a `sub` has at most 255 characters. Other texts are of usual lengths.
_MAX_SUBJECT, _MAX_TEXT = 255, 400
_LAST_TIME = 1 << 33


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
    subject: int | None

    @classmethod
    def begin(cls, next_url: str, subject: int | None) -> Visit:
        """Return a visit with random values, of the account that is signed in, if any."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        return cls(state, nonce, verifier, next_url, subject)


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
        accepted = str(self._metadata().get("token_endpoint_auth_methods_supported"))
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
        # Parsers of tokens and keys raise errors of many kinds.
        except Exception as error:
            raise self._failed(f"sent an ID token that cannot be trusted: {error}") from error
        nonce = _printable(str(claims.get("nonce")))
        if not secrets.compare_digest(nonce.encode(), visit.nonce.encode()):
            raise self._failed("sent an ID token for another visit")
        # OpenID Connect Core 1.0, 3.1.3.7: a token for several sites says for which it was issued.
        has_others = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if claims.get("azp", None if has_others else self.client) != self.client:
            raise self._failed("sent an ID token for another site")
        subject = str(claims["sub"])
        if not 0 < len(subject) <= _MAX_SUBJECT or _printable(subject) != subject:
            raise self._failed("sent an ID token without a person")
        return claims

    def _identity(self, claims: Mapping[str, Any]) -> Identity:
        email = _text(claims, "email") if claims.get("email_verified") is True else ""
        username = (_text(claims, "preferred_username") or email).partition("@")[0]
        name = _text(claims, "name") or username
        proved = _time(claims.get("auth_time"))
        return Identity(self.issuer, str(claims["sub"]), name, username, email, proved)

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
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, RecursionError) as error:
            raise self._failed("does not answer") from error
        if response.status_code != 200 or not isinstance(found, dict):
            reason = found.get("error") if isinstance(found, dict) else ""
            raise self._failed(f"answered {response.status_code} {reason or ''}".rstrip())
        return cast(dict[str, Any], found)

    def _failed(self, what: str) -> ProviderFailed:
        clean = _printable(what)[:_MAX_TEXT]
        return ProviderFailed(f"{self.name} {clean}. Try again, or sign in with your password.")


def _text(claims: Mapping[str, Any], name: str) -> str:
    """Return a claim if it is a text of a usual length, or an empty string."""
    value = claims.get(name)
    return _printable(value) if isinstance(value, str) and len(value) <= _MAX_TEXT else ""


def _printable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _time(value: object) -> datetime | None:
    """Return a time in seconds since 1970, or None if it is not one of this or the next century."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _LAST_TIME:
        return None
    return datetime.fromtimestamp(value, UTC)


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
