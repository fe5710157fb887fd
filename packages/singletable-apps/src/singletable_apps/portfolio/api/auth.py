"""Sign in and out, set up a new site, and manage accounts."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Header, Path, Request

from singletable_apps.portfolio.api import schemas
from singletable_apps.portfolio.api.dependencies import TAKEN, Actor, EnvelopeRouter, Service
from singletable_apps.portfolio.entities import Role, User
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.shared.accounts import Invitation, SensitiveAction, SignedIn
from singletable_apps.shared.frame import Recent, limited
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    SIGNED_IN,
    TOO_MANY_REQUESTS,
    IfMatch,
    client_address,
    responses,
)

router = EnvelopeRouter("auth", TOO_MANY_REQUESTS)
users_router = EnvelopeRouter("users", *SIGNED_IN)
_LIMITED = limited("sign_in")
UserId: TypeAlias = Annotated[int, Path(ge=1, lt=1 << 53, description="The id of the account.")]
UserAgent: TypeAlias = Annotated[str, Header(include_in_schema=False)]


@router.post(
    "/auth/setup", status_code=201, responses=responses(NOT_ALLOWED), dependencies=_LIMITED
)
def set_up(setup: schemas.Setup, service: Service, user_agent: UserAgent = "") -> schemas.Tokens:
    """Create the owner of a new site and sign in. This works once, with the set-up code."""
    user = service.accounts.set_up(
        setup.name, setup.email, setup.password, setup.site_title, setup.setup_code
    )
    return _tokens(service, service.accounts.start_session(user, user_agent))


@router.post("/auth/login", responses=responses(NOT_SIGNED_IN), dependencies=_LIMITED)
def sign_in(
    sent: schemas.Credentials, request: Request, service: Service, user_agent: UserAgent = ""
) -> schemas.Tokens:
    """Sign in with an e-mail address and a password.

    Send the `device_token` of an earlier response, so that others' guesses don't lock you out.
    """
    signed_in = service.accounts.sign_in(
        sent.email,
        sent.password,
        address=client_address(request),
        about=user_agent,
        device=sent.device_token,
    )
    return _tokens(service, signed_in)


@router.post("/auth/refresh", responses=responses(NOT_SIGNED_IN), dependencies=_LIMITED)
def refresh(sent: schemas.RefreshToken, service: Service) -> schemas.Tokens:
    """Exchange a refresh token, which works once, for new tokens."""
    return _tokens(service, service.accounts.renew(sent.refresh_token))


@router.post("/auth/logout")
def sign_out(sent: schemas.RefreshToken, service: Service) -> schemas.Message:
    """End the session of a refresh token. An unknown token is ignored."""
    service.accounts.sign_out(sent.refresh_token)
    return schemas.Message(message="You are signed out.")


@router.get("/auth/me", response_model=schemas.UserBody, responses=responses(NOT_SIGNED_IN))
def read_me(actor: Actor) -> User:
    """Return your account."""
    return actor


@router.put("/auth/password", responses=responses(NOT_SIGNED_IN))
def change_password(
    change: schemas.PasswordChange, service: Service, actor: Actor, user_agent: UserAgent = ""
) -> schemas.Tokens:
    """Change your password. All sessions end, and a new one starts."""
    changed = service.accounts.change_own_password(
        actor, change.current, change.new, about=user_agent
    )
    return _tokens(service, changed)


def _tokens(service: PortfolioService, signed_in: SignedIn[User]) -> schemas.Tokens:
    return schemas.Tokens(
        access_token=signed_in.access,
        refresh_token=signed_in.refresh,
        expires_in=int(service.accounts.lifetime.total_seconds()),
        device_token=signed_in.device or None,
    )


# ------------------------------------------------------------------------------ accounts


@users_router.get("/users", response_model=list[schemas.UserBody])
def list_users(service: Service, actor: Actor) -> list[User]:
    """List all accounts, oldest first."""
    return service.accounts.list_accounts(actor)


@users_router.post(
    "/users", response_model=schemas.Invitation, status_code=201, responses=responses(TAKEN)
)
def invite_user(
    new: schemas.NewUser, service: Service, actor: Actor, recent: Recent
) -> Invitation[User]:
    """Create an account. Its owner gets an e-mail with a link to choose a password.

    Inviting an owner of the site requires a sign-in within the last five minutes.
    """
    if new.role is Role.OWNER:
        recent(SensitiveAction.GIVE_CONTROL)
    return service.accounts.invite(actor, new.name, new.email, new.role)


@users_router.put(
    "/users/{user_id}", response_model=schemas.UserBody, responses=responses(NOT_FOUND)
)
def change_role(
    user_id: UserId,
    change: schemas.RoleChange,
    service: Service,
    actor: Actor,
    edit: IfMatch,
    recent: Recent,
) -> User:
    """Change the role of an account. The last owner stays an owner.

    Making someone an owner requires a sign-in within the last five minutes.
    """
    if change.role is Role.OWNER:
        recent(SensitiveAction.GIVE_CONTROL)
    user = service.accounts.change_role(actor, user_id, change.role, edit.check)
    edit.answer(user.revision)
    return user


@users_router.delete("/users/{user_id}", responses=responses(NOT_FOUND))
def remove_user(
    user_id: UserId, service: Service, actor: Actor, edit: IfMatch, recent: Recent
) -> schemas.Message:
    """Remove an account and end its sessions. Its posts stay.

    This requires a sign-in within the last five minutes.
    """
    recent(SensitiveAction.DELETE_ACCOUNT)
    user = service.accounts.remove(actor, user_id, edit.check)
    return schemas.Message(message=f"{user.name} can no longer sign in.")
