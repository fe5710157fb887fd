"""Who visits a page: known by two cookies, which are renewed on the way."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, TypeAlias, cast

from fastapi import APIRouter, Depends, Request, Response
from fastapi.routing import APIRoute

from singletable_apps.elections.api.dependencies import NameInPath
from singletable_apps.elections.api.problems import problem_of
from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.errors import (
    NotPermitted,
    NotSignedIn,
    Rejected,
    Unavailable,
    WrongState,
)
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import election_url
from singletable_apps.elections.proofs import CodeRefused
from singletable_apps.elections.roles import Permission, has
from singletable_apps.elections.rules import (
    check_may,
    check_owner,
    has_begun,
    has_ended,
    same,
    state_of,
)
from singletable_apps.elections.service import SignedIn
from singletable_apps.elections.states import State
from singletable_apps.shared.accounts import TooManyAttempts
from singletable_apps.shared.pages import Link
from singletable_apps.shared.web import Problem

ACCESS = "elections_access"
REFRESH = "elections_session"


class PageRoute(APIRoute):
    """A route to a page: refusals become pages, and cookies that were renewed go along."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with what happens around it."""
        handle = super().get_route_handler()

        async def visit(request: Request) -> Response:
            site = cast(Site, request.app.state.election_pages)
            try:
                response = await handle(request)
            except Problem as problem:
                response = site.pages.render_problem(request, problem)
            except (Rejected, Unavailable, TooManyAttempts, CodeRefused) as refusal:
                response = site.pages.render_problem(request, problem_of(refusal, request.method))
            _keep(request, response, site)
            return response

        return visit


def page_router() -> APIRouter:
    """A router for pages of one topic."""
    return APIRouter(route_class=PageRoute)


def sign_in(request: Request, signed_in: SignedIn) -> None:
    """Let the browser be known from now on."""
    request.state.signed_in = signed_in
    request.state.user = signed_in.user


def sign_out(request: Request, site: Site) -> None:
    """End the session, and let the browser forget it."""
    site.elections.auth.sign_out(refresh_token(request, site))
    request.state.forgotten = True
    request.state.signed_in = None
    request.state.user = None


def refresh_token(request: Request, site: Site) -> str:
    """What renews the visitor's session, as the browser has it after this request."""
    renewed: SignedIn | None = getattr(request.state, "signed_in", None)
    return renewed.refresh if renewed else request.cookies.get(_named(REFRESH, site), "")


def _visitor(request: Request, site: ThisSite) -> User | None:
    """Who looks at the page; None if nobody knows."""
    site.elections.context.check_whole()
    access = site.elections.auth
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
        left = signed_in.ends - site.elections.context.clock()
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


# The frame of every page about one election: its name, where it stands, and its tabs.
#
# Handler: site.pages.render(request, "…", **election_context(site, election, user, "tally"), …)
# A template: {% extends "elections/election_frame.html" %} {% block tab %} … {% endblock %}
#
# `framed` gives `election`, `standing` and `tabs`; the last word is the tab that is open, as in the
# address: "" (Overview), candidates, voters, ballot, tally, voted, settings.


class Standing(StrEnum):
    """Where an election stands for who looks at it, its window included."""

    SETUP = "setup"
    WAITING = "waiting"
    OPEN = "open"
    FIXED = "fixed"
    ENDED = "ended"
    CLOSED = "closed"


_BY_STATE = {
    State.SETUP: Standing.SETUP,
    State.EDITABLE: Standing.OPEN,
    State.FIXED: Standing.FIXED,
    State.CLOSED: Standing.CLOSED,
}

_TABS = (
    ("", "Overview"),
    ("candidates", "Candidates"),
    ("voters", "Voters"),
    ("ballot", "Ballot"),
    ("tally", "Tally"),
    ("voted", "Who voted"),
)


def standing_of(election: Election, now: datetime) -> Standing:
    """Where the election stands now."""
    if election.allow_vote and not has_begun(election, now):
        return Standing.WAITING
    if election.allow_vote and has_ended(election, now):
        return Standing.ENDED
    return _BY_STATE[state_of(election)]


def is_owner(viewer: User, election: Election) -> bool:
    """Whether the election is the viewer's, and they may still conduct it."""
    return same(viewer.name, election.owner_name) and has(viewer.role, Permission.USE_APPLICATION)


def may_settle(viewer: User, election: Election) -> bool:
    """Whether there is something in the settings that the viewer may do."""
    return is_owner(viewer, election) or has(viewer.role, Permission.MANAGE_USERS)


def check_settles(viewer: User, election: Election) -> None:
    """Refuse unless there is something in the settings that the viewer may do."""
    if not may_settle(viewer, election):
        check_owner(viewer, election)


def election_links(election: Election, viewer: User, here: str) -> list[Link]:
    """The tabs of an election, for who looks at it."""
    tabs = [*_TABS, ("settings", "Settings")] if may_settle(viewer, election) else [*_TABS]
    return [Link(text, election_url(election, tab), tab == here) for tab, text in tabs]


def election_context(site: Site, election: Election, viewer: User, here: str) -> dict[str, object]:
    """What the frame needs."""
    return {
        "election": election,
        "standing": standing_of(election, site.elections.context.clock()),
        "tabs": election_links(election, viewer, here),
    }


# Pages about one election: which it is, and what to say where something cannot be done now.
#
# A handler of an `election_router()` asks for `election: ThisElection`, the one in the URL. What
# the rules refuse because of its state, or of whose it is, becomes a page in its frame.


class _Framed(APIRoute):
    """A route that shows refusals in the frame of the election they are about."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with what happens around it."""
        handle = super().get_route_handler()

        async def framing(request: Request) -> Response:
            try:
                return await handle(request)
            except (WrongState, NotPermitted) as refusal:
                election: Election | None = getattr(request.state, "election", None)
                if election is None:
                    raise
                return _not_now(request, election, refusal)

        return framing


class _ElectionVisit(PageRoute, _Framed):
    """A visit to a page of an election."""


def election_router() -> APIRouter:
    """A router for pages about one election."""
    return APIRouter(route_class=_ElectionVisit)


def _chosen(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Election:
    election = site.elections.results.settled(name)
    request.state.election = election
    return election


# The election in the address, closed first if its time is up.
CurrentElection: TypeAlias = Annotated[Election, Depends(_chosen)]


def _not_now(request: Request, election: Election, refusal: WrongState | NotPermitted) -> Response:
    site = cast(Site, request.app.state.election_pages)
    forbidden = isinstance(refusal, NotPermitted)
    return site.pages.render(
        request,
        "elections/not_now.html",
        403 if forbidden else 409,
        **election_context(site, election, request.state.user, ""),
        title="This is for others to do" if forbidden else "Not at this point",
        words=str(refusal),
    )
