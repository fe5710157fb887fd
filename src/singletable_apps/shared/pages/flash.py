"""A word after something was done: it travels in a sealed cookie, and is shown once."""

from __future__ import annotations

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from fastapi import Request, Response

COOKIE = "toast"
Tone: TypeAlias = Literal["good", "warning", "danger"]
_SECONDS = 60
_SEAL_BYTES = 16
# Browsers drop cookies above 4 kB.
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Flash:
    """What is said, and how it is meant."""

    text: str
    tone: Tone = "good"


class FlashMessages:
    """Gives toasts along with answers, and takes them from requests.

    They are sealed so that no other page, by setting a cookie, can put words into our mouth.
    """

    def __init__(self, secret: bytes, *, secure: bool) -> None:
        if len(secret) < _SEAL_BYTES:
            given = f"{len(secret)} bytes"
            raise ValueError(f"Expected a secret of at least {_SEAL_BYTES} bytes, but got {given}.")
        self._secret = secret
        self._secure = secure

    def give(self, response: Response, toast: Flash) -> None:
        """Let the next page say it."""
        content = json.dumps([toast.tone, toast.text[:_LONGEST]]).encode()
        sealed = urlsafe_b64encode(self._seal(content) + content).rstrip(b"=").decode()
        response.set_cookie(
            COOKIE,
            sealed,
            max_age=_SECONDS,
            path="/",
            secure=self._secure,
            httponly=True,
            samesite="lax",
        )

    def take(self, request: Request) -> Flash | None:
        """What is to be said on this page; nothing if it is not sealed by us."""
        sent = request.cookies.get(COOKIE, "")
        try:
            sealed = urlsafe_b64decode(sent + "=" * (-len(sent) % 4))
        except ValueError:
            return None
        seal, content = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
        if not hmac.compare_digest(seal, self._seal(content)):
            return None
        tone, text = cast(tuple[Tone, str], json.loads(content))
        return Flash(text, tone)

    def forget(self, response: Response) -> None:
        """Let the browser forget what was said."""
        response.delete_cookie(COOKIE, path="/", secure=self._secure, httponly=True, samesite="lax")

    def _seal(self, content: bytes) -> bytes:
        return hmac.digest(self._secret, b"toast\0" + content, "sha256")[:_SEAL_BYTES]
