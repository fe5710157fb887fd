"""Who asks, and what: dependencies that handlers have in common."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias, cast
from uuid import UUID

from fastapi import Depends, Path, Request, Response
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer

from singletable_apps.polls.api import cookies
from singletable_apps.polls.api.problems import NO_ADMIN_KEY
from singletable_apps.polls.errors import NoCode
from singletable_apps.polls.service import Polls
from singletable_apps.shared.web import (
    FieldError,
    Problem,
    RateLimit,
    Settings,
    add_rate_limit_headers,
    client_address,
    client_network,
    set_header,
)


@dataclass(frozen=True)
class Limits:
    """How often one address may ask; None is as often as one likes.

    Many people share an address: a class that votes at once, an office. So votes have room; codes
    that are none have little, for whoever sends many is guessing.
    """

    make: RateLimit | None = field(default_factory=lambda: RateLimit("make", 60, 3600))
    vote: RateLimit | None = field(default_factory=lambda: RateLimit("vote", 600, 60))
    guess: RateLimit | None = field(default_factory=lambda: RateLimit("guess", 20, 60))

    @classmethod
    def off(cls) -> Limits:
        """No limits at all, for trials under load."""
        return cls(None, None, None)


@dataclass(frozen=True)
class ApiSettings:
    """`web` is for all requests, `limits` for some of them.

    `public` is the address that people use, for links and QR codes.
    """

    web: Settings = field(default_factory=Settings)
    limits: Limits = field(default_factory=Limits)
    public: str = "http://127.0.0.1:8000"


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
    name=cookies.BROWSER.full_name(secure=True),
    scheme_name="browser cookie",
    description="Set by voting and by making polls; it is called "
    f"{cookies.BROWSER.name} where the service has no TLS.",
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
        fault = FieldError("Expected Bearer and the admin key of the poll.", header="Authorization")
        raise Problem(NO_ADMIN_KEY, errors=[fault])
    return key


AdminKey: TypeAlias = Annotated[str, Depends(_key)]


async def _browser(request: Request, _: Annotated[str | None, Depends(_COOKIE)]) -> str | None:
    return cookies.token_of(request)


# What the browser is known by, if it has been here.
Browser: TypeAlias = Annotated[str | None, Depends(_browser)]


def by_address(chosen: Callable[[Limits], RateLimit | None]) -> Callable[..., None]:
    """A dependency that counts requests of one address by one of the limits."""

    def count(request: Request, response: Response, api: ThisApi) -> None:
        limit = chosen(api.settings.limits)
        if limit is not None:
            add_rate_limit_headers(response, limit.hit(client_network(client_address(request))))

    return count


@dataclass(frozen=True)
class _Guesses:
    """How many codes of one address were none."""

    request: Request
    limit: RateLimit | None
    address: str

    @contextmanager
    def counted(self, code: str | None) -> Generator[None]:
        """Count a code that is found to be none; a 429 problem if there were too many before."""
        if not code or self.limit is None:
            yield
            return
        self.limit.check(self.address)
        try:
            yield
        except NoCode:
            for name, value in self.limit.hit(self.address).items():
                set_header(self.request, name, value)
            raise


def _guesses(request: Request, api: ThisApi) -> _Guesses:
    return _Guesses(request, api.settings.limits.guess, client_network(client_address(request)))


Guesses: TypeAlias = Annotated[_Guesses, Depends(_guesses)]
