"""Flash messages: a sentence that the next page shows once, carried in a sealed cookie."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal, TypeAlias

from fastapi import Request

from singletable_apps.shared.sealed import InvalidSeal, Sealer
from singletable_apps.shared.web import Cookie

Tone: TypeAlias = Literal["good", "warning", "danger"]
_LIFETIME = timedelta(minutes=1)
_COOKIE = Cookie("flash", max_age=int(_LIFETIME.total_seconds()))
# Browsers drop cookies above 4 kB.
_MAX_LENGTH = 500


@dataclass(frozen=True, slots=True)
class Flash:
    """A message, whether it is good news, and the URL to which a button “Undo” posts."""

    text: str
    tone: Tone = "good"
    undo: str = ""


class FlashMessages:
    """Keeps a message until the next page.

    It is sealed, so that another site that sets a cookie cannot make us show its text.
    """

    def __init__(self, secret: bytes) -> None:
        self._sealer = Sealer(secret, Flash, "flash messages")

    def add(self, request: Request, flash: Flash) -> None:
        """Show the message on the next page."""
        shown = replace(flash, text=flash.text[:_MAX_LENGTH])
        _COOKIE.set(request, self._sealer.seal(shown))

    def take(self, request: Request) -> Flash | None:
        """Return the message to show now, or None, and delete it."""
        sealed = _COOKIE.read(request)
        if not sealed:
            return None
        try:
            flash = self._sealer.open(sealed, max_age=_LIFETIME)
        except InvalidSeal:
            return None
        _COOKIE.delete(request)
        return flash
