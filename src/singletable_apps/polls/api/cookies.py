"""The cookie by which the server recognizes a browser; it is a random token."""

from __future__ import annotations

import re
import secrets

from fastapi import Request

from singletable_apps.shared.web import LONGEST_AGE, Cookie

BROWSER = Cookie("polls_browser", max_age=LONGEST_AGE)
_TOKEN = re.compile(r"[A-Za-z0-9_-]{22,64}")


def new_token() -> str:
    """Return a token for a browser that has none."""
    return secrets.token_urlsafe(24)


def token_of(request: Request) -> str | None:
    """Return the token of the browser, or None if it sent none of ours."""
    sent = BROWSER.read(request)
    return sent if _TOKEN.fullmatch(sent) else None
