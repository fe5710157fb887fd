"""Who has voted, which is no secret, apart from what they cast."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import Query, Request, Response

from singletable_apps.elections.api.names import NameInPath
from singletable_apps.elections.pages.addresses import election_address
from singletable_apps.elections.pages.election_frame import framed
from singletable_apps.elections.pages.site import ThisSite
from singletable_apps.elections.pages.visiting import Viewer, page_router
from singletable_apps.elections.removed import is_removed

router = page_router()

SIZE = 100
Cursor = Annotated[str | None, Query(min_length=1, max_length=4000)]


@router.get("/e/{name}/voted")
def list_who_voted(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, cursor: Cursor = None
) -> Response:
    """Their names, some at a time, and how many of those who may that is."""
    queries = site.elections.queries
    election = site.elections.results.settled(name)
    names, following = queries.who_voted(user, election.name, SIZE, cursor)
    to = election_address(election, "voted")
    return site.pages.page(
        request,
        "elections/voted.html",
        **framed(site, election, user, "voted"),
        names=[one for one in names if not is_removed(one)],
        removed=sum(map(is_removed, names)),
        turnout=queries.turnout(user, election.name),
        next=f"{to}?cursor={quote(following, safe='')}" if following else "",
        first=to if cursor else "",
        tally=election_address(election, "tally"),
    )
