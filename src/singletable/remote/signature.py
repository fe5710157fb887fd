"""Signature Version 4 for requests of one shape: a POST to `/` with always the same headers.

What differs from request to request is the target and the body. The rest is worked out once a
second, because the time is part of it, and the key once a day.
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
    """Who asks; botocore's frozen credentials are such."""

    @property
    def access_key(self) -> str:
        """The name of the key."""
        ...

    @property
    def secret_key(self) -> str:
        """The key itself, which is never sent."""
        ...

    @property
    def token(self) -> str | None:
        """What proves the session that the key belongs to, if it does to one."""
        ...


@dataclass(frozen=True, slots=True)
class Known:
    """Credentials that are known beforehand."""

    access_key: str
    secret_key: str
    token: str | None = None


@dataclass(frozen=True, slots=True)
class _Moment:
    """What all requests of one second, signed by one key, have in common."""

    second: int
    credentials: Credentials
    canonical: bytes
    signed_names: bytes
    to_sign: bytes
    key: bytes
    headers: bytes


class Signer:
    """Signs requests to one host in one region."""

    def __init__(self, host: str, region: str) -> None:
        self._host = host
        self._region = region
        self._moment: _Moment | None = None
        self._day: tuple[tuple[str, str], bytes] | None = None

    def headers(self, target: str, body: bytes, credentials: Credentials, now: float) -> bytes:
        """The headers that say who asks for what, and prove it."""
        moment = self._moment
        if (
            moment is None
            or moment.second != int(now)
            or (moment.credentials is not credentials and not _same(moment, credentials))
        ):
            # Threads that meet here do the same work twice, and come to the same result.
            moment = self._moment = self._at(int(now), credentials)
        asked = target.encode()
        canonical = sha256(
            b"%b%b\n\n%b\n%b"
            % (moment.canonical, asked, moment.signed_names, sha256(body).hexdigest().encode())
        )
        signature = hmac.digest(
            moment.key, moment.to_sign + canonical.hexdigest().encode(), "sha256"
        )
        return b"%b%b\r\nx-amz-target: %b\r\n" % (moment.headers, signature.hex().encode(), asked)

    def _at(self, second: int, credentials: Credentials) -> _Moment:
        _check(credentials)
        date = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(second))
        scope = f"{date[:8]}/{self._region}/{SERVICE}/aws4_request"
        signed = {"content-type": CONTENT_TYPE, "host": self._host, "x-amz-date": date}
        if credentials.token:
            signed["x-amz-security-token"] = credentials.token
        lines = "".join(f"{name}:{_spaced(value)}\n" for name, value in signed.items())
        names = ";".join((*signed, "x-amz-target"))
        headers = "".join(f"{name}: {value}\r\n" for name, value in signed.items())
        return _Moment(
            second,
            credentials,
            canonical=f"POST\n/\n\n{lines}x-amz-target:".encode(),
            signed_names=names.encode(),
            to_sign=f"{ALGORITHM}\n{date}\n{scope}\n".encode(),
            key=self._key(date[:8], credentials.secret_key),
            headers=(
                f"{headers}authorization: {ALGORITHM} Credential={credentials.access_key}/{scope}, "
                f"SignedHeaders={names}, Signature="
            ).encode(),
        )

    def _key(self, date: str, secret: str) -> bytes:
        if self._day is not None and self._day[0] == (date, secret):
            return self._day[1]
        key = b"AWS4" + secret.encode()
        for part in (date, self._region, SERVICE, "aws4_request"):
            key = hmac.digest(key, part.encode(), "sha256")
        self._day = ((date, secret), key)
        return key


def _same(moment: _Moment, credentials: Credentials) -> bool:
    mine = moment.credentials
    return (
        mine.access_key == credentials.access_key
        and mine.secret_key == credentials.secret_key
        and mine.token == credentials.token
    )


def _spaced(value: str) -> str:
    """The value as it is signed: with single spaces."""
    return " ".join(value.split())


def _check(credentials: Credentials) -> None:
    """Raise CredentialsError if a header cannot hold them; a line break would begin another."""
    for name, value in (("access key", credentials.access_key), ("token", credentials.token or "")):
        if not (value.isascii() and value.isprintable()):
            raise CredentialsError(
                f"The {name} of the credentials has characters that no header can hold. Copy it "
                "again, without line breaks."
            )
