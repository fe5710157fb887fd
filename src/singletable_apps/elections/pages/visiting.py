"""Who visits a page: known by two cookies, which are renewed on the way."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, TypeAlias, cast

from fastapi import APIRouter, Depends, Request, Response
from fastapi.routing import APIRoute

from singletable_apps.elections.api.refusals import problem_of
from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import NotSignedIn, Refused, Unavailable
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.proofs import CodeRefused
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules import check_may
from singletable_apps.elections.service import SignedIn
from singletable_apps.shared.accounts import TooManyAttempts
from singletable_apps.shared.web import Problem

ACCESS = "elections_access"
REFRESH = "elections_session"


class Visit(APIRoute):
    """A route to a page: refusals become pages, and cookies that were renewed go along."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with what happens around it."""
        handle = super().get_route_handler()

        async def visit(request: Request) -> Response:
            site = cast(Site, request.app.state.election_pages)
            try:
                response = await handle(request)
            except Problem as problem:
                response = site.pages.problem(request, problem)
            except (Refused, Unavailable, TooManyAttempts, CodeRefused) as refusal:
                response = site.pages.problem(request, problem_of(refusal, request.method))
            _keep(request, response, site)
            return response

        return visit


def page_router() -> APIRouter:
    """A router for pages of one topic."""
    return APIRouter(route_class=Visit)


def sign_in(request: Request, signed_in: SignedIn) -> None:
    """Let the browser be known from now on."""
    request.state.signed_in = signed_in
    request.state.user = signed_in.user


def sign_out(request: Request, site: Site) -> None:
    """End the session, and let the browser forget it."""
    site.elections.access.sign_out(refresh_token(request, site))
    request.state.forgotten = True
    request.state.signed_in = None
    request.state.user = None


def refresh_token(request: Request, site: Site) -> str:
    """What renews the visitor's session, as the browser has it after this request."""
    renewed: SignedIn | None = getattr(request.state, "signed_in", None)
    return renewed.refresh if renewed else request.cookies.get(_named(REFRESH, site), "")


def _visitor(request: Request, site: ThisSite) -> User | None:
    """Who looks at the page; None if nobody knows."""
    site.elections.office.check_whole()
    access = site.elections.access
    user: User | None = None
    try:
        user = access.who(request.cookies.get(_named(ACCESS, site), ""))
    except NotSignedIn:
        refresh = request.cookies.get(_named(REFRESH, site), "")
        if refresh:
            try:
                sign_in(request, renewed := access.renew(refresh))
                user = renewed.user
            except NotSignedIn:
                request.state.forgotten = True
    request.state.user = user
    return user


# Who looks at the page, if they have signed in.
Visitor: TypeAlias = Annotated[User | None, Depends(_visitor)]


def _known(visitor: Visitor) -> User:
    if visitor is None:
        raise NotSignedIn("Sign in to see this.")
    return visitor


# Who has signed in, whatever their role is; others are led to the page for that.
Known: TypeAlias = Annotated[User, Depends(_known)]


def _viewer(user: Known) -> User:
    check_may(user, Permission.VIEW_APPLICATION)
    return user


# Who may see the application.
Viewer: TypeAlias = Annotated[User, Depends(_viewer)]


def _named(name: str, site: Site) -> str:
    return f"__Host-{name}" if site.secure_cookies else name


def _keep(request: Request, response: Response, site: Site) -> None:
    signed_in: SignedIn | None = getattr(request.state, "signed_in", None)
    if signed_in is not None:
        left = signed_in.ends - site.elections.office.clock()
        for name, token in ((ACCESS, signed_in.access), (REFRESH, signed_in.refresh)):
            response.set_cookie(
                _named(name, site),
                token,
                max_age=max(0, int(left.total_seconds())),
                path="/",
                secure=site.secure_cookies,
                httponly=True,
                samesite="lax",
            )
    elif getattr(request.state, "forgotten", False):
        for name in (ACCESS, REFRESH):
            response.delete_cookie(
                _named(name, site),
                path="/",
                secure=site.secure_cookies,
                httponly=True,
                samesite="lax",
            )
