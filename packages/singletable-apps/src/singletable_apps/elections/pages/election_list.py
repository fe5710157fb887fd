"""The list of elections, with filters and search by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from singletable_apps.elections.entities import Election
from singletable_apps.elections.pages.dependencies import ViewerPage
from singletable_apps.elections.rules.elections import Standing, standing_of
from singletable_apps.shared.pages import Link, ListQueryParameters

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
    page: ViewerPage,
    query: ListQueryParameters,
    which: Annotated[Filter, Query(alias="filter")] = "all",
) -> Response:
    """List elections by name; on the first page, those that need the viewer's vote come first."""
    queries, matches = page.service.queries, _matcher(page, which, query.search)
    elections, following = _read_page(page, which, matches, query.cursor)
    to_vote: list[ListedElection] = []
    if query.cursor is None and which in ("all", "open"):
        waiting = queries.overview(page.user).to_vote
        to_vote = _listed(page, [election for election in waiting if matches(election)])
    shown_above = {row.election.name for row in to_vote}
    rows = _listed(page, [each for each in elections if each.name not in shown_above])
    return page.render(
        "election_list",
        to_vote=to_vote,
        listed=query.page(sorted(rows, key=lambda row: not row.needs_vote), following),
        filter=which,
        counts=queries.counts(page.user),
        user=page.user,
        tabs=[
            Link(text, query.url(filter="" if name == "all" else name), name == which)
            for name, text in FILTERS.items()
        ],
    )


def _matcher(page: ViewerPage, which: Filter, text: str) -> Callable[[Election], bool]:
    """Return a function that says whether an election matches the filter and the search."""
    now, words = page.service.context.clock(), text.casefold().split()
    standings = _STANDINGS.get(which)

    def matches(election: Election) -> bool:
        name = election.name.casefold()
        return all(word in name for word in words) and (
            standings is None or standing_of(election, now) in standings
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


def _listed(page: ViewerPage, elections: Sequence[Election]) -> list[ListedElection]:
    now = page.service.context.clock()
    parts = page.service.queries.participation(page.user, elections)
    return [
        ListedElection(
            election,
            standing := standing_of(election, now),
            page.urls.election(election),
            standing in VOTING and part.may_vote and not part.has_voted,
            part.has_voted,
        )
        for election, part in zip(elections, parts, strict=True)
    ]
