"""The state of a running app, and the dependencies that give handlers access to it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar, cast

from fastapi import Depends, Request, Response
from starlette.requests import HTTPConnection

from singletable_apps.shared import web
from singletable_apps.shared.accounts import Auth, People, Scope, SensitiveAction
from singletable_apps.shared.languages import ENGLISH, Language
from singletable_apps.shared.pages import Pages, SessionCookies
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.shared.urls import Urls
from singletable_apps.shared.web.settings import MEBIBYTE

WAITING = "An administrator has to approve your account first."


class ServiceContext(Protocol):
    """The context of a service."""

    @property
    def urls(self) -> Urls:
        """The URLs of the pages."""
        ...


class AppService(Protocol):
    """The service of an app."""

    @property
    def context(self) -> ServiceContext:
        """The context of the service."""
        ...


S = TypeVar("S", bound=AppService)
# Rate limits by name; None for no limit.
Limits: TypeAlias = Mapping[str, web.RateLimit | None]


@dataclass(frozen=True)
class AppState(Generic[S]):
    """An open app, for its handlers. An app that needs more, or does something else, extends it.

    `people_spec` is the PeopleSpec of an app with accounts.
    """

    # The largest body of a request with JSON, in bytes.
    body_limit: ClassVar[int] = MEBIBYTE
    service: S
    pages: Pages
    limits: Limits
    cookies: SessionCookies
    people_spec: Any = None

    @classmethod
    def secret_of(cls, service: S) -> bytes:
        """Return the secret that signs what browsers keep."""
        return cast(bytes, cast(Any, service).context.secret)

    @classmethod
    def auth_of(cls, service: S) -> Auth[Any]:
        """Return the accounts of the app."""
        return cast(Auth[Any], cast(Any, service).accounts)

    @classmethod
    def people_of(cls, service: S) -> People[Any]:
        """Return the people of the app."""
        return cast(People[Any], cast(Any, service).accounts)

    @property
    def auth(self) -> Auth[Any]:
        """The accounts of the app."""
        if self.people_spec is None:
            raise TypeError("Expected an app with accounts: AppSpec(people=…).")
        return self.auth_of(self.service)

    @property
    def people(self) -> People[Any]:
        """The people of the app."""
        return self.people_of(self.service)

    @property
    def language(self) -> Language:
        """The language of the pages. It is read for error pages, too, and so without a request."""
        return ENGLISH

    def prepare(self, request: Request) -> None:
        """Read what the pages about accounts need in `request.state`."""

    def render_problem(self, request: Request, problem: web.Problem) -> Response | None:
        """Return the page of a problem, or None for the usual one."""
        return None

    def is_waiting(self, user: Any) -> bool:
        """Return whether someone waits for approval, and sees only their own account."""
        return self.people_spec is not None and user.role == self.people.waiting

    def check_approved(self, user: Any) -> None:
        """Raise NotPermitted if someone waits for approval."""
        if self.is_waiting(user):
            raise NotPermitted(WAITING)

    def count_use(self, limit: str, key: str) -> None:
        """Count a use by `key`, such as an id; raise a 429 problem if there are too many."""
        chosen = self.limits[limit]
        if chosen is not None:
            chosen.hit(key)

    def attach(self, app: Any) -> None:
        """Let the handlers of a web app use this state."""
        app.state.frame = self


def state_of(connection: HTTPConnection) -> AppState[Any]:
    """Return the app of a request or a socket."""
    return cast(AppState[Any], connection.app.state.frame)


async def current_state(connection: HTTPConnection) -> Any:
    """Return the open app: `Current = Annotated[AppState[…], Depends(current_state)]`."""
    return state_of(connection)


async def current_service(request: Request) -> Any:
    """Return the service: `Service = Annotated[NotesService, Depends(current_service)]`."""
    return state_of(request).service


@dataclass(frozen=True)
class LimitedBy:
    """A dependency that counts the requests of a client network toward a limit of the app."""

    name: str

    async def __call__(self, request: Request, response: Response) -> None:
        """Count a request."""
        limit = state_of(request).limits[self.name]
        if limit is not None:
            web.add_rate_limit_headers(
                response, limit.hit(web.client_network(web.client_address(request)))
            )


def limited(name: str) -> list[Any]:
    """Return the `dependencies=` of a handler with this limit per client network."""
    return [Depends(LimitedBy(name))]


def count_request(request: Request, name: str) -> None:
    """Count a request of this client; raise a 429 problem if there are more than the limit."""
    limit = state_of(request).limits[name]
    if limit is not None:
        limit.hit(web.client_network(web.client_address(request)))


@contextmanager
def limit_failures(
    request: Request, name: str, is_failure: Callable[[Exception], bool]
) -> Generator[None]:
    """Count the failures of this client inside; raise a 429 problem after more than the limit."""
    limit = state_of(request).limits[name]
    if limit is None:
        yield
        return
    client = web.client_network(web.client_address(request))
    limit.check(client)
    try:
        yield
    except Exception as error:
        if is_failure(error):
            for header, value in limit.hit(client).items():
                web.set_header(request, header, value)
        raise


def count_user_request(request: Request, response: Response, name: str, user_id: object) -> None:
    """Count a request of this user, if the app has the limit, and tell how many are left."""
    limit = state_of(request).limits.get(name)
    if limit is not None:
        web.add_rate_limit_headers(response, limit.hit(str(user_id)))


def authenticated_user(request: Request, response: Response, sent: web.SentToken) -> Any:
    """Return the account of the access token. The limit `signed_in`, if any, counts its requests.

    In handlers, use `Actor = Annotated[User, Depends(signed_in_user)]`.
    """
    token = web.check_signed_in(request, sent).credentials
    user = state_of(request).auth.authenticate(token, _needed_scope(request))
    count_user_request(request, response, "signed_in", user.user_id)
    state_of(request).check_approved(user)
    return user


signed_in_user = web.in_thread(authenticated_user)


def _needed_scope(request: Request) -> Scope | None:
    """Return the scope that a personal token needs for this route; None if none is enough."""
    tags = {*request.scope["route"].tags}
    if "voting" in tags:  # reading, too: it shows how the owner of the token voted
        return Scope.VOTE
    if request.method in ("GET", "HEAD"):
        return Scope.READ
    return None if tags & {"account", "accounts", "auth"} else Scope.MANAGE


async def _recent_password(request: Request, sent: web.SentToken) -> RecentPassword:
    token, auth = web.check_signed_in(request, sent).credentials, state_of(request).auth
    return lambda action: auth.check_recent_password(token, action)


# Call it before a sensitive action: it raises unless the actor entered the password recently.
RecentPassword: TypeAlias = Callable[[SensitiveAction], None]
Recent: TypeAlias = Annotated[RecentPassword, Depends(_recent_password)]
