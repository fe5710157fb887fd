"""After a vote: thanks, and the next voter at the same screen."""

from __future__ import annotations

from fastapi import Request, Response

from singletable_apps.polls.pages import booth_pages
from singletable_apps.polls.pages.addresses import poll_address
from singletable_apps.polls.pages.booth import cast_vote, enter
from singletable_apps.polls.pages.carrying import CODE, VOTE, drop
from singletable_apps.polls.pages.site import ThisSite
from singletable_apps.polls.pages.visiting import Browser, ThisPoll, page_router

router = page_router()


@router.get("/p/{poll_id}/voted")
def show_thanks(request: Request, site: ThisSite, poll: ThisPoll, browser: Browser) -> Response:
    """Thanks, and what was voted."""
    booth = enter(request, site, poll, browser)
    cast = cast_vote(request, site, booth)
    if cast is None:
        return site.pages.redirect(poll_address(poll.id))
    return booth_pages.thanks(request, site, booth, cast, fresh=True)


@router.post("/p/{poll_id}/next")
def next_voter(site: ThisSite, poll: ThisPoll) -> Response:
    """Let somebody else vote in the same browser, who is not to see what was voted before."""
    response = site.pages.redirect(poll_address(poll.id))
    for name in (CODE, VOTE):
        drop(response, site, poll, name)
    return response
