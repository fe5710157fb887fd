"""What page handlers depend on: the visitor, their session, and the election in the URL.

A handler of a page about an election looks like this; its template extends
`elections/election_frame.html` and fills the block `tab`:

    @router.get("/e/{name}/candidates")
    def show_candidates(page: ElectionPage) -> Response:
        return page.render_tab("candidates", "candidates", names=…)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Self, TypeAlias, cast

from fastapi import Depends, Request, Response

from singletable_apps.elections.api.dependencies import WRONG_STATE, NameInPath
from singletable_apps.elections.entities import Election, State, User
from singletable_apps.elections.errors import NotSignedIn
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import election_url
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.rules.elections import check_owner, has_begun, has_ended, state_of
from singletable_apps.elections.rules.names import is_same_name
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.service import Elections
from singletable_apps.elections.service.auth import SignedIn
from singletable_apps.shared.pages import Link
from singletable_apps.shared.web import NOT_ALLOWED, Cookie, Problem

ACCESS_COOKIE = Cookie("elections_access")
SESSION_COOKIE = Cookie("elections_session")


def sign_in(request: Request, site: Site, signed_in: SignedIn) -> None:
    """Keep the session in the browser's cookies."""
    left = signed_in.ends - site.elections.context.clock()
    max_age = max(0, int(left.total_seconds()))
    ACCESS_COOKIE.set(request, signed_in.access, max_age=max_age)
    SESSION_COOKIE.set(request, signed_in.refresh, max_age=max_age)
    request.state.signed_in = signed_in
    request.state.user = signed_in.user


def sign_out(request: Request, site: Site) -> None:
    """End the session and delete its cookies."""
    site.elections.auth.sign_out(refresh_token(request))
    _forget(request)


def refresh_token(request: Request) -> str:
    """Return the token that renews the session, as the browser has it after this request."""
    renewed: SignedIn | None = getattr(request.state, "signed_in", None)
    return renewed.refresh if renewed else SESSION_COOKIE.read(request)


def _forget(request: Request) -> None:
    ACCESS_COOKIE.delete(request)
    SESSION_COOKIE.delete(request)
    request.state.signed_in = None
    request.state.user = None


def _visitor(request: Request, site: ThisSite) -> User | None:
    """Return the user who is signed in, or None. An expired access token is renewed."""
    site.elections.context.check_not_rebuilding()
    auth = site.elections.auth
    request.state.user = None
    try:
        request.state.user = auth.authenticate(ACCESS_COOKIE.read(request))
    except NotSignedIn:
        if refresh := SESSION_COOKIE.read(request):
            try:
                sign_in(request, site, auth.renew(refresh))
            except NotSignedIn:
                _forget(request)
    user: User | None = request.state.user
    return user


# The user who is signed in, or None.
Visitor: TypeAlias = Annotated[User | None, Depends(_visitor)]


def _signed_in_user(visitor: Visitor) -> User:
    if visitor is None:
        raise NotSignedIn("Sign in to see this page.")
    return visitor


# The user who is signed in, whatever their role. Others are redirected to the sign-in page.
SignedInUser: TypeAlias = Annotated[User, Depends(_signed_in_user)]


def _viewer(user: SignedInUser) -> User:
    check_permission(user, Permission.VIEW_APPLICATION)
    return user


# A user who may see elections.
Viewer: TypeAlias = Annotated[User, Depends(_viewer)]


@dataclass(frozen=True)
class PageContext:
    """A request of a signed-in user, with the service and the templates at hand."""

    request: Request
    site: Site
    user: User

    @property
    def elections(self) -> Elections:
        """Return the service."""
        return self.site.elections

    def render(self, template: str, status: int = 200, /, **context: object) -> Response:
        """Render a template of this app, named without its folder and ending."""
        return self.site.pages.render(self.request, f"elections/{template}.html", status, **context)

    def redirect(self, url: str, flash: str = "") -> Response:
        """Redirect after something was done, and show a message there."""
        return self.site.pages.redirect(self.request, url, flash)


def _account_page(request: Request, site: ThisSite, user: SignedInUser) -> PageContext:
    return PageContext(request, site, user)


def _viewer_page(request: Request, site: ThisSite, user: Viewer) -> PageContext:
    return PageContext(request, site, user)


# A page for everyone who is signed in; for everyone who may see elections.
AccountPage: TypeAlias = Annotated[PageContext, Depends(_account_page)]
ViewerPage: TypeAlias = Annotated[PageContext, Depends(_viewer_page)]


class Standing(StrEnum):
    """The state of an election as a visitor sees it, opening and closing times included."""

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
    ("tally", "Results"),
    ("voted", "Who voted"),
)


def standing_of(election: Election, now: datetime) -> Standing:
    """Return the state that visitors see now."""
    if election.allow_vote and not has_begun(election, now):
        return Standing.WAITING
    if election.allow_vote and has_ended(election, now):
        return Standing.ENDED
    return _BY_STATE[state_of(election)]


def is_owner(viewer: User, election: Election) -> bool:
    """Return whether the viewer owns the election and may still manage it."""
    return is_same_name(viewer.name, election.owner_name) and has_permission(
        viewer.role, Permission.USE_APPLICATION
    )


def can_manage(viewer: User, election: Election) -> bool:
    """Return whether the settings page has something for the viewer."""
    return is_owner(viewer, election) or has_permission(viewer.role, Permission.MANAGE_USERS)


def check_can_manage(viewer: User, election: Election) -> None:
    """Raise unless the settings page has something for the viewer."""
    if not can_manage(viewer, election):
        check_owner(viewer, election)


def election_links(election: Election, viewer: User, tab: str) -> list[Link]:
    """Return the tabs of an election; `tab` is the current one."""
    tabs = [*_TABS, ("settings", "Settings")] if can_manage(viewer, election) else [*_TABS]
    return [Link(text, election_url(election, name), name == tab) for name, text in tabs]


def election_context(site: Site, election: Election, viewer: User, tab: str) -> dict[str, object]:
    """Return what the template `election_frame.html` needs."""
    return {
        "election": election,
        "standing": standing_of(election, site.elections.context.clock()),
        "tabs": election_links(election, viewer, tab),
    }


def _election(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Election:
    election = site.elections.results.close_if_due(name)
    request.state.election = election
    return election


# The election in the URL. It is closed first if its closing time has passed.
CurrentElection: TypeAlias = Annotated[Election, Depends(_election)]


@dataclass(frozen=True)
class ElectionPageContext(PageContext):
    """A request about one election."""

    election: Election

    @property
    def is_owner(self) -> bool:
        """Return whether the user owns the election and may manage it."""
        return is_owner(self.user, self.election)

    def url(self, *parts: str) -> str:
        """Return the URL of a page of this election."""
        return election_url(self.election, *parts)

    def reread(self) -> Self:
        """Return the same with the election as it is now, after a revision conflict."""
        election = self.elections.context.read.get_election(self.election.name)
        return replace(self, election=election)

    def render_tab(
        self, template: str, tab: str, status: int = 200, /, **context: object
    ) -> Response:
        """Render a template in the frame of the election; `tab` is the current tab."""
        frame = election_context(self.site, self.election, self.user, tab)
        return self.render(template, status, **frame, **context)


def _election_page(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection
) -> ElectionPageContext:
    return ElectionPageContext(request, site, user, election)


# A page about the election in the URL.
ElectionPage: TypeAlias = Annotated[ElectionPageContext, Depends(_election_page)]


def _render_in_frame(request: Request, problem: Problem) -> Response | None:
    """Show a problem with an election in the frame of that election."""
    election: Election | None = getattr(request.state, "election", None)
    if election is None:
        return None
    site = cast(Site, request.app.state.election_pages)
    page = ElectionPageContext(request, site, request.state.user, election)
    is_forbidden = problem.status == 403
    return page.render_tab(
        "election_problem",
        "",
        problem.status,
        title="You can’t do this" if is_forbidden else "Not possible right now",
        text=problem.detail,
    )


PROBLEM_PAGES = {NOT_ALLOWED: _render_in_frame, WRONG_STATE: _render_in_frame}
