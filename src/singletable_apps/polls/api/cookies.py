"""The cookie by which a browser is known again: no script reads it, and it says nothing."""

from __future__ import annotations

import re
import secrets

from fastapi import Request, Response

_TOKEN = re.compile(r"[A-Za-z0-9_-]{22,64}")
# Browsers keep a cookie for 400 days at most.
KEPT_SECONDS = 400 * 24 * 3600


def new_token() -> str:
    """What a browser is known by that was not here before."""
    return secrets.token_urlsafe(24)


def token_of(request: Request, *, secure: bool) -> str | None:
    """What the browser is known by; None if it sent nothing, or nothing of ours."""
    sent = request.cookies.get(name_of(secure=secure), "")
    return sent if _TOKEN.fullmatch(sent) else None


def keep(response: Response, token: str, *, secure: bool) -> None:
    """Let the browser be known from now on."""
    response.set_cookie(
        name_of(secure=secure),
        token,
        max_age=KEPT_SECONDS,
        path="/",
        secure=secure,
        httponly=True,
        samesite="lax",
    )


def name_of(*, secure: bool) -> str:
    """What the cookie is called; the prefix makes browsers refuse it unless it is of this host."""
    return "__Host-polls_browser" if secure else "polls_browser"
