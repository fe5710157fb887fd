"""Flash messages: a sentence that the next page shows once, carried in a signed cookie."""

from __future__ import annotations

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from fastapi import Request

from singletable_apps.shared.web import Cookie

Tone: TypeAlias = Literal["good", "warning", "danger"]
_COOKIE = Cookie("flash", max_age=60)
_SEAL_BYTES = 16
# Browsers drop cookies above 4 kB.
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Flash:
    """A message, and whether it is good news."""

    text: str
    tone: Tone = "good"


class FlashMessages:
    """Keeps a message until the next page.

    It is signed, so that another site that sets a cookie cannot put words into our mouth.
    """

    def __init__(self, secret: bytes) -> None:
        if len(secret) < _SEAL_BYTES:
            given = f"{len(secret)} bytes"
            raise ValueError(f"Expected a secret of at least {_SEAL_BYTES} bytes, but got {given}.")
        self._secret = secret

    def add(self, request: Request, flash: Flash) -> None:
        """Show the message on the next page."""
        content = json.dumps([flash.tone, flash.text[:_LONGEST]]).encode()
        sealed = urlsafe_b64encode(self._seal(content) + content).rstrip(b"=").decode()
        _COOKIE.set(request, sealed)

    def take(self, request: Request) -> Flash | None:
        """Return the message to show now, and delete it; None if there is none of ours."""
        sent = _COOKIE.read(request)
        if not sent:
            return None
        try:
            sealed = urlsafe_b64decode(sent + "=" * (-len(sent) % 4))
        except ValueError:
            return None
        seal, content = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
        if not hmac.compare_digest(seal, self._seal(content)):
            return None
        _COOKIE.delete(request)
        tone, text = cast(tuple[Tone, str], json.loads(content))
        return Flash(text, tone)

    def _seal(self, content: bytes) -> bytes:
        return hmac.digest(self._secret, b"flash\0" + content, "sha256")[:_SEAL_BYTES]
