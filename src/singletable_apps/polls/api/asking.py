"""Who asks, and what: dependencies that handlers have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, cast
from uuid import UUID

from fastapi import Depends, Path, Request, Response
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer

from singletable_apps.polls.api import browsers
from singletable_apps.polls.api.refusals import NO_ADMIN_KEY
from singletable_apps.polls.api.settings import ApiSettings, Limits
from singletable_apps.polls.service import Polls
from singletable_apps.shared.web import (
    Fault,
    Problem,
    RateLimit,
    client_address,
    household,
    told,
)

# An id in a path: `/{poll_id:uuid}`, so that other words there are free.
PollId: TypeAlias = Annotated[UUID, Path(description="The id of the poll.")]
# For `openapi_extra`: nobody needs to be known for this, though some may be.
ANYBODY: dict[str, Any] = {"security": [{}]}

_KEY = HTTPBearer(
    scheme_name="admin key",
    description="The `adminKey` that making the poll gives.",
    auto_error=False,
)
_COOKIE = APIKeyCookie(
    name=browsers.name_of(secure=True),
    scheme_name="browser cookie",
    description="Set by voting and by making polls; it is called "
    f"{browsers.name_of(secure=False)} where the service has no TLS.",
    auto_error=False,
)


@dataclass(frozen=True)
class Api:
    """The service that is asked, and the settings."""

    polls: Polls
    settings: ApiSettings


async def _api(request: Request) -> Api:
    return cast(Api, request.app.state.polls)


ThisApi: TypeAlias = Annotated[Api, Depends(_api)]


async def _polls(api: ThisApi) -> Polls:
    return api.polls


Service: TypeAlias = Annotated[Polls, Depends(_polls)]


async def _key_if_any(
    sent: Annotated[HTTPAuthorizationCredentials | None, Depends(_KEY)],
) -> str | None:
    return sent.credentials if sent is not None else None


AdminKeyIfAny: TypeAlias = Annotated[str | None, Depends(_key_if_any)]


async def _key(key: AdminKeyIfAny) -> str:
    if key is None:
        fault = Fault("Expected Bearer and the admin key of the poll.", header="Authorization")
        raise Problem(NO_ADMIN_KEY, errors=[fault])
    return key


AdminKey: TypeAlias = Annotated[str, Depends(_key)]


async def _browser(
    request: Request, api: ThisApi, _: Annotated[str | None, Depends(_COOKIE)]
) -> str | None:
    return browsers.token_of(request, secure=api.settings.secure_cookies)


# What the browser is known by, if it has been here.
Browser: TypeAlias = Annotated[str | None, Depends(_browser)]


def by_address(chosen: Callable[[Limits], RateLimit | None]) -> Callable[..., None]:
    """A dependency that counts requests of one address by one of the limits."""

    def count(request: Request, response: Response, api: ThisApi) -> None:
        limit = chosen(api.settings.limits)
        if limit is not None:
            told(response, limit.hit(household(client_address(request))))

    return count
