"""The home page, how votes are counted, and the list of elections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from ranked_ballots import Ballots, Ranking, pluralize, schulze
from ranked_ballots.pictures import Picture, draw_beat_paths
from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.pages.dependencies import AnyPage, PageContext, ViewerPage
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.rules.elections import (
    MIN_CANDIDATES,
    Standing,
    standing_of,
    title_of,
)
from singletable_apps.elections.rules.methods import METHOD
from singletable_apps.shared.pages import Link, ListQueryParameters

router = APIRouter()
_SAMPLE = (
    (6, ("Lake", "Garden", "Museum", "Castle")),
    (5, ("Museum", "Castle", "Garden", "Lake")),
    (4, ("Garden", "Museum", "Lake")),
    (2, ("Castle", "Museum")),
)


@cache
def sample_picture() -> Picture:
    """Draw a small election the way it would be decided here."""
    counts = [(Ranking.from_levels([[name] for name in order]), n) for n, order in _SAMPLE]
    return draw_beat_paths(schulze(Ballots.from_counts(sorted(_SAMPLE[0][1]), counts)))


@dataclass(frozen=True, slots=True)
class BallotRow:
    """A ballot with one question or several, by its first one.

    `vote_url` if the viewer has a question to answer now.
    """

    election: Election
    title: str
    questions: int
    standing: Standing
    url: str
    vote_url: str
    has_voted: bool

    @property
    def size(self) -> str:
        """Return how many questions there are, or how many candidates the only one has."""
        if self.questions > 1:
            return pluralize(self.questions, "question")
        return pluralize(self.election.candidate_count, "candidate")


@dataclass(frozen=True, slots=True)
class OwnRow:
    """A ballot on the dashboard of its owner, and what to do next: a sentence and a button."""

    ballot: BallotRow
    text: str
    button: str
    button_url: str


@router.get("")
def show_home(page: AnyPage) -> Response:
    """Show the welcome page, the dashboard, or that an administrator has to approve the account."""
    user: User | None = page.visitor
    if user is None:
        return page.render("welcome", picture=sample_picture(), method=METHOD)
    if not has_permission(user.role, Permission.VIEW_APPLICATION):
        return page.render("awaiting_approval", user=user)
    overview = page.service.queries.overview(user)
    began = _listed(page, user, [*overview.to_vote, *overview.voted])
    own = [_own_row(page, row) for row in _listed(page, user, overview.own)]
    # The user's own elections are in `own` already.
    closed = [each for each in overview.ended if each not in overview.own]
    return page.render(
        "dashboard",
        user=user,
        overview=overview,
        to_vote=[row for row in began if row.vote_url],
        voted=[row for row in began if not row.vote_url],
        upcoming=_listed(page, user, overview.coming),
        own=sorted(own, key=lambda row: _MOST_URGENT_FIRST.index(row.ballot.standing)),
        closed=_listed(page, user, closed),
        ballots=page.service.context.book.count_ballots(),
    )


@router.get("/counting")
def show_counting(page: AnyPage) -> Response:
    """Explain how votes are counted."""
    return page.render("counting", picture=sample_picture(), method=METHOD)


_MOST_URGENT_FIRST = (
    Standing.SETUP,
    Standing.ENDED,
    Standing.OPEN,
    Standing.FIXED,
    Standing.WAITING,
    Standing.CLOSED,
)


_NEXT_STEPS = {
    Standing.SETUP: ("Ready to launch", "Launch…", "launch"),
    Standing.OPEN: ("Closes", "Who voted", "voted"),
    Standing.FIXED: ("Closes", "Who voted", "voted"),
    Standing.WAITING: ("Opens", "View", ""),
    Standing.ENDED: ("Voting has ended", "Results", "tally"),
    Standing.CLOSED: ("Results are in", "Results", "tally"),
}


def _own_row(page: AnyPage, row: BallotRow) -> OwnRow:
    text, button, part = _NEXT_STEPS[row.standing]
    if row.standing is Standing.SETUP and row.election.candidate_count < MIN_CANDIDATES:
        text, button, part = "Needs at least two candidates", "Add candidates", "candidates"
    if text == "Closes" and row.election.no_voting_after is None:
        text = "Open until you close it"
    return OwnRow(row, text, button, page.urls.election(row.election, part))


PAGE_SIZE = 25
# A filtered page reads at most this many pages of the table; "Next page" continues from there.
MAX_PAGES_READ = 20
VOTING = frozenset({Standing.OPEN, Standing.FIXED})

Filter = Literal["all", "open", "closed", "mine"]
FILTERS: dict[Filter, str] = {"all": "All", "open": "Open", "closed": "Closed", "mine": "Mine"}
_STANDINGS: dict[Filter, frozenset[Standing]] = {
    "open": VOTING,
    "closed": frozenset({Standing.ENDED, Standing.CLOSED}),
}


@router.get("/all")
def list_elections(
    page: ViewerPage,
    query: ListQueryParameters,
    which: Annotated[Filter, Query(alias="filter")] = "all",
) -> Response:
    """List elections by name; on the first page, those that need the viewer's vote come first."""
    queries, matches = page.service.queries, _matcher(page, which, query.search)
    elections, following = _read_page(page, which, matches, query.cursor)
    to_vote: list[BallotRow] = []
    if query.cursor is None and which in ("all", "open"):
        waiting = _listed(page, page.user, queries.overview(page.user).to_vote)
        to_vote = [row for row in waiting if matches(row.election)]
    shown_above = {row.election.name for row in to_vote}
    others = [each for each in elections if each.name not in shown_above]
    rows = _listed(page, page.user, others)
    return page.render(
        "election_list",
        to_vote=to_vote,
        listed=query.page(sorted(rows, key=lambda row: not row.vote_url), following),
        filter=which,
        ballots=page.service.context.book.count_ballots(),
        people=queries.counts(page.user).user_count,
        user=page.user,
        tabs=[
            Link(text, query.url(filter="" if name == "all" else name), name == which)
            for name, text in FILTERS.items()
        ],
    )


def _matcher(page: ViewerPage, which: Filter, text: str) -> Callable[[Election], bool]:
    """Return a function that says whether a ballot matches the filter and the search.

    Further questions are not listed, but their names are searched.
    """
    now, words = page.service.context.clock(), text.casefold().split()
    standings = _STANDINGS.get(which)

    def matches(election: Election) -> bool:
        names = [title_of(election), *(each.name for each in _questions(page, election))]
        text = " ".join(names).casefold()
        return (
            election.joint_with is None
            and all(word in text for word in words)
            and (standings is None or standing_of(election, now) in standings)
        )

    return matches


def _read_page(
    page: ViewerPage, which: Filter, matches: Callable[[Election], bool], cursor: str | None
) -> tuple[list[Election], str | None]:
    """Read until there is a page of matches, the table ends, or enough has been read."""
    user, queries = page.user, page.service.queries
    found: list[Election] = []
    for _ in range(MAX_PAGES_READ):
        if which == "mine":
            items, cursor = queries.elections_of(user, user.name, PAGE_SIZE, cursor)
        else:
            some = queries.elections(user, PAGE_SIZE, cursor)
            items, cursor = list(some.items), some.cursor
        found += filter(matches, items)
        if cursor is None or len(found) >= PAGE_SIZE:
            break
    return found, cursor


def _questions(page: PageContext, election: Election) -> list[Election]:
    return page.service.context.book.questions(election)


def _listed(page: PageContext, viewer: User, elections: Sequence[Election]) -> list[BallotRow]:
    """Return the ballots with these questions, each once."""
    now, rows = page.service.context.clock(), list[BallotRow]()
    ballots = [_questions(page, each) for each in elections]
    found = {ballot[0].election_id: ballot for ballot in ballots}
    parts = iter(page.service.queries.participation(viewer, [*chain(*found.values())]))
    for questions in found.values():
        first, own = questions[0], [(each, next(parts)) for each in questions]
        left = [each for each, part in own if part.may_vote and not part.has_voted]
        standing, url = standing_of(first, now), page.urls.election
        vote_url = url(left[0], "ballot") if left and standing in VOTING else ""
        has_voted = all(part.has_voted for _, part in own)
        rows.append(
            BallotRow(first, title_of(first), len(own), standing, url(first), vote_url, has_voted)
        )
    return rows
