"""Joining, signing in and out, and the way back for who has forgotten a password."""

from __future__ import annotations

import logging
from typing import Annotated, TypeAlias

from fastapi import BackgroundTasks, Depends, Request, Response
from fastapi.security import APIKeyCookie

from singletable_apps.elections.api.dependencies import Api, ThisApi, Whole, by_address
from singletable_apps.elections.api.problems import TAKEN, api_router
from singletable_apps.elections.api.schemas import (
    Account,
    Credentials,
    NewPassword,
    Registration,
    ResetRequest,
    Tokens,
)
from singletable_apps.elections.errors import NotSignedIn
from singletable_apps.elections.service import Elections, SignedIn
from singletable_apps.shared.accounts import TooManyAttempts
from singletable_apps.shared.mail import MailError
from singletable_apps.shared.web import NOT_SIGNED_IN, TOO_MANY, client_address, responses

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
    left = signed_in.ends - api.elections.context.clock()
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


ERRORS = logging.getLogger("singletable_apps.errors")
COOKIE = {"Set-Cookie": {"description": "What renews the token.", "schema": {"type": "string"}}}

router = api_router("access", TOO_MANY)


@router.post(
    "/register",
    status_code=201,
    responses={**responses(TAKEN), 201: {"headers": COOKIE}},
    dependencies=[Depends(by_address(lambda limits: limits.register))],
)
def register(sent: Registration, request: Request, response: Response, api: ThisApi) -> Tokens:
    """Join, and be signed in; the first of all is the owner of the application."""
    user = api.elections.people.register(sent.name, sent.email, sent.password)
    return tokens(response, api, api.elections.auth.welcome(user, _about(request)))


@router.post(
    "/sign-in",
    responses={**responses(NOT_SIGNED_IN), 200: {"headers": COOKIE}},
    dependencies=[Depends(by_address(lambda limits: limits.sign_in)), Whole],
)
def sign_in(sent: Credentials, request: Request, response: Response, api: ThisApi) -> Tokens:
    """Sign in with a name or an e-mail address, and a password."""
    signed_in = api.elections.auth.sign_in(
        sent.name_or_email,
        sent.password,
        address=client_address(request),
        about=_about(request),
    )
    return tokens(response, api, signed_in)


@router.post(
    "/refresh",
    responses={**responses(NOT_SIGNED_IN), 200: {"headers": COOKIE}},
    dependencies=[Whole],
)
def refresh(response: Response, api: ThisApi, cookie: RefreshCookie) -> Tokens:
    """Another access token for the cookie, which is replaced: each works once."""
    if cookie is None:
        raise NotSignedIn("The cookie that signing in sets did not come. Sign in.")
    return tokens(response, api, api.elections.auth.renew(cookie))


# The cookie may be missing, and then nobody is signed out.
@router.post("/sign-out", status_code=204, openapi_extra={"security": [{}]})
def sign_out(response: Response, api: ThisApi, cookie: RefreshCookie) -> None:
    """End the session of the cookie; without one nothing happens."""
    if cookie is not None:
        api.elections.auth.sign_out(cookie)
    forget(response, api)


@router.post(
    "/password-reset",
    status_code=202,
    dependencies=[Depends(by_address(lambda limits: limits.reset)), Whole],
)
def request_password_reset(
    sent: ResetRequest, request: Request, api: ThisApi, tasks: BackgroundTasks
) -> None:
    """Have a letter sent to whoever this is. The answer is the same if it is nobody."""
    # Sent after the answer, for how long it takes would tell whether there is anybody.
    tasks.add_task(send_reset_letter, api.elections, sent.name_or_email, client_address(request))


@router.post(
    "/password-reset/confirm",
    responses={**responses(NOT_SIGNED_IN), 200: {"headers": COOKIE}},
    dependencies=[Depends(by_address(lambda limits: limits.reset)), Whole],
)
def confirm_password_reset(sent: NewPassword, response: Response, api: ThisApi) -> Tokens:
    """Choose another password by the link in the letter, and be signed in; it works once."""
    return tokens(response, api, api.elections.auth.reset(sent.token, sent.password))


def tokens(response: Response, api: Api, signed_in: SignedIn) -> Tokens:
    """The answer to who has signed in, with the cookie."""
    keep(response, api, signed_in)
    return Tokens(
        access_token=signed_in.access,
        token_type="Bearer",
        expires_in=int(api.elections.auth.lifetime.total_seconds()),
        user=Account.of(signed_in.user, signed_in.user),
    )


def _about(request: Request) -> str:
    return request.headers.get("user-agent", "")


def send_reset_letter(elections: Elections, name_or_email: str, address: str) -> None:
    """Send a letter to whoever it is; whoever asks too often, or cannot get it, is not told."""
    try:
        elections.auth.request_reset(name_or_email, address=address)
    except TooManyAttempts:
        return
    except MailError:
        ERRORS.exception("A letter to who has forgotten a password was not sent.")
