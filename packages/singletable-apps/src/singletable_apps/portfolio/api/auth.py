"""Sign in and out, set up a new site, and manage accounts."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Path

from singletable_apps.portfolio.api import schemas
from singletable_apps.portfolio.api.dependencies import TAKEN, Actor, Service
from singletable_apps.portfolio.entities import User
from singletable_apps.shared import web
from singletable_apps.shared.frame import limited, people_api

router = web.api_router("auth", web.TOO_MANY_REQUESTS)
users_router = web.api_router("users", *web.SIGNED_IN)
UserId: TypeAlias = Annotated[int, Path(ge=1, lt=1 << 53, description="The id of the account.")]


@router.post(
    "/auth/setup",
    status_code=201,
    responses=web.responses(web.NOT_ALLOWED),
    dependencies=limited("sign_in"),
)
def set_up(
    setup: schemas.Setup, service: Service, user_agent: people_api.UserAgent = ""
) -> people_api.Tokens:
    """Create the owner of a new site and sign in. This works once, with the set-up code."""
    accounts = service.accounts
    user = accounts.set_up(**dict(setup))
    return people_api.Tokens.of(accounts, accounts.start_session(user, user_agent))


@users_router.get("/users", response_model=list[schemas.UserBody])
def list_users(service: Service, actor: Actor) -> list[User]:
    """List all accounts, oldest first."""
    return service.accounts.list_accounts(actor)


people_api.add_session_routes(
    router,
    people_api.EmailCredentials,
    schemas.UserBody,
    prefix="/auth",
    sign_in_path="/login",
    sign_out_path="/logout",
)
TYPES = people_api.PersonTypes(
    "user_id",
    UserId,
    schemas.UserBody,
    schemas.NewUser,
    schemas.Invitation,
    schemas.RoleChange,
    TAKEN,
)
people_api.add_people_routes(users_router, TYPES, role_path="")
