"""The list of elections, with filters and search by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response

from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.pages.dependencies import Standing, Viewer, standing_of
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import election_url, url
from singletable_apps.shared.pages import Link

router = APIRouter()

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


@dataclass(frozen=True, slots=True)
class ListedElection:
    """An election in the list, and the viewer's part in it."""

    election: Election
    standing: Standing
    url: str
    needs_vote: bool
    has_voted: bool


@router.get("/all")
def list_elections(
    request: Request,
    site: ThisSite,
    user: Viewer,
    which: Annotated[Filter, Query(alias="filter")] = "all",
    query: Annotated[str, Query(alias="q", max_length=100)] = "",
    cursor: Annotated[str | None, Query(max_length=4000)] = None,
) -> Response:
    """List elections by name; on the first page, those that need the viewer's vote come first."""
    query = query.strip()
    matches = _matcher(site, which, query)
    elections, following = _read_page(site, user, which, matches, cursor)
    to_vote: list[ListedElection] = []
    if cursor is None and which in ("all", "open"):
        waiting = site.elections.queries.overview(user).to_vote
        to_vote = _listed(site, user, [election for election in waiting if matches(election)])
    shown_above = {row.election.name for row in to_vote}
    rows = _listed(site, user, [one for one in elections if one.name not in shown_above])
    here = _list_url(which, query)
    return site.pages.render(
        request,
        "elections/election_list.html",
        to_vote=to_vote,
        rows=sorted(rows, key=lambda row: not row.needs_vote),
        filter=which,
        query=query,
        counts=site.elections.queries.counts(user),
        user=user,
        tabs=[Link(text, _list_url(name, query), name == which) for name, text in FILTERS.items()],
        next=_list_url(which, query, following) if following else "",
        first=here if cursor else "",
    )


def _matcher(site: Site, which: Filter, query: str) -> Callable[[Election], bool]:
    """Return a function that says whether an election matches the filter and the search."""
    now, words = site.elections.context.clock(), query.casefold().split()
    standings = _STANDINGS.get(which)

    def matches(election: Election) -> bool:
        name = election.name.casefold()
        return all(word in name for word in words) and (
            standings is None or standing_of(election, now) in standings
        )

    return matches


def _read_page(
    site: Site, user: User, which: Filter, matches: Callable[[Election], bool], cursor: str | None
) -> tuple[list[Election], str | None]:
    """Read until there is a page of matches, the table ends, or enough has been read."""
    found: list[Election] = []
    for _ in range(MAX_PAGES_READ):
        if which == "mine":
            items, cursor = site.elections.queries.elections_of(user, user.name, PAGE_SIZE, cursor)
        else:
            page = site.elections.queries.elections(user, PAGE_SIZE, cursor)
            items, cursor = list(page.items), page.cursor
        found += filter(matches, items)
        if cursor is None or len(found) >= PAGE_SIZE:
            break
    return found, cursor


def _listed(site: Site, user: User, elections: Sequence[Election]) -> list[ListedElection]:
    now = site.elections.context.clock()
    parts = site.elections.queries.participation(user, elections)
    return [
        ListedElection(
            election,
            standing := standing_of(election, now),
            election_url(election),
            standing in VOTING and part.may_vote and not part.has_voted,
            part.has_voted,
        )
        for election, part in zip(elections, parts, strict=True)
    ]


def _list_url(which: Filter, query: str, cursor: str | None = None) -> str:
    parameters = {"filter": which if which != "all" else "", "q": query, "cursor": cursor}
    given = {name: value for name, value in parameters.items() if value}
    return f"{url('all')}?{urlencode(given)}" if given else url("all")
