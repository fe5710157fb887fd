"""Register, sign in and out. Forgotten passwords are reset on a page."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, Request, Response
from fastapi.security import APIKeyCookie

from singletable_apps.elections.api import schemas
from singletable_apps.elections.api.dependencies import Service, Whole
from singletable_apps.elections.service import Elections
from singletable_apps.elections.service.auth import SignedIn
from singletable_apps.elections.web import TAKEN
from singletable_apps.shared import web
from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.frame import limited
from singletable_apps.shared.frame.people_api import EmailToken
from singletable_apps.shared.web import NOT_SIGNED_IN, Cookie, client_address, responses

_COOKIE = Cookie("elections_refresh", same_site="strict")
# The server counts sign-in attempts with this token apart from others' guesses.
_DEVICE = Cookie("elections_api_device", max_age=web.LONGEST_AGE, same_site="strict")
_SCHEME = APIKeyCookie(
    name=_COOKIE.full_name(secure=True),
    scheme_name="refresh cookie",
    description=f"Set by signing in. Without TLS it is called {_COOKIE.name}.",
    auto_error=False,
)


async def _refresh(request: Request, _: Annotated[str | None, Depends(_SCHEME)]) -> str | None:
    return _COOKIE.read(request) or None


RefreshCookie: TypeAlias = Annotated[str | None, Depends(_refresh)]
COOKIE = {"Set-Cookie": {"description": "The refresh cookie.", "schema": {"type": "string"}}}
_SIGNS_IN = {**responses(NOT_SIGNED_IN), 200: {"headers": COOKIE}}

router = web.api_router("auth", web.TOO_MANY_REQUESTS)


@router.post(
    "/register",
    status_code=201,
    responses={
        **responses(TAKEN),
        201: {"headers": COOKIE},
        202: {"model": schemas.RegistrationPending, "description": "Confirm the e-mail address."},
    },
    dependencies=limited("register"),
)
def register(
    sent: schemas.Registration, request: Request, response: Response, service: Service
) -> schemas.Tokens | schemas.RegistrationPending:
    """Register and sign in. The first user needs the set-up code, and becomes the owner.

    If the site sends e-mails, the response is 202 for every address. The account is created when
    the user opens the link in the e-mail and enters the password.
    """
    user = service.people.register_visitor(sent.name, sent.email, sent.password, sent.setup_code)
    if user is None:
        response.status_code = 202
        return schemas.RegistrationPending(email=sent.email)
    return tokens(request, service, service.auth.start_session(user, _about(request)))


@router.post("/sign-in", responses=_SIGNS_IN, dependencies=[*limited("sign_in"), Whole])
def sign_in(sent: schemas.Credentials, request: Request, service: Service) -> schemas.Tokens:
    """Sign in with a name or e-mail address and a password."""
    signed_in = service.auth.sign_in(
        sent.name_or_email,
        sent.password,
        address=client_address(request),
        about=_about(request),
        device=_DEVICE.read(request),
    )
    return tokens(request, service, signed_in)


@router.post("/refresh", responses=_SIGNS_IN, dependencies=[Whole])
def refresh(request: Request, service: Service, cookie: RefreshCookie) -> schemas.Tokens:
    """Exchange the refresh cookie for an access token. Each cookie works once and is replaced."""
    if cookie is None:
        raise NotSignedIn("The refresh cookie is missing. Sign in.")
    return tokens(request, service, service.auth.renew(cookie))


# The cookie may be missing: signing out then does nothing.
@router.post("/sign-out", status_code=204, openapi_extra={"security": [{}]})
def sign_out(request: Request, service: Service, cookie: RefreshCookie) -> None:
    """End the session. Without a cookie, nothing happens."""
    if cookie is not None:
        service.auth.sign_out(cookie)
    _COOKIE.delete(request)


@router.post(
    "/email/confirm",
    status_code=204,
    responses=responses(NOT_SIGNED_IN, TAKEN),
    dependencies=[*limited("reset"), Whole],
)
def confirm_email(sent: EmailToken, service: Service) -> None:
    """Change an e-mail address with the single-use token from the e-mail to the new one."""
    service.auth.emails.confirm(sent.token)


def tokens(request: Request, service: Elections, signed_in: SignedIn) -> schemas.Tokens:
    """Return the access token, and set the cookie that renews it."""
    _COOKIE.set(request, signed_in.refresh, max_age=signed_in.max_age)
    if signed_in.device:
        _DEVICE.set(request, signed_in.device)
    return schemas.Tokens(
        access_token=signed_in.access,
        token_type="Bearer",
        expires_in=int(service.auth.lifetime.total_seconds()),
        user=schemas.Account.of(signed_in.user, signed_in.user),
    )


def _about(request: Request) -> str:
    return request.headers.get("user-agent", "")
