"""The polls that were made in this browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query, Request, Response

from singletable import Page
from singletable_apps.polls.entities import Poll
from singletable_apps.polls.pages.addresses import address, poll_address
from singletable_apps.polls.pages.site import Site, ThisSite
from singletable_apps.polls.pages.visiting import Browser, page_router
from singletable_apps.polls.rules import is_open
from singletable_apps.polls.service import Own

router = page_router()
# The votes of each are counted for the list: eight small reads a poll.
SIZE = 10


@router.get("/mine")
def mine(
    request: Request,
    site: ThisSite,
    browser: Browser,
    cursor: Annotated[str | None, Query(max_length=4000)] = None,
) -> Response:
    """One's own polls, the newest first."""
    page: Page[Own] = Page([], None)
    if browser is not None:
        page = site.polls.making.mine(browser, SIZE, cursor)
    here = address("mine")
    return site.pages.page(
        request,
        "polls/mine.html",
        rows=_rows(site, page.items),
        at=poll_address,
        next=f"{here}?{urlencode({'cursor': page.cursor})}" if page.cursor else "",
        first=here if cursor else "",
    )


def _rows(site: Site, own: Sequence[Own]) -> list[tuple[Poll, bool, int]]:
    now = site.polls.desk.clock()
    return [
        (poll, is_open(poll, now), site.polls.counting.tally(poll).votes)
        for poll in (one.poll for one in own)
    ]
