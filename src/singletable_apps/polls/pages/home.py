"""The first page: what this is, one's own polls, and some to try."""

from __future__ import annotations

from functools import cache

from fastapi import Request, Response

from singletable_apps.counting import Ballots, Ranking, instant_runoff
from singletable_apps.counting.pictures import Picture, draw_transfers
from singletable_apps.polls.entities import Protection
from singletable_apps.polls.pages.addresses import poll_address
from singletable_apps.polls.pages.site import ThisSite
from singletable_apps.polls.pages.visiting import Browser, page_router
from singletable_apps.polls.rules import is_open
from singletable_apps.polls.sample import MAKER, POLLS

router = page_router()
FEW = 3
_DISHES = ("Pizza", "Salad", "Sushi", "Soup")
_LUNCH = ((8, "Pizza"), (7, "Sushi > Salad"), (6, "Salad > Sushi"), (3, "Soup > Salad"))


@router.get("")
def home(request: Request, site: ThisSite, browser: Browser) -> Response:
    """What this is; and what there is for who has been here."""
    making, now = site.polls.making, site.polls.desk.clock()
    own = [] if browser is None else making.mine(browser, FEW).items
    samples = [one.poll for one in reversed(making.mine(MAKER, len(POLLS)).items)]
    free = [one for one in samples if is_open(one, now) and one.protection is not Protection.CODES]
    return site.pages.page(
        request,
        "polls/home.html",
        own=[(one.poll, is_open(one.poll, now)) for one in own],
        samples=[(one, is_open(one, now)) for one in samples],
        trial=free[0] if free else None,
        at=poll_address,
        picture=_picture(),
    )


@cache
def _picture() -> Picture:
    """A count in which whoever leads at first does not win."""
    groups = [(Ranking.from_levels(order.split(" > ")), many) for many, order in _LUNCH]
    return draw_transfers(instant_runoff(Ballots.from_counts(_DISHES, groups)))
