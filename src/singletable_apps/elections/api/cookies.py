"""The cookie that renews access tokens: no script reads it, and no other site sends it."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, Request, Response
from fastapi.security import APIKeyCookie

from singletable_apps.elections.api.asking import Api, ThisApi
from singletable_apps.elections.service import SignedIn

# The prefix makes browsers refuse it unless it is Secure, for the path /, and of this host alone.
SECURE_NAME = "__Host-elections_refresh"
PLAIN_NAME = "elections_refresh"

_SCHEME = APIKeyCookie(
    name=SECURE_NAME,
    scheme_name="refresh cookie",
    description=f"Set by signing in; it is called {PLAIN_NAME} where the service has no TLS.",
    auto_error=False,
)


def _refresh(
    request: Request, api: ThisApi, _: Annotated[str | None, Depends(_SCHEME)]
) -> str | None:
    return request.cookies.get(name_of(api))


RefreshCookie: TypeAlias = Annotated[str | None, Depends(_refresh)]


def name_of(api: Api) -> str:
    """What the cookie is called."""
    return SECURE_NAME if api.settings.secure_cookies else PLAIN_NAME


def keep(response: Response, api: Api, signed_in: SignedIn) -> None:
    """Let the browser keep the token that renews, until the session ends."""
    left = signed_in.ends - api.elections.office.clock()
    response.set_cookie(
        name_of(api),
        signed_in.refresh,
        max_age=max(0, int(left.total_seconds())),
        path="/",
        secure=api.settings.secure_cookies,
        httponly=True,
        samesite="strict",
    )


def forget(response: Response, api: Api) -> None:
    """Let the browser forget it."""
    response.delete_cookie(
        name_of(api),
        path="/",
        secure=api.settings.secure_cookies,
        httponly=True,
        samesite="strict",
    )
