"""What page handlers depend on: URLs, the site, the visitor, and the election in the URL.

A handler of a page about an election looks like this; its template extends
`elections/election_frame.html` and fills the block `page`:

    @router.get("/e/{name}/candidates")
    def show_candidates(page: ElectionPage) -> Response:
        return page.render_tab("candidates", "candidates", names=…)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self, TypeAlias, cast
from urllib.parse import quote

from fastapi import Depends, Request, Response

from singletable_apps.elections.api.dependencies import WRONG_STATE, NameInPath
from singletable_apps.elections.entities import Election, State, User
from singletable_apps.elections.errors import AlreadyTaken, InvalidInput, NotSignedIn
from singletable_apps.elections.pages.results_view import Count
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.rules.elections import check_owner, has_begun, has_ended, state_of
from singletable_apps.elections.rules.names import is_same_name
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.service import Elections
from singletable_apps.shared import pages
from singletable_apps.shared.accounts import Auth
from singletable_apps.shared.ballot import static_files as ballot_static_files
from singletable_apps.shared.live import LiveUpdates
from singletable_apps.shared.pages import (
    Confirmation,
    Form,
    Link,
    Pages,
    PasswordPrompt,
    ProblemPage,
    Product,
    SessionCookies,
    path_of,
)
from singletable_apps.shared.results import TEMPLATES, ResultCache
from singletable_apps.shared.results import static_files as results_static_files
from singletable_apps.shared.web import NOT_ALLOWED, Problem, ProblemType, set_header

PREFIX = "/elections"


def url(*parts: str) -> str:
    """Return the URL of a page; every part is quoted."""
    return "/".join([PREFIX, *(quote(part, safe="") for part in parts)])


def election_url(election: Election, *parts: str) -> str:
    """Return the URL of a page about an election."""
    return url("e", election.name, *(part for part in parts if part))


SIGN_IN = f"{PREFIX}/sign-in"
PRODUCT = Product("Elections", PREFIX, "Ranked voting, with results that anyone can check.")

# How long a result may be reused while ballots come in, to spare the table.
MAX_RESULT_AGE = timedelta(seconds=2)
FOOTER = [
    Link("Check a ballot", f"{PREFIX}/check"),
    Link("API", "/api/elections/docs"),
    Link("Home", "/"),
]


@dataclass(frozen=True)
class Site:
    """What every page handler uses."""

    elections: Elections
    pages: Pages
    result_cache: ResultCache[Count] = field(
        default_factory=lambda: ResultCache[Count](MAX_RESULT_AGE)
    )
    live: LiveUpdates = field(default_factory=LiveUpdates)


def make_site(elections: Elections, problem_pages: Mapping[ProblemType, ProblemPage]) -> Site:
    """Return the site of an open service."""
    templates = Pages(
        "elections",
        Path(__file__).parent.parent,
        secret=elections.context.keys.secret,
        product=PRODUCT,
        prefix=PREFIX,
        sign_in=SIGN_IN,
        context=page_context,
        generated_files={**results_static_files(), **ballot_static_files()},
        templates=[TEMPLATES],
        problem_pages=problem_pages,
    )
    return Site(elections, templates)


def get_site(request: Request) -> Site:
    """Return the site of a request."""
    return cast(Site, request.app.state.election_pages)


async def _site(request: Request) -> Site:
    return get_site(request)


ThisSite: TypeAlias = Annotated[Site, Depends(_site)]


def page_context(request: Request) -> Mapping[str, object]:
    """Return the navigation and the account for every page."""
    if not hasattr(request.state, "user"):  # an error page or the API documentation
        return {"account_links": [Link("Go to elections", PREFIX)], "nav": [], "links": FOOTER}
    user: User | None = request.state.user
    if user is None:
        links = [Link("Sign in", SIGN_IN), Link("Register", url("register"))]
        return {"account_links": links, "nav": [], "links": FOOTER}
    path = path_of(request)
    may = {permission.value: has_permission(user.role, permission) for permission in Permission}
    nav = [
        ("All elections", url("all"), may["VIEW_APPLICATION"]),
        ("People", url("people"), may["MANAGE_USERS"]),
        ("Audit", url("audit"), may["VIEW_SECRETS"]),
    ]
    return {
        "account": user.name,
        "account_links": [Link("Your account", url("account"))],
        "links": FOOTER,
        "may": may,
        "nav": [
            Link(text, target, _is_current(path, target)) for text, target, shown in nav if shown
        ],
    }


def _is_current(path: str, target: str) -> bool:
    """Return whether a page belongs to a link in the header."""
    is_about_elections = path.startswith((f"{PREFIX}/e/", url("new")))
    return path.startswith(target) or (target == url("all") and is_about_elections)


COOKIES = SessionCookies("elections")


def find_visitor(request: Request, site: ThisSite) -> User | None:
    """Return the user who is signed in, or None."""
    site.elections.context.check_not_rebuilding()
    return COOKIES.visitor(request, site.elections.auth)


# The user who is signed in, or None.
Visitor: TypeAlias = Annotated[User | None, Depends(find_visitor)]


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
class PageContext(pages.PageContext):
    """The request, service and templates that a page handler uses."""

    folder = "elections"
    rejects = (InvalidInput, AlreadyTaken)
    site: Site

    @property
    def pages(self) -> Pages:
        """Return the pages of the app."""
        return self.site.pages

    @property
    def elections(self) -> Elections:
        """Return the service."""
        return self.site.elections


@dataclass(frozen=True)
class VisitorPageContext(PageContext):
    """A request of anyone; `user` is None unless they are signed in."""

    user: User | None


@dataclass(frozen=True)
class UserPageContext(PageContext, PasswordPrompt[User]):
    """A request of a signed-in user."""

    cookies = COOKIES
    user: User

    @property
    def auth(self) -> Auth[User]:
        """Return the accounts of the app."""
        return self.elections.auth

    def invalid_field(self, field: str, message: str) -> Exception:
        """Return the app's error for a field of a form."""
        return InvalidInput(message, field=field)

    def confirm(
        self, question: Confirmation, form: Form | None = None, status: int = 200
    ) -> Response:
        """Ask before something is done."""
        return self.render("confirm", status, **self.question_context(question, form))


def _public_page(request: Request, site: ThisSite) -> PageContext:
    return PageContext(request, site)


def _visitor_page(request: Request, site: ThisSite, visitor: Visitor) -> VisitorPageContext:
    return VisitorPageContext(request, site, visitor)


def _account_page(request: Request, site: ThisSite, user: SignedInUser) -> UserPageContext:
    return UserPageContext(request, site, user)


def _viewer_page(request: Request, site: ThisSite, user: Viewer) -> UserPageContext:
    return UserPageContext(request, site, user)


# A page that does not depend on the visitor; for everyone; for everyone who is signed in; and for
# everyone who may see elections.
PublicPage: TypeAlias = Annotated[PageContext, Depends(_public_page)]
VisitorPage: TypeAlias = Annotated[VisitorPageContext, Depends(_visitor_page)]
AccountPage: TypeAlias = Annotated[UserPageContext, Depends(_account_page)]
ViewerPage: TypeAlias = Annotated[UserPageContext, Depends(_viewer_page)]


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


@dataclass(frozen=True)
class ElectionPageContext(UserPageContext):
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
        if tab == "ballot":  # the next person at the same screen must not find it by going back
            set_header(self.request, "Cache-Control", "no-store")
        return self.render(
            template,
            status,
            election=self.election,
            standing=standing_of(self.election, self.elections.context.clock()),
            tabs=election_links(self.election, self.user, tab),
            **context,
        )

    def confirm(
        self, question: Confirmation, form: Form | None = None, status: int = 200
    ) -> Response:
        """Ask before something is done, beside the tabs of the election."""
        context = self.question_context(question, form)
        return self.render_tab("confirm", "settings", status, **context)


def _election_page(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath
) -> ElectionPageContext:
    election = site.elections.results.close_if_due(name)
    request.state.election = election
    return ElectionPageContext(request, site, user, election)


# A page about the election in the URL. It is closed first if its closing time has passed.
ElectionPage: TypeAlias = Annotated[ElectionPageContext, Depends(_election_page)]


def _render_in_frame(request: Request, problem: Problem) -> Response | None:
    """Show a problem with an election in the frame of that election."""
    election: Election | None = getattr(request.state, "election", None)
    if election is None:
        return None
    page = ElectionPageContext(request, get_site(request), request.state.user, election)
    is_forbidden = problem.status == 403
    return page.render_tab(
        "election_problem",
        "",
        problem.status,
        title="You can’t do this" if is_forbidden else "Not possible right now",
        text=problem.detail,
    )


PROBLEM_PAGES = {NOT_ALLOWED: _render_in_frame, WRONG_STATE: _render_in_frame}
