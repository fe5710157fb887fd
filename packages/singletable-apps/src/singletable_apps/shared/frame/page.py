"""The contexts of page handlers: for everyone, and for people who are signed in.

An app names its service, user and URLs once:

    Context: TypeAlias = frame.PageContext[NotesService, Urls]
    AnyPage: TypeAlias = Annotated[Context, Depends(Context.of)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar, cast

from fastapi import Request

from singletable_apps.shared import pages
from singletable_apps.shared.accounts import Auth, NotSignedIn
from singletable_apps.shared.errors import Busy, InvalidInput
from singletable_apps.shared.frame.state import AppService, AppState, state_of
from singletable_apps.shared.pages import Pages, PasswordPrompt, SessionCookies
from singletable_apps.shared.urls import Urls

S = TypeVar("S", bound=AppService)
U = TypeVar("U")
L = TypeVar("L", bound=Urls)


@dataclass(frozen=True)
class PageContext(pages.PageContext, Generic[S, L]):
    """The request, service and templates that a page handler uses."""

    rejects = (InvalidInput, Busy)

    @classmethod
    def of(cls, request: Request) -> Self:
        """Return the context of a page for everyone, who may be signed in."""
        find_visitor(request)
        return cls(request)

    @property
    def visitor(self) -> Any:
        """Who is signed in, or None."""
        return self.request.state.user

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


@dataclass(frozen=True)
class UserPageContext(PageContext[S, L], PasswordPrompt[U], Generic[S, L, U]):
    """A request of someone who is signed in."""

    user: U

    @classmethod
    def of(cls, request: Request) -> Self:
        """Return the context of a page for people who are signed in."""
        user = find_visitor(request)
        if user is None:
            raise NotSignedIn("Sign in to see this page.")
        return cls(request, user)

    @property
    def auth(self) -> Auth[U]:
        """The accounts of the app."""
        return self.state.auth

    @property
    def cookies(self) -> SessionCookies:
        """The cookies that keep the user signed in."""
        return self.state.cookies

    def invalid_field(self, field: str, message: str) -> Exception:
        """Return the error for a field of a form."""
        return InvalidInput({field: message})


def find_visitor(request: Request) -> Any:
    """Return who is signed in, or None."""
    state = state_of(request)
    return None if state.auth_of is None else state.cookies.visitor(request, state.auth)
