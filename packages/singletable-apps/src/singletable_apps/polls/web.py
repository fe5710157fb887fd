"""The cookie that identifies a browser, for the API and the pages."""

from __future__ import annotations

import re
import secrets
from typing import Annotated, TypeAlias

from fastapi import Depends, Request
from fastapi.security import APIKeyCookie

from singletable_apps.shared.web import LONGEST_AGE, Cookie

# A random token by which the server recognizes a browser that votes or creates polls.
BROWSER = Cookie("polls_browser", max_age=LONGEST_AGE)
_BROWSER_TOKEN = re.compile(r"[A-Za-z0-9_-]{22,64}")

_COOKIE = APIKeyCookie(
    name=BROWSER.full_name(secure=True),
    scheme_name="browser cookie",
    description=f"Set when you vote or create a poll. Without TLS its name is {BROWSER.name}.",
    auto_error=False,
)


def new_browser_token() -> str:
    """Return a token for a browser that has none."""
    return secrets.token_urlsafe(24)


async def _browser(request: Request, _: Annotated[str | None, Depends(_COOKIE)]) -> str | None:
    token = BROWSER.read(request)
    return token if _BROWSER_TOKEN.fullmatch(token) else None


# The token of the browser, or None.
Browser: TypeAlias = Annotated[str | None, Depends(_browser)]
