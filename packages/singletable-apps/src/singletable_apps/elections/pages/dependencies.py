"""Dependencies of page handlers: the visitor, the navigation, and the election in the URL.

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
from typing import Annotated, Any, Self, TypeAlias

from fastapi import Depends, Request, Response
from markupsafe import Markup

from singletable_apps.elections.entities import Election, Electorate, State, User, is_removed_user
from singletable_apps.elections.log_state import DeletedElection
from singletable_apps.elections.pages.results_view import Count
from singletable_apps.elections.poll_book import LinkVoter
from singletable_apps.elections.proofs.documents import CHECKER_FILENAME
from singletable_apps.elections.proofs.keys import format_fingerprint
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.rules.elections import manages, standing_of, state_of, title_of
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.service import Elections
from singletable_apps.elections.urls import API, Urls
from singletable_apps.elections.web import WRONG_STATE, NameInPath, open_link
from singletable_apps.shared import frame
from singletable_apps.shared.accounts import Auth, People
from singletable_apps.shared.errors import NotFound
from singletable_apps.shared.live import LiveUpdates
from singletable_apps.shared.markdown import render_markdown
from singletable_apps.shared.pages import Link, LocalTime, path_of, request_time_zone
from singletable_apps.shared.results import ResultCache
from singletable_apps.shared.web import NOT_ALLOWED, NOT_FOUND, Problem, set_header

# How long a result may be reused while ballots come in, to spare the table.
MAX_RESULT_AGE = timedelta(seconds=2)


@dataclass(frozen=True)
class ElectionsState(frame.AppState[Elections]):
    """The open app, with the counts that many people watch."""

    body_limit = 4 << 20  # enough for ten thousand voter names
    result_cache: ResultCache[Count] = field(
        default_factory=lambda: ResultCache[Count](MAX_RESULT_AGE)
    )
    live: LiveUpdates = field(default_factory=LiveUpdates)

    @classmethod
    def secret_of(cls, service: Elections) -> bytes:
        """Return the secret that signs what browsers keep."""
        return service.context.keys.secret

    @classmethod
    def auth_of(cls, service: Elections) -> Auth[Any]:
        """Return the accounts of the app."""
        return service.auth

    @classmethod
    def people_of(cls, service: Elections) -> People[Any]:
        """Return the people of the app."""
        return service.people

    def is_waiting(self, user: object) -> bool:
        """Return False: users who wait for approval may read pages; the service checks the rest."""
        return False

    def render_problem(self, request: Request, problem: Problem) -> Response | None:
        """Return the page of a problem with an election."""
        if problem.type in (NOT_ALLOWED, WRONG_STATE):
            return _render_in_frame(request, problem)
        return _render_gone(request, problem) if problem.type is NOT_FOUND else None


def page_context(request: Request, service: Elections) -> Mapping[str, object]:
    """Return the navigation and the account for every page."""
    urls = service.context.urls
    footer = [
        Link("Vote with a code", urls.page("v")),
        Link("Check a ballot", urls.page("check")),
        Link("Count ballots", urls.page("sandbox")),
        Link("API", "/api/elections/docs"),
        Link("Home", "/"),
    ]
    common: dict[str, object] = {
        "nav": [],
        "links": footer,
        "search_url": urls.page("all"),
        "link_voter": getattr(request.state, "link_voter", None),
        "checker_url": f"{API}/{CHECKER_FILENAME}",
        "fingerprint": format_fingerprint(service.context.keys.signer.public_key),
    }
    if common["link_voter"]:  # has no account to sign in to
        return common
    if not hasattr(request.state, "user"):  # an error page or the API documentation
        return {**common, "account_links": [Link("Go to elections", urls.page())]}
    user: User | None = request.state.user
    if user is None:
        return common
    path = path_of(request)
    may = {permission.value: has_permission(user.role, permission) for permission in Permission}
    nav = [
        ("All elections", urls.page("all"), may["VIEW_APPLICATION"]),
        ("People", urls.page("people"), may["MANAGE_USERS"]),
        ("Audit", urls.page("audit"), may["VIEW_SECRETS"]),
    ]
    return {
        **common,
        "account_links": [Link("Your account", urls.page("account"))],
        "may": may,
        "nav": [
            Link(text, target, _is_current(urls, path, target))
            for text, target, shown in nav
            if shown
        ],
    }


def _is_current(urls: Urls, path: str, target: str) -> bool:
    """Return whether a page belongs to a link in the header."""
    is_about_elections = path.startswith((urls.page("e", ""), urls.page("new")))
    return path.startswith(target) or (target == urls.page("all") and is_about_elections)


PageContext: TypeAlias = frame.PageContext[Elections, Urls]
UserPageContext: TypeAlias = frame.UserPageContext[Elections, Urls, User]


# A page for everyone.
AnyPage: TypeAlias = Annotated[PageContext, Depends(PageContext.visited)]
# A page for people who are signed in, whatever their role. Others are redirected to the sign-in
# page.
UserPage: TypeAlias = Annotated[UserPageContext, Depends(UserPageContext.signed_in)]


def _viewer_page(page: UserPage) -> UserPageContext:
    check_permission(page.user, Permission.VIEW_APPLICATION)
    return page


# A page for people who may see elections.
ViewerPage: TypeAlias = Annotated[UserPageContext, Depends(_viewer_page)]


_TABS = (
    ("", "Overview"),
    ("candidates", "Candidates"),
    ("voters", "Voters"),
    ("ballot", "Ballot"),
    ("tally", "Results"),
    ("voted", "Who voted"),
)


_SETUP = (
    ("settings", "Question"),
    ("candidates", "Candidates"),
    ("voters", "Voters"),
    ("method", "Counting"),
    ("review", "Review and launch"),
)


@dataclass(frozen=True, slots=True)
class SetupStep:
    """A step of setting up an election, or a question: its page, if it is this one, and done."""

    title: str
    url: str
    is_current: bool
    is_done: bool


def can_see_settings(viewer: User, election: Election) -> bool:
    """Return whether the settings page has something for the viewer."""
    return manages(viewer, election) or has_permission(viewer.role, Permission.MANAGE_USERS)


@dataclass(frozen=True)
class ElectionPageContext(UserPageContext):
    """A request about one election."""

    election: Election

    @property
    def voter(self) -> User:
        """The user, as a voter and a viewer of results."""
        return self.user

    @property
    def is_manager(self) -> bool:
        """Return whether the user owns or manages the election."""
        return manages(self.user, self.election)

    @property
    def first_question(self) -> Election:
        """The first question on the ballot: this election, unless it is another one."""
        return self.service.context.book.questions(self.election)[0]

    def url(self, *parts: str, **query: str) -> str:
        """Return the URL of a page of this election."""
        return self.urls.election(self.election, *parts, **query)

    def question_url(self, election: Election, part: str) -> str:
        """Return the URL of a page about another question on the same ballot."""
        return self.urls.election(election, part)

    def reread(self) -> Self:
        """Return the same with the election as it is now, after a revision conflict."""
        election = self.service.context.read.get_election(self.election.name)
        return replace(self, election=election)

    def render_tab(
        self, template: str, tab: str, status: int = 200, /, **context: object
    ) -> Response:
        """Render a template in the frame of the election; `tab` is the current tab."""
        if tab == "ballot":  # the next person at the same screen must not find it by going back
            set_header(self.request, "Cache-Control", "no-store")
        shown = _frame_context(self, self._part_of_questions(tab), self._tabs(tab))
        shown["setup_steps"] = self._setup_steps()
        return self.render(template, status, **{**shown, **context})

    def _part_of_questions(self, tab: str) -> str:
        """Return the page to show of another question: the same step; all share their voters."""
        step = next((name for name, _ in _SETUP if name == self._setup_step), tab)
        is_shared = step == "voters" and state_of(self.election) is State.SETUP
        return "candidates" if is_shared else step

    @property
    def _setup_step(self) -> str:
        path: str = getattr(self.request.scope.get("route"), "path", "")
        part = path.partition("{name}")[2].strip("/").split("/")[0]
        return {"roll": "voters", "launch": "review"}.get(part, part)

    def _setup_steps(self) -> list[SetupStep]:
        """Return the steps of setting up, for the owner until the launch."""
        election = self.election
        if not self.is_manager or state_of(election) is not State.SETUP:
            return []
        here = self._setup_step
        has_voters = election.electorate is Electorate.ACCOUNTS or election.voter_count > 0
        done = {"settings": True, "method": True, "voters": has_voters}
        done["candidates"] = has_candidates(election)
        return [
            SetupStep(title, self.url(name), name == here, done.get(name, False))
            for name, title in _SETUP
            if name != "voters" or election.joint_with is None
        ]

    def _tabs(self, current: str) -> list[Link]:
        has_settings = can_see_settings(self.user, self.election)
        tabs = [*_TABS, ("settings", "Settings")] if has_settings else _TABS
        return [Link(text, self.url(name), name == current) for name, text in tabs]


def _election_page(page: ViewerPage, name: NameInPath) -> ElectionPageContext:
    try:
        election = page.service.results.close_if_due(name)
    except NotFound:
        page.request.state.renamed = page.service.context.book.find_renamed(name)
        page.request.state.deleted = page.service.queries.find_deleted(page.user, name)
        raise
    page.request.state.election = election
    return ElectionPageContext(page.request, page.user, election)


# A page about the election in the URL. It is closed first if its closing time has passed.
ElectionPage: TypeAlias = Annotated[ElectionPageContext, Depends(_election_page)]


@dataclass(frozen=True)
class LinkPageContext(PageContext):
    """A request of a voter with a personal link; `code` is in the URL."""

    election: Election
    voter: LinkVoter
    code: str

    def url(self, *parts: str, **query: str) -> str:
        """Return the URL of a page of this voter."""
        return self.urls.page("v", self.code, *(part for part in parts if part), **query)

    def question_url(self, election: Election, part: str) -> str:
        """Return the URL of another question: this voter has a link to each of them."""
        return self.urls.page("v", self.service.rolls.code(election, self.voter.entry), part)

    def render_tab(
        self, template: str, tab: str, status: int = 200, /, **context: object
    ) -> Response:
        """Render a template in the frame of the election, with the voter's own tabs."""
        set_header(self.request, "Cache-Control", "no-store")
        names = (("ballot", "Ballot"), ("tally", "Results"))
        tabs = [Link(text, self.url(name), name == tab) for name, text in names]
        return self.render(template, status, **{**_frame_context(self, tab, tabs), **context})


def _frame_context(
    page: ElectionPageContext | LinkPageContext, part: str, tabs: list[Link]
) -> dict[str, object]:
    """Return what the frame of an election shows; `part` is the page of another question."""
    first = page.service.context.book.questions(page.election)[0]
    return {
        "election": page.election,
        "first": first,
        "ballot_title": title_of(first),
        "method": page.service.queries.method(page.election),
        "standing": standing_of(page.election, page.service.context.clock()),
        "is_manager": isinstance(page, ElectionPageContext) and page.is_manager,
        "url": page.url,
        "tabs": tabs,
        "questions": list_questions(page, part),
        "setup_steps": [],
    }


def list_questions(page: ElectionPageContext | LinkPageContext, part: str) -> list[SetupStep]:
    """Return all questions on the ballot of an election, if there are several.

    Before the launch, those that have enough candidates are done; then those that were answered.
    """
    book = page.service.context.book
    questions = book.questions(page.election)
    voter_id = book.owner_of_ballot(page.election, page.voter).voter_id
    is_setup = state_of(page.election) is State.SETUP
    return [
        SetupStep(
            each.name,
            page.question_url(each, part),
            each.election_id == page.election.election_id,
            has_candidates(each) if is_setup else book.ballot_event(each, voter_id) is not None,
        )
        for each in questions
        if len(questions) > 1
    ]


def local_time(page: PageContext, at: datetime) -> str:
    """Return a time in words, in the reader's time zone."""
    return LocalTime(at, request_time_zone(page.request)).long


def has_candidates(election: Election) -> bool:
    """Return whether there are more candidates than seats."""
    return election.candidate_count > max(1, election.seats)


def _link_page(request: Request, code: NameInPath) -> LinkPageContext:
    election, voter = open_link(request, code)
    request.state.link_voter = voter.entry
    return LinkPageContext(request, election, voter, code)


LinkPage: TypeAlias = Annotated[LinkPageContext, Depends(_link_page)]
# A page that people with accounts and people with personal links see; `pages.links` adds the
# latter.
VoterPage: TypeAlias = Annotated[ElectionPageContext | LinkPageContext, Depends(_election_page)]


# ------------------------------------------------------------------------------ texts


@dataclass(frozen=True, slots=True)
class RenderedTexts:
    """The question as text; the description, and statements by candidate, as HTML.

    A picture of a candidate is its URL and what it shows.
    """

    question: str
    description: Markup
    candidates: tuple[str, ...]
    statements: Mapping[str, Markup]
    pictures: Mapping[str, tuple[str, str]]


def render_texts(page: ElectionPageContext | LinkPageContext) -> RenderedTexts:
    """Return the texts of the election of a page."""
    return render_election_texts(page, page.voter, page.election.name)


def render_election_texts(
    page: PageContext, viewer: User | LinkVoter | None, election: str
) -> RenderedTexts:
    """Return the texts of an election; None has a link to its public page."""
    texts = page.service.queries.texts(viewer, election)
    return RenderedTexts(
        texts.question,
        Markup(render_markdown(texts.description)),
        texts.candidates,
        {name: Markup(render_markdown(text)) for name, text in texts.statements.items()},
        {
            name: (page.urls.picture(picture.name), picture.alt)
            for name, picture in texts.pictures.items()
        },
    )


# ------------------------------------------------------------------------------ problems


def _render_in_frame(request: Request, problem: Problem) -> Response | None:
    """Show a problem with an election in the frame of that election."""
    election: Election | None = getattr(request.state, "election", None)
    if election is None:
        return None
    page = ElectionPageContext(request, request.state.user, election)
    title = "You can’t do this" if problem.status == 403 else "Not possible right now"
    return page.render_tab("election_problem", "", problem.status, title=title, text=problem.detail)


def _render_gone(request: Request, problem: Problem) -> Response | None:
    """Follow an old link to the new name of an election, or say what remains of a deleted one."""
    renamed: Election | None = getattr(request.state, "renamed", None)
    if renamed is not None and request.method == "GET":
        page = UserPageContext(request, request.state.user)
        parts = request.scope["path"].partition("/e/")[2].split("/")[1:]
        url = page.urls.election(renamed, *parts, **request.query_params)
        return page.redirect(url, f"The name of this election is now “{renamed.name}”.")
    deleted: DeletedElection | None = getattr(request.state, "deleted", None)
    if deleted is None:
        return None
    page = UserPageContext(request, request.state.user)
    by, book = "someone whose account is deleted", page.service.context.book
    name = book.user_name(deleted.deleted_by) if deleted.deleted_by is not None else ""
    by = name if name and not is_removed_user(name) else by
    return page.render("deleted", 410, deleted=deleted, by=by)
