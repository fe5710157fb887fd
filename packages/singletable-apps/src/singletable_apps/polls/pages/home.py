"""The start page of polls, and the list of your own."""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter, Response

from ranked_ballots import Ballots, Ranking, instant_runoff
from ranked_ballots.pictures import Picture, draw_transfers
from singletable import Page
from singletable_apps.polls.entities import Protection
from singletable_apps.polls.errors import NotFound
from singletable_apps.polls.pages.dependencies import AnyPage
from singletable_apps.polls.rules import is_open
from singletable_apps.polls.sample import SAMPLE_BROWSER, SAMPLE_POLLS
from singletable_apps.polls.service import ManagedPoll
from singletable_apps.polls.tokens import parse_poll_id
from singletable_apps.shared.pages import ListQueryParameters

router = APIRouter()
HOME_POLLS = 3
# The list shows how many votes each poll has: eight small reads per poll.
PAGE_SIZE = 10
_DISHES = ("Pizza", "Salad", "Sushi", "Soup")
_LUNCH = ((8, "Pizza"), (7, "Sushi > Salad"), (6, "Salad > Sushi"), (3, "Soup > Salad"))


@router.get("")
def show_home(page: AnyPage) -> Response:
    """Show what polls are, the newest polls of this browser, and the sample polls."""
    lifecycle, now = page.service.lifecycle, page.service.context.clock()
    own = lifecycle.list_created(page.browser, HOME_POLLS).items if page.browser else []
    created = lifecycle.list_created(SAMPLE_BROWSER, len(SAMPLE_POLLS)).items
    samples = [managed.poll for managed in reversed(created)]
    open_samples = [
        poll
        for poll in samples
        if is_open(poll, now) and poll.settings.protection is not Protection.CODES
    ]
    return page.render(
        "home",
        own=[(managed.poll, is_open(managed.poll, now)) for managed in own],
        samples=[(poll, is_open(poll, now)) for poll in samples],
        trial=open_samples[0] if open_samples else None,
        poll_url=page.urls.poll,
        picture=_draw_example(),
    )


@cache
def _draw_example() -> Picture:
    """Draw a count in which the leader of the first round loses."""
    groups = [(Ranking.from_levels(order.split(" > ")), votes) for votes, order in _LUNCH]
    return draw_transfers(instant_runoff(Ballots.from_counts(_DISHES, groups)))


# Its router is the last one, so that the words of other pages are free.
short_router = APIRouter()


@short_router.get("/{typed}")
def open_short_link(page: AnyPage, typed: str) -> Response:
    """Redirect a short link to its poll, however it was typed."""
    poll_id = parse_poll_id(typed)
    if poll_id is None:
        raise NotFound("There is no poll or page at this address. Check the link.")
    return page.redirect(page.urls.poll(poll_id, **page.request.query_params))


@router.get("/mine")
def show_my_polls(page: AnyPage, query: ListQueryParameters) -> Response:
    """List the polls that were created in this browser, newest first."""
    found: Page[ManagedPoll] = Page([], None)
    if page.browser is not None:
        found = page.service.lifecycle.list_created(page.browser, PAGE_SIZE, query.cursor)
    now = page.service.context.clock()
    return page.render(
        "mine",
        polls=query.page([managed.poll for managed in found.items], found.cursor).map(
            lambda poll: (poll, is_open(poll, now), page.service.tallies.get(poll).votes)
        ),
        poll_url=page.urls.poll,
    )
