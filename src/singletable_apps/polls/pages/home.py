"""The first page: what this is, one's own polls, and some to try."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response

from singletable import Page
from singletable_apps.counting import Ballots, Ranking, instant_runoff
from singletable_apps.counting.pictures import Picture, draw_transfers
from singletable_apps.polls.entities import Poll, Protection
from singletable_apps.polls.pages.dependencies import Browser
from singletable_apps.polls.pages.site import Site, ThisSite
from singletable_apps.polls.rules import is_open
from singletable_apps.polls.sample import MAKER, POLLS
from singletable_apps.polls.service import Own
from singletable_apps.polls.urls import poll_url, url

router = APIRouter()
FEW = 3
_DISHES = ("Pizza", "Salad", "Sushi", "Soup")
_LUNCH = ((8, "Pizza"), (7, "Sushi > Salad"), (6, "Salad > Sushi"), (3, "Soup > Salad"))


@router.get("")
def home(request: Request, site: ThisSite, browser: Browser) -> Response:
    """What this is; and what there is for who has been here."""
    making, now = site.polls.making, site.polls.context.clock()
    own = [] if browser is None else making.mine(browser, FEW).items
    samples = [one.poll for one in reversed(making.mine(MAKER, len(POLLS)).items)]
    free = [one for one in samples if is_open(one, now) and one.protection is not Protection.CODES]
    return site.pages.render(
        request,
        "polls/home.html",
        own=[(one.poll, is_open(one.poll, now)) for one in own],
        samples=[(one, is_open(one, now)) for one in samples],
        trial=free[0] if free else None,
        at=poll_url,
        picture=_picture(),
    )


@cache
def _picture() -> Picture:
    """A count in which whoever leads at first does not win."""
    groups = [(Ranking.from_levels(order.split(" > ")), many) for many, order in _LUNCH]
    return draw_transfers(instant_runoff(Ballots.from_counts(_DISHES, groups)))


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
    here = url("mine")
    return site.pages.render(
        request,
        "polls/mine.html",
        rows=_rows(site, page.items),
        at=poll_url,
        next=f"{here}?{urlencode({'cursor': page.cursor})}" if page.cursor else "",
        first=here if cursor else "",
    )


def _rows(site: Site, own: Sequence[Own]) -> list[tuple[Poll, bool, int]]:
    now = site.polls.context.clock()
    return [
        (poll, is_open(poll, now), site.polls.counting.tally(poll).votes)
        for poll in (one.poll for one in own)
    ]
