"""Who asks, and what: dependencies that handlers have in common."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, TypeAlias, TypeVar, cast
from unicodedata import normalize

from fastapi import Depends, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import AfterValidator, Field

from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import NotSignedIn
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules.names import MAX_NAME_BYTES, fold_name
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.service import Elections
from singletable_apps.shared.web import (
    OffsetCursors,
    PageRequest,
    RateLimit,
    Settings,
    add_rate_limit_headers,
    client_address,
    client_network,
    in_segment,
)

# Ten thousand names of voters are sent at once.
BODY_LIMIT = 4 << 20


@dataclass(frozen=True)
class Limits:
    """How often one may ask: those who have not signed in by address, others by who they are.

    None is as often as one likes. Guesses at passwords are slowed down in any case.
    """

    sign_in: RateLimit | None = field(default_factory=lambda: RateLimit("sign-in", 30, 60))
    register: RateLimit | None = field(default_factory=lambda: RateLimit("register", 20, 3600))
    reset: RateLimit | None = field(default_factory=lambda: RateLimit("reset", 10, 3600))
    cast: RateLimit | None = field(default_factory=lambda: RateLimit("cast", 60, 60))
    signed_in: RateLimit | None = field(default_factory=lambda: RateLimit("signed-in", 1200, 60))

    @classmethod
    def off(cls) -> Limits:
        """No limits at all, for trials under load."""
        return cls(None, None, None, None, None)


@dataclass(frozen=True)
class ApiSettings:
    """`web` is for all requests, `limits` for some of them."""

    web: Settings = field(default_factory=lambda: Settings(body_limit=BODY_LIMIT))
    limits: Limits = field(default_factory=Limits)


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
    elections.context.check_whole()


# For handlers that look for somebody who has not signed in, and may not be in the table yet.
Whole = Depends(_whole)


def _signed_in(
    response: Response,
    api: ThisApi,
    sent: Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)],
) -> User:
    if sent is None:
        raise NotSignedIn("Sign in, and send the token as Authorization: Bearer …")
    api.elections.context.check_whole()
    user = api.elections.auth.authenticate(sent.credentials)
    if api.settings.limits.signed_in is not None:
        add_rate_limit_headers(response, api.settings.limits.signed_in.hit(str(user.user_id)))
    return user


# Whoever has signed in, and be it that they may do nothing yet.
SignedInUser: TypeAlias = Annotated[User, Depends(_signed_in)]


async def _viewer(user: SignedInUser) -> User:
    check_permission(user, Permission.VIEW_APPLICATION)
    return user


# Whoever may see the application.
Viewer: TypeAlias = Annotated[User, Depends(_viewer)]


def by_address(chosen: Callable[[Limits], RateLimit | None]) -> Callable[..., None]:
    """A dependency that counts requests of one address by one of the limits."""

    def count(request: Request, response: Response, api: ThisApi) -> None:
        limit = chosen(api.settings.limits)
        if limit is not None:
            add_rate_limit_headers(response, limit.hit(client_network(client_address(request))))

    return count


LONGEST = 200


def _written(name: str) -> str:
    written = normalize("NFC", name)
    if len(fold_name(written).encode()) > MAX_NAME_BYTES:
        raise ValueError(f"Expected a name that takes at most {MAX_NAME_BYTES} bytes")
    return written


NameAsked: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=LONGEST), AfterValidator(_written)
]
NameInPath: TypeAlias = Annotated[NameAsked, in_segment]


T = TypeVar("T")


def sliced(page: PageRequest, items: Sequence[T], api: Api) -> tuple[Sequence[T], str | None]:
    """The items of a page, and the cursor of the next."""
    secret = api.elections.context.keys.secret
    offsets = OffsetCursors(hmac.digest(secret, b"positions in lists", "sha256"))
    position = offsets.open(page)
    begin = position if isinstance(position, int) else 0
    end = begin + page.limit
    return items[begin:end], offsets.seal(page, end) if end < len(items) else None
