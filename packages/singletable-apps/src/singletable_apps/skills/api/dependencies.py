"""What API handlers depend on: the service, the account that is signed in, and the problems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias, cast

from fastapi import Depends, Path, Request, Response

from singletable_apps.shared.accounts import SensitiveAction, TooManyAttempts
from singletable_apps.shared.web import (
    INVALID,
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY_REQUESTS,
    UNAVAILABLE,
    FieldError,
    Problem,
    ProblemType,
    Segment,
    SentToken,
    Settings,
    add_rate_limit_headers,
    check_signed_in,
    etag,
    limited_by,
)
from singletable_apps.skills import errors
from singletable_apps.skills.entities import User
from singletable_apps.skills.limits import Limits
from singletable_apps.skills.service import SkillsService

Responses: TypeAlias = dict[int | str, dict[str, Any]]
# For `openapi_extra`: the operation can be used without a token.
PUBLIC: dict[str, Any] = {"security": [{}]}
# The problems of operations that need a token.
SIGNED_IN = (NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY_REQUESTS)

Username: TypeAlias = Annotated[Segment, Path(description="A username, in any case.")]
SkillName: TypeAlias = Annotated[
    Segment, Path(description="A skill: its id, its name, or one of its aliases, in any spelling.")
]


@dataclass(frozen=True)
class ApiSettings:
    """`web` is for all requests, `limits` for some of them."""

    web: Settings = field(default_factory=Settings)
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Api:
    """The service and the settings of the API."""

    service: SkillsService
    settings: ApiSettings


async def _api(request: Request) -> Api:
    return cast(Api, request.app.state.skills)


CurrentApi: TypeAlias = Annotated[Api, Depends(_api)]


async def _service(api: CurrentApi) -> SkillsService:
    return api.service


Service: TypeAlias = Annotated[SkillsService, Depends(_service)]


def _actor(request: Request, response: Response, api: CurrentApi, sent: SentToken) -> User:
    token = check_signed_in(request, sent)
    user = api.service.accounts.authenticate(token.credentials)
    if api.settings.limits.signed_in is not None:
        add_rate_limit_headers(response, api.settings.limits.signed_in.hit(str(user.user_id)))
    return user


# The account that is signed in.
Actor: TypeAlias = Annotated[User, Depends(_actor)]


def _recent(request: Request, api: CurrentApi, sent: SentToken) -> RecentPassword:
    token = check_signed_in(request, sent).credentials
    return lambda action: api.service.accounts.check_recent_password(token, action)


# Call it before a sensitive action: it raises unless the actor entered the password recently.
RecentPassword: TypeAlias = Callable[[SensitiveAction], None]
Recent: TypeAlias = Annotated[RecentPassword, Depends(_recent)]

# Returns the `dependencies=` of a handler with one of the limits per client network.
limited = limited_by(lambda request: request.app.state.skills.settings.limits)


# ------------------------------------------------------------------------------ headers

_TEXT = {"schema": {"type": "string"}}
_ETAG = {"ETag": {"description": "The current version.", **_TEXT}}
# For `responses=`: what a successful operation returns besides its body.
READ: Responses = {200: {"headers": _ETAG}}
CREATED: Responses = {201: {"headers": {**_ETAG, "Location": {"description": "Its URL.", **_TEXT}}}}
LISTED: Responses = {
    200: {"headers": {"Link": {"description": "The next page, if there is one.", **_TEXT}}}
}


class _Headers:
    def __init__(self, request: Request, response: Response) -> None:
        self._request = request
        self._response = response

    def read(self, revision: int) -> None:
        """Add the ETag of what was read."""
        self._response.headers["ETag"] = etag(revision)

    def created(self, revision: int, route: str, **parameters: str) -> None:
        """Add the ETag of what was created, and its URL."""
        self.read(revision)
        url = self._request.app.url_path_for(route, **parameters)
        self._response.headers["Location"] = url


Headers: TypeAlias = Annotated[_Headers, Depends()]

# ------------------------------------------------------------------------------ problems

# The original answers invalid input with 400. Of this name there is a common type, which this one
# replaces in the API.
INVALID_400 = ProblemType(
    INVALID.name, 400, "Invalid request", "`errors` lists what is wrong, and where."
)
EXISTS = ProblemType(
    "already-exists", 409, "Already exists", "This username, skill or alias is taken."
)
IN_USE = ProblemType("in-use", 409, "In use", "Others depend on this, so it cannot be deleted.")
PROBLEM_TYPES = (INVALID_400, EXISTS, IN_USE)

_TYPES: dict[type[Exception], ProblemType] = {
    errors.NotFound: NOT_FOUND,
    errors.InvalidInput: INVALID,
    errors.AlreadyExists: EXISTS,
    errors.InUse: IN_USE,
    errors.NotSignedIn: NOT_SIGNED_IN,
    errors.NotPermitted: NOT_ALLOWED,
    errors.DirectoryBusy: UNAVAILABLE,
    TooManyAttempts: TOO_MANY_REQUESTS,
}
# The original's names of fields.
_FIELD_NAMES = {
    "level": "proficiency_level",
    "years": "years_of_experience",
    "last_used": "last_used_date",
}


def to_problem(error: Exception, request: Request) -> Problem:
    """Return the problem for an error of the service."""
    headers: dict[str, str] = {}
    fields: dict[str, str] = {}
    match error:
        case errors.DirectoryBusy():
            headers["Retry-After"] = "1"
        case TooManyAttempts():
            headers["Retry-After"] = str(error.seconds)
        case errors.InvalidInput():
            fields = error.errors
        case errors.NotSignedIn() if error.field:
            fields = {error.field: str(error)}
        case _:
            pass
    return Problem(
        _TYPES[type(error)],
        str(error),
        errors=[_field_error(name, text, request) for name, text in fields.items()],
        headers=headers,
    )


def _field_error(name: str, text: str, request: Request) -> FieldError:
    if request.method == "GET":
        # `skill/1` is the second parameter of this name.
        return FieldError(text, parameter=name.partition("/")[0])
    # An error of the whole request has no field.
    return FieldError(text, pointer=f"/{_FIELD_NAMES.get(name, name)}" if name else "")


ERRORS: dict[type[Exception], Callable[[Any, Request], Problem]] = dict.fromkeys(
    (errors.SkillsError, errors.NotPermitted, TooManyAttempts), to_problem
)
