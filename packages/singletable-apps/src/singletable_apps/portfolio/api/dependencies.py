"""What API handlers depend on: the service, the account, visitors, rate limits and problems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Annotated, Any, TypeAlias, TypeVar, cast, get_type_hints

from fastapi import APIRouter, Depends, Request, Response

from singletable_apps.portfolio import errors
from singletable_apps.portfolio.api.schemas import ItemList, Success
from singletable_apps.portfolio.entities import User
from singletable_apps.portfolio.limits import Limits
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.portfolio.urls import API
from singletable_apps.shared.accounts import SensitiveAction, TooManyAttempts
from singletable_apps.shared.images import MAX_BYTES
from singletable_apps.shared.web import (
    INVALID,
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY_REQUESTS,
    UNAVAILABLE,
    FieldError,
    PageLimit,
    PageRequest,
    Problem,
    ProblemType,
    SentToken,
    Settings,
    add_rate_limit_headers,
    check_signed_in,
    client_address,
    client_network,
    cursor_query,
    limited_by,
    responses,
)

T = TypeVar("T")

# For `openapi_extra`: the operation can be used without a token.
PUBLIC: dict[str, Any] = {"security": [{}]}
# The problems of operations that need a token.
SIGNED_IN = (NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY_REQUESTS)
# Images, and the parts of a form around them.
UPLOADS = {f"{API}/media": MAX_BYTES + 10_000}


@dataclass(frozen=True)
class ApiSettings:
    """`web` is for all requests, `limits` for some of them."""

    web: Settings = field(default_factory=lambda: Settings(uploads=UPLOADS))
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Api:
    """The service and the settings of the API."""

    service: PortfolioService
    settings: ApiSettings


async def _api(request: Request) -> Api:
    return cast(Api, request.app.state.portfolio)


CurrentApi: TypeAlias = Annotated[Api, Depends(_api)]


async def _service(api: CurrentApi) -> PortfolioService:
    return api.service


Service: TypeAlias = Annotated[PortfolioService, Depends(_service)]


class EnvelopeRouter(APIRouter):
    """Wraps what its handlers return as the original did: `{"success": true, "data": …}`.

    A handler may return an entity; its `response_model` takes the fields from the attributes.
    """

    def __init__(self, tag: str, *problem_types: ProblemType) -> None:
        super().__init__(
            tags=[tag],
            responses=responses(*problem_types),
            generate_unique_id_function=lambda route: route.name,
        )

    def add_api_route(
        self,
        path: str,
        endpoint: Callable[..., Any],
        *,
        response_model: Any = None,
        **options: Any,
    ) -> None:
        """Add a handler, with the envelope around its result."""

        @wraps(endpoint)
        def handle(*args: Any, **arguments: Any) -> dict[str, Any]:
            return {"success": True, "data": endpoint(*args, **arguments)}

        data = response_model or get_type_hints(endpoint)["return"]
        model = Success.__class_getitem__(data)
        super().add_api_route(path, handle, response_model=model, **options)


# ------------------------------------------------------------------------------ accounts


def _actor(request: Request, response: Response, api: CurrentApi, credentials: SentToken) -> User:
    sent = check_signed_in(request, credentials)
    user = api.service.accounts.authenticate(sent.credentials)
    if api.settings.limits.signed_in is not None:
        add_rate_limit_headers(response, api.settings.limits.signed_in.hit(str(user.user_id)))
    return user


def _actor_if_any(api: CurrentApi, sent: SentToken) -> User | None:
    """Return the account, or None. The original's client sends expired tokens with public reads."""
    try:
        return api.service.accounts.authenticate(sent.credentials) if sent else None
    except errors.NotSignedIn:
        return None


Actor: TypeAlias = Annotated[User, Depends(_actor)]
ActorIfAny: TypeAlias = Annotated[User | None, Depends(_actor_if_any)]


def _recent(request: Request, api: CurrentApi, sent: SentToken) -> RecentPassword:
    token = check_signed_in(request, sent).credentials
    return lambda action: api.service.accounts.check_recent_password(token, action)


# Call it before a sensitive action: it raises unless the actor entered the password recently.
RecentPassword: TypeAlias = Callable[[SensitiveAction], None]
Recent: TypeAlias = Annotated[RecentPassword, Depends(_recent)]

# ------------------------------------------------------------------------------ visitors


def _visitor(request: Request, service: Service) -> str:
    return service.likes.visitor(client_network(client_address(request)))


# A keyed hash of the client's network.
Visitor: TypeAlias = Annotated[str, Depends(_visitor)]

# Returns the `dependencies=` of a handler with one of the limits per client network.
limited = limited_by(lambda request: request.app.state.portfolio.settings.limits)


# ------------------------------------------------------------------------------ lists


class ListRequest(PageRequest):
    """The requested page of a list, in the original's words: `limit` and `last_key`."""

    cursor_parameter = "last_key"

    def __init__(
        self,
        request: Request,
        response: Response,
        limit: PageLimit = 50,
        last_key: Annotated[str | None, cursor_query("`last_key` of the previous page.")] = None,
    ) -> None:
        super().__init__(request, response, limit, last_key)

    def list_items(self, items: Sequence[T], cursor: str | None) -> ItemList[T]:
        """Return the page, and add a Link header to the next one if there is one."""
        self.link_next(cursor)
        return ItemList(items=list(items), last_key=cursor)


Listed: TypeAlias = Annotated[ListRequest, Depends()]

# ------------------------------------------------------------------------------ problems

# The original answers invalid input with 400, including a slug that another post has. Of this name
# there is a common type, which this one replaces in the API.
INVALID_400 = ProblemType(
    INVALID.name, 400, "Invalid request", "`errors` lists what is wrong, and where."
)
TAKEN = ProblemType(
    "taken", 400, "Already taken", "Another post has this slug, or another account this address."
)
SWITCHED_OFF = ProblemType(
    "switched-off", 403, "Switched off", "The owner of the site has switched this off."
)
PROBLEM_TYPES = (INVALID_400, TAKEN, SWITCHED_OFF)

_TYPES: dict[type[Exception], ProblemType] = {
    errors.NotFound: NOT_FOUND,
    errors.InvalidInput: INVALID,
    errors.AlreadyTaken: TAKEN,
    errors.NotSignedIn: NOT_SIGNED_IN,
    errors.NotPermitted: NOT_ALLOWED,
    errors.SwitchedOff: SWITCHED_OFF,
    errors.SiteBusy: UNAVAILABLE,
    TooManyAttempts: TOO_MANY_REQUESTS,
}


def to_problem(error: Exception, request: Request) -> Problem:
    """Return the problem for an error of the service."""
    headers: dict[str, str] = {}
    fields: dict[str, str] = {}
    match error:
        case errors.SiteBusy():
            headers["Retry-After"] = "1"
        case TooManyAttempts():
            headers["Retry-After"] = str(error.seconds)
        case errors.InvalidInput():
            fields = error.errors
        case errors.NotSignedIn() if error.field:
            fields = {error.field: str(error)}
        case _:
            pass
    names: dict[str, str] = getattr(request.state, "field_names", {})
    return Problem(
        _TYPES[type(error)],
        str(error),
        errors=[
            FieldError(text, pointer=f"/{names.get(name, name)}") for name, text in fields.items()
        ],
        headers=headers,
    )


ERRORS: dict[type[Exception], Callable[[Any, Request], Problem]] = dict.fromkeys(
    (errors.PortfolioError, errors.NotPermitted, TooManyAttempts), to_problem
)
