"""The contexts of page handlers: for everyone, and for signed-in users.

An app names its service and URLs once, and `UserPageContext` its user too:

    Context: TypeAlias = frame.PageContext[NotesService, Urls]
    AnyPage: TypeAlias = Annotated[Context, Depends(Context.visited)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypeVar, cast
from urllib.parse import urlencode

from fastapi import Request, Response

from singletable_apps.shared import accounts, pages
from singletable_apps.shared.errors import Busy, InvalidInput
from singletable_apps.shared.frame.state import AppService, AppState, state_of
from singletable_apps.shared.pages import Form, Pages, SessionCookies, url_of
from singletable_apps.shared.pages.sessions import CURRENT_PASSWORD
from singletable_apps.shared.urls import Urls

S = TypeVar("S", bound=AppService)
U = TypeVar("U")
L = TypeVar("L", bound=Urls)


@dataclass(frozen=True)
class PageContext(pages.PageContext, Generic[S, L]):
    """The request, service and templates that a page handler uses."""

    rejects: ClassVar[tuple[type[Exception], ...]] = (InvalidInput, Busy)

    @classmethod
    async def public(cls, request: Request) -> Self:
        """Return the context of a page that is the same for everyone, so that it can be cached."""
        return cls(request)

    @classmethod
    def visited(cls, request: Request) -> Self:
        """Return the context of a page for everyone, and identify a signed-in user.

        It may renew the session, which sets cookies.
        """
        find_visitor(request)
        return cls(request)

    @property
    def visitor(self) -> Any:
        """The signed-in user, or None."""
        return getattr(self.request.state, "user", None)

    @property
    def state(self) -> AppState[S]:
        """The open app."""
        return state_of(self.request)

    @property
    def service(self) -> S:
        """The service."""
        return self.state.service

    @property
    def pages(self) -> Pages:
        """The pages of the app."""
        return self.state.pages

    @property
    def urls(self) -> L:
        """The URLs of the app."""
        return cast(L, self.service.context.urls)

    @property
    def user_agent(self) -> str:
        """The User-Agent, which describes a session to its owner."""
        return self.request.headers.get("user-agent", "")

    def sign_in(self, user: object) -> None:
        """Start a session in this browser for a newly registered user."""
        signed_in = self.state.auth.start_session(user, self.user_agent)
        self.state.cookies.remember(self.request, signed_in)


@dataclass(frozen=True)
class UserPageContext(PageContext[S, L], Generic[S, L, U]):
    """A request of a signed-in, approved user."""

    admits_waiting: ClassVar[bool] = False
    user: U

    @classmethod
    def signed_in(cls, request: Request) -> Self:
        """Return the context of a page for signed-in users; others are asked to sign in."""
        user = find_visitor(request)
        if user is None:
            raise accounts.NotSignedIn("Sign in to see this page.")
        if not cls.admits_waiting:
            state_of(request).check_approved(user)
        return cls(request, user)

    @property
    def auth(self) -> accounts.Auth[U]:
        """The accounts of the app."""
        return self.state.auth

    @property
    def cookies(self) -> SessionCookies:
        """The cookies that keep the user signed in."""
        return self.state.cookies

    @property
    def needs_password(self) -> bool:
        """Return whether a `SensitiveAction` requires the password again."""
        return self.cookies.needs_password(self.request, self.auth)

    def sign_in_again(self, action: accounts.SensitiveAction) -> Response:
        """Redirect to the page that asks for the password, and back to this one."""
        again = urlencode({"again": "true", "next": url_of(self.request)})
        url = f"{self.pages.sign_in}?{again}"
        return self.redirect(url, f"Enter your password again to {action}.")

    def check_password(self, form: Form, field: str = CURRENT_PASSWORD) -> None:
        """Raise InvalidInput unless the password was entered recently or in this form."""
        try:
            self.cookies.check_password(self.request, self.auth, self.user, form, field)
        except (accounts.NotSignedIn, accounts.TooManyAttempts) as error:
            raise InvalidInput({field: str(error)}) from error


def find_visitor(request: Request) -> Any:
    """Return the signed-in user or None. Read once per request: a second read renews again."""
    state = state_of(request)
    if state.people_spec is None:
        return None
    if not hasattr(request.state, "user"):
        state.cookies.visitor(request, state.auth)
    return request.state.user
