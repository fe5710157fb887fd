"""Who asks, and what: dependencies that handlers have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, TypeAlias, cast

from fastapi import Depends, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from singletable_apps.elections.api.settings import ApiSettings, Limits
from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import NotSignedIn
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules import check_may
from singletable_apps.elections.service import Elections
from singletable_apps.shared.web import RateLimit, client_address, household, told

BEARER = HTTPBearer(
    scheme_name="access token",
    description="The `access_token` that signing in and renewing give.",
    auto_error=False,
)


@dataclass(frozen=True)
class Api:
    """The service that is asked, and the settings."""

    elections: Elections
    settings: ApiSettings


async def _api(request: Request) -> Api:
    return cast(Api, request.app.state.elections)


ThisApi: TypeAlias = Annotated[Api, Depends(_api)]


async def _elections(api: ThisApi) -> Elections:
    return api.elections


Service: TypeAlias = Annotated[Elections, Depends(_elections)]


def _whole(elections: Service) -> None:
    elections.office.check_whole()


# For handlers that look for somebody who has not signed in, and may not be in the table yet.
Whole = Depends(_whole)


def _signed_in(
    response: Response,
    api: ThisApi,
    sent: Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)],
) -> User:
    if sent is None:
        raise NotSignedIn("Sign in, and send the token as Authorization: Bearer …")
    api.elections.office.check_whole()
    user = api.elections.access.who(sent.credentials)
    if api.settings.limits.signed_in is not None:
        told(response, api.settings.limits.signed_in.hit(str(user.user_id)))
    return user


# Whoever has signed in, and be it that they may do nothing yet.
SignedInUser: TypeAlias = Annotated[User, Depends(_signed_in)]


async def _viewer(user: SignedInUser) -> User:
    check_may(user, Permission.VIEW_APPLICATION)
    return user


# Whoever may see the application.
Viewer: TypeAlias = Annotated[User, Depends(_viewer)]


def by_address(chosen: Callable[[Limits], RateLimit | None]) -> Callable[..., None]:
    """A dependency that counts requests of one address by one of the limits."""

    def count(request: Request, response: Response, api: ThisApi) -> None:
        limit = chosen(api.settings.limits)
        if limit is not None:
            told(response, limit.hit(household(client_address(request))))

    return count
