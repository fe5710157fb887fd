"""Settings and dependencies of the API: the service, the browser cookie, keys and rate limits."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias, cast
from uuid import UUID

from fastapi import Depends, Path, Request
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer

from singletable_apps.polls.api.problems import NO_ADMIN_KEY
from singletable_apps.polls.errors import InvalidCode
from singletable_apps.polls.service import Polls
from singletable_apps.shared.web import (
    LONGEST_AGE,
    Cookie,
    FieldError,
    Problem,
    RateLimit,
    Settings,
    client_address,
    client_network,
    rate_limited,
    set_header,
)

# A random token by which the server recognizes a browser that votes or creates polls.
BROWSER = Cookie("polls_browser", max_age=LONGEST_AGE)
_BROWSER_TOKEN = re.compile(r"[A-Za-z0-9_-]{22,64}")

# For `openapi_extra`: the operation can be used without a key or cookie.
PUBLIC: dict[str, Any] = {"security": [{}]}
# In a path `/{poll_id:uuid}`, so that other words in its place are free.
PollId: TypeAlias = Annotated[UUID, Path(description="The id of the poll.")]


@dataclass(frozen=True)
class Limits:
    """Rate limits per client network; None for no limit.

    Many voters share an address, such as a school or an office, so the limit for votes is generous.
    The limit for invalid codes is strict, because it prevents guessing.
    """

    create: RateLimit | None = field(default_factory=lambda: RateLimit("create", 60, 3600))
    vote: RateLimit | None = field(default_factory=lambda: RateLimit("vote", 600, 60))
    guess: RateLimit | None = field(default_factory=lambda: RateLimit("guess", 20, 60))

    @classmethod
    def off(cls) -> Limits:
        """Return no limits, for load tests."""
        return cls(None, None, None)


@dataclass(frozen=True)
class ApiSettings:
    """Web settings, rate limits, and the public URL for links and QR codes."""

    web: Settings = field(default_factory=Settings)
    limits: Limits = field(default_factory=Limits)
    public: str = "http://127.0.0.1:8000"


@dataclass(frozen=True)
class Api:
    """The service and the settings."""

    polls: Polls
    settings: ApiSettings


async def _api(request: Request) -> Api:
    return cast(Api, request.app.state.polls)


CurrentApi: TypeAlias = Annotated[Api, Depends(_api)]


async def _polls(api: CurrentApi) -> Polls:
    return api.polls


Service: TypeAlias = Annotated[Polls, Depends(_polls)]

_ADMIN_KEY = HTTPBearer(
    scheme_name="admin key",
    description="The `adminKey` that you get when you create a poll.",
    auto_error=False,
)
_COOKIE = APIKeyCookie(
    name=BROWSER.full_name(secure=True),
    scheme_name="browser cookie",
    description=f"Set when you vote or create a poll. Without TLS its name is {BROWSER.name}.",
    auto_error=False,
)


async def _optional_admin_key(
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_ADMIN_KEY)],
) -> str | None:
    return credentials.credentials if credentials is not None else None


OptionalAdminKey: TypeAlias = Annotated[str | None, Depends(_optional_admin_key)]


async def _admin_key(key: OptionalAdminKey) -> str:
    if key is None:
        error = FieldError("Expected Bearer and the admin key of the poll.", header="Authorization")
        raise Problem(NO_ADMIN_KEY, errors=[error])
    return key


AdminKey: TypeAlias = Annotated[str, Depends(_admin_key)]


def new_browser_token() -> str:
    """Return a token for a browser that has none."""
    return secrets.token_urlsafe(24)


async def _browser(request: Request, _: Annotated[str | None, Depends(_COOKIE)]) -> str | None:
    token = BROWSER.read(request)
    return token if _BROWSER_TOKEN.fullmatch(token) else None


# The token of the browser, or None.
Browser: TypeAlias = Annotated[str | None, Depends(_browser)]


def by_address(chosen: Callable[[Limits], RateLimit | None]) -> Callable[..., None]:
    """Return a dependency that applies one of the limits per client address."""

    def select(request: Request) -> RateLimit | None:
        return chosen(cast(Api, request.app.state.polls).settings.limits)

    return rate_limited(select)


@dataclass(frozen=True)
class _CodeLimit:
    """Counts the invalid codes of a client."""

    request: Request
    limit: RateLimit | None

    @contextmanager
    def checked(self, code: str | None) -> Generator[None]:
        """Raise a 429 problem after too many invalid codes; count InvalidCode raised inside."""
        if not code or self.limit is None:
            yield
            return
        client = client_network(client_address(self.request))
        self.limit.check(client)
        try:
            yield
        except InvalidCode:
            for name, value in self.limit.hit(client).items():
                set_header(self.request, name, value)
            raise


def _code_limit(request: Request, api: CurrentApi) -> _CodeLimit:
    return _CodeLimit(request, api.settings.limits.guess)


CodeLimit: TypeAlias = Annotated[_CodeLimit, Depends(_code_limit)]
