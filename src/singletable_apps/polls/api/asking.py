"""Who asks, and what: dependencies that handlers have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, TypeAlias, cast

from fastapi import Depends, Request, Response

from singletable_apps.polls.api.settings import ApiSettings, Limits
from singletable_apps.polls.service import Polls
from singletable_apps.shared.web import RateLimit, client_address, household, told


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


def by_address(chosen: Callable[[Limits], RateLimit | None]) -> Callable[..., None]:
    """A dependency that counts requests of one address by one of the limits."""

    def count(request: Request, response: Response, api: ThisApi) -> None:
        limit = chosen(api.settings.limits)
        if limit is not None:
            told(response, limit.hit(household(client_address(request))))

    return count
