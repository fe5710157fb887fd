"""Register, sign in, and read one's own account: the original's `/register`, `/login` and `/me`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Header, Request

from singletable_apps.shared.frame import limited
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_SIGNED_IN,
    PUBLIC,
    TOO_MANY_REQUESTS,
    api_router,
    client_address,
    responses,
)
from singletable_apps.skills.api import schemas
from singletable_apps.skills.api.dependencies import EXISTS, Actor, Service

router = api_router("accounts", TOO_MANY_REQUESTS)
UserAgent: TypeAlias = Annotated[str, Header(include_in_schema=False)]


@router.post(
    "/register",
    status_code=201,
    responses=responses(EXISTS, NOT_ALLOWED),
    dependencies=limited("register"),
    openapi_extra=PUBLIC,
)
def register(new: schemas.NewUser, service: Service) -> schemas.Message:
    """Create an account. The first one needs the set-up code and becomes the administrator.

    If the site has a mail server, the e-mail address is saved when it is confirmed, with
    `/email/confirm`.
    """
    service.accounts.register(new.username, new.name, new.password, new.email, new.setup_code)
    return schemas.Message(message="User registered successfully")


@router.post(
    "/login",
    responses=responses(NOT_SIGNED_IN),
    dependencies=limited("sign_in"),
    openapi_extra=PUBLIC,
)
def sign_in(
    sent: schemas.Credentials, request: Request, service: Service, user_agent: UserAgent = ""
) -> schemas.Tokens:
    """Sign in with a username and a password.

    Send the `device_token` of an earlier response, so that others' guesses don't lock you out.
    """
    signed_in = service.accounts.sign_in(
        sent.username,
        sent.password,
        address=client_address(request),
        about=user_agent,
        device=sent.device_token,
    )
    return schemas.Tokens.of(signed_in)


@router.post(
    "/refresh",
    responses=responses(NOT_SIGNED_IN),
    dependencies=limited("sign_in"),
    openapi_extra=PUBLIC,
)
def refresh(sent: schemas.RefreshToken, service: Service) -> schemas.Tokens:
    """Exchange a refresh token, which works once, for new tokens."""
    return schemas.Tokens.of(service.accounts.renew(sent.refresh_token))


@router.post("/logout", openapi_extra=PUBLIC)
def sign_out(sent: schemas.RefreshToken, service: Service) -> schemas.Message:
    """End the session of a refresh token. An unknown token is ignored."""
    service.accounts.sign_out(sent.refresh_token)
    return schemas.Message(message="You are signed out.")


@router.post(
    "/email/confirm",
    responses=responses(NOT_SIGNED_IN),
    dependencies=limited("sign_in"),
    openapi_extra=PUBLIC,
)
def confirm_email(sent: schemas.EmailToken, service: Service) -> schemas.Message:
    """Change an e-mail address with the single-use token from the e-mail to the new one."""
    service.accounts.emails.confirm(sent.token)
    return schemas.Message(message="Your e-mail address was changed.")


@router.get("/me", responses=responses(NOT_SIGNED_IN))
def read_me(actor: Actor) -> schemas.Person:
    """Return your account."""
    return schemas.Person.model_validate(actor)
