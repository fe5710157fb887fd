"""What API handlers depend on: the service, the user, rate limits, names, and problem types."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias, TypeVar, cast
from unicodedata import normalize

from fastapi import APIRouter, Depends, Request, Response
from pydantic import AfterValidator, Field

from singletable import ItemMismatch
from singletable_apps.elections import errors
from singletable_apps.elections.entities import User
from singletable_apps.elections.proofs.errors import InvalidCode
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules.names import MAX_NAME_BYTES, fold_name
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.service import Elections
from singletable_apps.shared.accounts import SensitiveAction, TooManyAttempts
from singletable_apps.shared.web import (
    INVALID,
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY_REQUESTS,
    UNAVAILABLE,
    FieldError,
    PageRequest,
    Problem,
    ProblemType,
    RateLimit,
    SentToken,
    Settings,
    add_rate_limit_headers,
    api_router,
    in_segment,
    rate_limited,
)

# Enough for ten thousand voter names.
BODY_LIMIT = 4 << 20


@dataclass(frozen=True)
class Limits:
    """Rate limits: per client address before signing in, per user afterwards.

    None means no limit. Password guesses are slowed down in any case.
    """

    sign_in: RateLimit | None = field(default_factory=lambda: RateLimit("sign-in", 30, 60))
    register: RateLimit | None = field(default_factory=lambda: RateLimit("register", 20, 3600))
    reset: RateLimit | None = field(default_factory=lambda: RateLimit("reset", 10, 3600))
    cast: RateLimit | None = field(default_factory=lambda: RateLimit("cast", 60, 60))
    signed_in: RateLimit | None = field(default_factory=lambda: RateLimit("signed-in", 1200, 60))

    @classmethod
    def off(cls) -> Limits:
        """Return no limits, for load tests."""
        return cls(None, None, None, None, None)


@dataclass(frozen=True)
class ApiSettings:
    """`web` is for all requests, `limits` for some of them."""

    web: Settings = field(default_factory=lambda: Settings(body_limit=BODY_LIMIT))
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Api:
    """The service and the settings of the API."""

    elections: Elections
    settings: ApiSettings


async def _api(request: Request) -> Api:
    return cast(Api, request.app.state.elections)


ThisApi: TypeAlias = Annotated[Api, Depends(_api)]


async def _elections(api: ThisApi) -> Elections:
    return api.elections


Service: TypeAlias = Annotated[Elections, Depends(_elections)]


def _whole(elections: Service) -> None:
    elections.context.check_not_rebuilding()


# For handlers that look up a user without a token: during a rebuild, they may be missing.
Whole = Depends(_whole)


def _signed_in(
    response: Response,
    api: ThisApi,
    sent: SentToken,
) -> User:
    if sent is None:
        raise errors.NotSignedIn("Sign in and send the access token as `Authorization: Bearer …`.")
    api.elections.context.check_not_rebuilding()
    user = api.elections.auth.authenticate(sent.credentials)
    if api.settings.limits.signed_in is not None:
        add_rate_limit_headers(response, api.settings.limits.signed_in.hit(str(user.user_id)))
    return user


# The user who is signed in, whatever their role.
SignedInUser: TypeAlias = Annotated[User, Depends(_signed_in)]


async def _viewer(user: SignedInUser) -> User:
    check_permission(user, Permission.VIEW_APPLICATION)
    return user


def _recent(api: ThisApi, sent: SentToken) -> RecentPassword:
    token = sent.credentials if sent is not None else ""
    return lambda action: api.elections.auth.check_recent_password(token, action)


# Call it before a sensitive action: it raises unless the user entered the password recently.
RecentPassword: TypeAlias = Callable[[SensitiveAction], None]
Recent: TypeAlias = Annotated[RecentPassword, Depends(_recent)]

# A user who may see elections.
Viewer: TypeAlias = Annotated[User, Depends(_viewer)]


def by_address(chosen: Callable[[Limits], RateLimit | None]) -> Callable[..., None]:
    """Return a dependency that applies one of the limits per client address."""

    def select(request: Request) -> RateLimit | None:
        return chosen(cast(Api, request.app.state.elections).settings.limits)

    return rate_limited(select)


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


def slice_page(page: PageRequest, items: Sequence[T], api: Api) -> tuple[Sequence[T], str | None]:
    """Return the items of a page, and the cursor of the next page."""
    secret = api.elections.context.keys.secret
    return page.slice(items, hmac.digest(secret, b"positions in lists", "sha256"))


# Problem types, and which error of the service is which.

TAKEN = ProblemType("taken", 409, "Already taken", "Choose another name or e-mail address.")
WRONG_STATE = ProblemType(
    "wrong-state",
    409,
    "Not possible in this state",
    "An election is set up, launched and closed, in this order. Read its `state`.",
)
KEY_REUSED = ProblemType(
    "key-reused",
    422,
    "Idempotency-Key used for another request",
    "Use a new key for each ballot, and the same key only to repeat a request.",
)
PROBLEM_TYPES = (TAKEN, WRONG_STATE, KEY_REUSED)


def user_router(tag: str, *problem_types: ProblemType) -> APIRouter:
    """Return a router for signed-in users; each handler can return these problems."""
    return api_router(tag, NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY_REQUESTS, *problem_types)


_TYPES: dict[type[errors.Rejected], ProblemType] = {
    errors.NotSignedIn: NOT_SIGNED_IN,
    errors.NotPermitted: NOT_ALLOWED,
    errors.NotFound: NOT_FOUND,
    errors.AlreadyTaken: TAKEN,
    errors.WrongState: WRONG_STATE,
    errors.InvalidInput: INVALID,
    errors.IdempotencyKeyReused: KEY_REUSED,
}
# Fields that have another name in the request body.
_IN_BODY = {"candidates": "candidate_names", "voters": "voter_names"}
# Fields that are in the path, not in the body.
_IN_PATH = {"user", "election", "confirmation", "table", "relation"}


_LOG = logging.getLogger("singletable_apps.errors")
_BROKEN = (
    "The stored data of this site does not match its event log, so nothing was shown or saved. The "
    "operator must repair it; the details are in the server log."
)


def to_problem(
    error: errors.ElectionsError | ItemMismatch | TooManyAttempts | InvalidCode, request: Request
) -> Problem:
    """Return the problem for an error of the service."""
    message = str(error)
    match error:
        case errors.Rejected():
            details = _field_errors(error, request.method)
            return Problem(_TYPES[type(error)], message, errors=details)
        case TooManyAttempts():
            return Problem(TOO_MANY_REQUESTS, message, headers={"Retry-After": str(error.seconds)})
        case InvalidCode():
            return Problem(INVALID, message, errors=[FieldError(message, parameter="confirmation")])
        case errors.Unavailable():
            wait = "10" if isinstance(error, errors.RebuildInProgress) else "1"
            return Problem(UNAVAILABLE, message, headers={"Retry-After": wait})
        case _:
            # The log and the table contradict each other. Only the operator gets the details.
            _LOG.error("Request to %s failed: %s", request.url.path, message, exc_info=error)
            return Problem(UNAVAILABLE, _BROKEN, headers={"Retry-After": "60"})


def _field_errors(error: errors.Rejected, method: str) -> list[FieldError]:
    message = str(error)
    if isinstance(error, errors.IdempotencyKeyReused):
        return [FieldError(message, header="Idempotency-Key")]
    if error.field is None:
        return []
    if method in ("GET", "DELETE") or error.field in _IN_PATH:
        return [FieldError(message, parameter=error.field)]
    return [FieldError(message, pointer=f"/{_IN_BODY.get(error.field, error.field)}")]


ERRORS: dict[type[Exception], Callable[[Any, Request], Problem]] = dict.fromkeys(
    (errors.ElectionsError, ItemMismatch, TooManyAttempts, InvalidCode), to_problem
)
