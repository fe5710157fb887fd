"""The list of elections, and making another."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response

from singletable_apps.elections.pages.dependencies import Viewer, standing_of
from singletable_apps.elections.pages.site import ThisSite
from singletable_apps.elections.pages.urls import url
from singletable_apps.shared.pages import Link

router = APIRouter()
SIZE = 25


@router.get("/all")
def list_elections(
    request: Request,
    site: ThisSite,
    user: Viewer,
    whose: Literal["all", "mine"] = "all",
    cursor: Annotated[str | None, Query(max_length=4000)] = None,
) -> Response:
    """All elections, or one's own, by name."""
    queries = site.elections.queries
    if whose == "mine":
        found, following = queries.elections_of(user, user.name, SIZE, cursor)
    else:
        page = queries.elections(user, SIZE, cursor)
        found, following = page.items, page.cursor
    now = site.elections.context.clock()
    parts = site.elections.queries.participation(user, found)
    rows = [
        (election, standing_of(election, now), part)
        for election, part in zip(found, parts, strict=True)
    ]
    here = url("all")
    first = here if whose == "all" else f"{here}?whose=mine"
    return site.pages.render(
        request,
        "elections/all.html",
        rows=rows,
        whose=whose,
        counts=queries.counts(user),
        user=user,
        tabs=[
            Link("All", here, whose == "all"),
            Link("Mine", f"{here}?whose=mine", whose == "mine"),
        ],
        next=f"{here}?{urlencode({'whose': whose, 'cursor': following})}" if following else "",
        first=first if cursor else "",
    )
