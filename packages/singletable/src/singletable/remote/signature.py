"""AWS Signature Version 4 for requests that differ only in target and body.

Everything else is computed once per second, because the timestamp is part of it, and the signing
key once per day.
"""

from __future__ import annotations

import hmac
import time
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol

from singletable.errors import CredentialsError

SERVICE = "dynamodb"
CONTENT_TYPE = "application/x-amz-json-1.0"
ALGORITHM = "AWS4-HMAC-SHA256"


class Credentials(Protocol):
    """Access keys; botocore's frozen credentials have this shape."""

    @property
    def access_key(self) -> str:
        """The access key ID."""
        ...

    @property
    def secret_key(self) -> str:
        """The secret access key, which is never sent."""
        ...

    @property
    def token(self) -> str | None:
        """The session token of temporary credentials."""
        ...


@dataclass(frozen=True, slots=True)
class StaticCredentials:
    """Fixed credentials."""

    access_key: str
    secret_key: str
    token: str | None = None


@dataclass(frozen=True, slots=True)
class _SigningContext:
    """The shared parts of all signatures of one second and one key."""

    second: int
    credentials: Credentials
    canonical: bytes
    signed_names: bytes
    to_sign: bytes
    key: bytes
    headers: bytes


class Signer:
    """Sign requests to one host in one region."""

    def __init__(self, host: str, region: str) -> None:
        self._host = host
        self._region = region
        self._context: _SigningContext | None = None
        self._key_cache: tuple[tuple[str, str], bytes] | None = None

    def headers(self, target: str, body: bytes, credentials: Credentials, now: float) -> bytes:
        """Return the headers of a signed request, the authorization included."""
        context = self._context
        if (
            context is None
            or context.second != int(now)
            or (context.credentials is not credentials and not _is_for(context, credentials))
        ):
            # Threads may compute this concurrently, with the same result.
            context = self._context = self._create_context(int(now), credentials)
        name = target.encode()
        digest = sha256(body).hexdigest().encode()
        canonical = sha256(
            b"%b%b\n\n%b\n%b" % (context.canonical, name, context.signed_names, digest)
        )
        signature = hmac.digest(
            context.key, context.to_sign + canonical.hexdigest().encode(), "sha256"
        )
        return b"%b%b\r\nx-amz-target: %b\r\n" % (context.headers, signature.hex().encode(), name)

    def _create_context(self, second: int, credentials: Credentials) -> _SigningContext:
        _check_printable(credentials)
        date = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(second))
        scope = f"{date[:8]}/{self._region}/{SERVICE}/aws4_request"
        signed = {"content-type": CONTENT_TYPE, "host": self._host, "x-amz-date": date}
        if credentials.token:
            signed["x-amz-security-token"] = credentials.token
        lines = "".join(f"{name}:{_collapse_spaces(value)}\n" for name, value in signed.items())
        names = ";".join((*signed, "x-amz-target"))
        headers = "".join(f"{name}: {value}\r\n" for name, value in signed.items())
        return _SigningContext(
            second,
            credentials,
            canonical=f"POST\n/\n\n{lines}x-amz-target:".encode(),
            signed_names=names.encode(),
            to_sign=f"{ALGORITHM}\n{date}\n{scope}\n".encode(),
            key=self._signing_key(date[:8], credentials.secret_key),
            headers=(
                f"{headers}authorization: {ALGORITHM} Credential={credentials.access_key}/{scope}, "
                f"SignedHeaders={names}, Signature="
            ).encode(),
        )

    def _signing_key(self, date: str, secret: str) -> bytes:
        if self._key_cache is not None and self._key_cache[0] == (date, secret):
            return self._key_cache[1]
        key = b"AWS4" + secret.encode()
        for part in (date, self._region, SERVICE, "aws4_request"):
            key = hmac.digest(key, part.encode(), "sha256")
        self._key_cache = ((date, secret), key)
        return key


def _is_for(context: _SigningContext, credentials: Credentials) -> bool:
    current = context.credentials
    return (
        current.access_key == credentials.access_key
        and current.secret_key == credentials.secret_key
        and current.token == credentials.token
    )


def _collapse_spaces(value: str) -> str:
    """Collapse whitespace, as the canonical request requires."""
    return " ".join(value.split())


def _check_printable(credentials: Credentials) -> None:
    """Raise CredentialsError if a header cannot contain them: a line break would start another."""
    for name, value in (("access key", credentials.access_key), ("token", credentials.token or "")):
        if not (value.isascii() and value.isprintable()):
            raise CredentialsError(
                f"The {name} of the credentials contains characters that are invalid in a header. "
                "Check it for line breaks."
            )
