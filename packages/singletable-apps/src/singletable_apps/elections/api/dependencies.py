"""Dependencies of API handlers: the service, and the user who is signed in."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from typing import Annotated, TypeAlias, TypeVar

from fastapi import APIRouter, Depends

from singletable_apps.elections.entities import User
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.service import Elections
from singletable_apps.shared.frame import current_service, signed_in_user
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_SIGNED_IN,
    TOO_MANY_REQUESTS,
    PageRequest,
    ProblemType,
    api_router,
)

T = TypeVar("T")
Service: TypeAlias = Annotated[Elections, Depends(current_service)]
# The user who is signed in, whatever their role.
SignedInUser: TypeAlias = Annotated[User, Depends(signed_in_user)]


async def _viewer(user: SignedInUser) -> User:
    check_permission(user, Permission.VIEW_APPLICATION)
    return user


# A user who may see elections.
Viewer: TypeAlias = Annotated[User, Depends(_viewer)]


def _whole(service: Service) -> None:
    service.context.check_not_rebuilding()


# For handlers that look up a user without a token: during a rebuild, they may be missing.
Whole = Depends(_whole)


def slice_page(
    page: PageRequest, items: Sequence[T], service: Elections
) -> tuple[Sequence[T], str | None]:
    """Return the items of a page, and the cursor of the next page."""
    secret = service.context.keys.secret
    return page.slice(items, hmac.digest(secret, b"positions in lists", "sha256"))


def user_router(tag: str, *problem_types: ProblemType) -> APIRouter:
    """Return a router for signed-in users; each handler can return these problems."""
    return api_router(tag, NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY_REQUESTS, *problem_types)
