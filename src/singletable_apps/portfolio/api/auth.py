"""Sign in and out, set up a new site, and manage accounts."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Path, Request

from singletable_apps.portfolio.api import schemas
from singletable_apps.portfolio.api.dependencies import TAKEN, Actor, Service, limited
from singletable_apps.portfolio.api.schemas import Success, success
from singletable_apps.portfolio.entities import User
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.shared.accounts import SignedIn
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY_REQUESTS,
    IfMatch,
    api_router,
    client_address,
    responses,
)

router = api_router("auth", TOO_MANY_REQUESTS)
users_router = api_router("users", NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY_REQUESTS)
_LIMITED = [limited(lambda limits: limits.sign_in)]
UserId: TypeAlias = Annotated[int, Path(ge=1, lt=1 << 53, description="The id of the account.")]


@router.post(
    "/auth/setup",
    status_code=201,
    responses=responses(NOT_ALLOWED),
    dependencies=_LIMITED,
)
def set_up(setup: schemas.Setup, request: Request, service: Service) -> Success[schemas.Tokens]:
    """Create the owner of a new site and sign in. This works once."""
    user = service.accounts.set_up(setup.name, setup.email, setup.password, setup.site_title)
    return _tokens(service, service.accounts.start_session(user, _about(request)))


@router.post("/auth/login", responses=responses(NOT_SIGNED_IN), dependencies=_LIMITED)
def sign_in(
    credentials: schemas.Credentials, request: Request, service: Service
) -> Success[schemas.Tokens]:
    """Sign in with an e-mail address and a password."""
    signed_in = service.accounts.sign_in(
        credentials.email,
        credentials.password,
        address=client_address(request),
        about=_about(request),
    )
    return _tokens(service, signed_in)


@router.post("/auth/refresh", responses=responses(NOT_SIGNED_IN), dependencies=_LIMITED)
def refresh(sent: schemas.RefreshToken, service: Service) -> Success[schemas.Tokens]:
    """Exchange a refresh token, which works once, for new tokens."""
    return _tokens(service, service.accounts.renew(sent.refresh_token))


@router.post("/auth/logout")
def sign_out(sent: schemas.RefreshToken, service: Service) -> Success[schemas.Message]:
    """End the session of a refresh token. An unknown token is ignored."""
    service.accounts.sign_out(sent.refresh_token)
    return schemas.done("You are signed out.")


@router.get("/auth/me", responses=responses(NOT_SIGNED_IN))
def read_me(actor: Actor) -> Success[schemas.UserBody]:
    """Return your account."""
    return success(schemas.UserBody.from_object(actor))


@router.put("/auth/password", responses=responses(NOT_SIGNED_IN))
def change_password(
    change: schemas.PasswordChange, request: Request, service: Service, actor: Actor
) -> Success[schemas.Tokens]:
    """Change your password. All sessions end, and a new one starts."""
    changed = service.accounts.change_own_password(
        actor, change.current, change.new, about=_about(request)
    )
    return _tokens(service, changed)


def _about(request: Request) -> str:
    return request.headers.get("user-agent", "")


def _tokens(service: PortfolioService, signed_in: SignedIn[User]) -> Success[schemas.Tokens]:
    return success(
        schemas.Tokens(
            access_token=signed_in.access,
            refresh_token=signed_in.refresh,
            expires_in=int(service.accounts.lifetime.total_seconds()),
        )
    )


# ------------------------------------------------------------------------------ accounts


@users_router.get("/users")
def list_users(service: Service, actor: Actor) -> Success[list[schemas.UserBody]]:
    """List all accounts, oldest first."""
    return success(
        [schemas.UserBody.from_object(user) for user in service.accounts.list_accounts(actor)]
    )


@users_router.post("/users", status_code=201, responses=responses(TAKEN))
def invite_user(
    new: schemas.NewUser, service: Service, actor: Actor
) -> Success[schemas.Invitation]:
    """Create an account. Its owner gets an e-mail with a link to choose a password."""
    invited = service.accounts.invite(actor, new.name, new.email, new.role)
    return success(
        schemas.Invitation(user=schemas.UserBody.from_object(invited.user), is_sent=invited.is_sent)
    )


@users_router.put("/users/{user_id}", responses=responses(NOT_FOUND))
def change_role(
    user_id: UserId, change: schemas.RoleChange, service: Service, actor: Actor, edit: IfMatch
) -> Success[schemas.UserBody]:
    """Change the role of an account. The last owner stays an owner."""
    user = service.accounts.change_role(actor, user_id, change.role, edit.check)
    edit.answer(user.revision)
    return success(schemas.UserBody.from_object(user))


@users_router.delete("/users/{user_id}", responses=responses(NOT_FOUND))
def remove_user(
    user_id: UserId, service: Service, actor: Actor, edit: IfMatch
) -> Success[schemas.Message]:
    """Remove an account and end its sessions. Its posts stay."""
    user = service.accounts.remove(actor, user_id, edit.check)
    return schemas.done(f"{user.name} can no longer sign in.")
