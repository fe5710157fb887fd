"""What the API and the pages share: the cookie of a browser, and the limit on guesses of codes."""

from __future__ import annotations

import re
import secrets
from contextlib import AbstractContextManager, nullcontext
from typing import Annotated, TypeAlias

from fastapi import Depends, Request
from fastapi.security import APIKeyCookie

from singletable_apps.polls.errors import InvalidCode
from singletable_apps.shared import web
from singletable_apps.shared.frame import limit_failures

# A random token by which the server recognizes a browser that votes or creates polls.
BROWSER = web.Cookie("polls_browser", max_age=web.LONGEST_AGE)
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


def limit_guesses(request: Request, code: str | None) -> AbstractContextManager[None]:
    """Raise a 429 problem after too many invalid codes; count InvalidCode raised inside."""
    if not code:
        return nullcontext()
    return limit_failures(request, "guess", lambda error: isinstance(error, InvalidCode))
