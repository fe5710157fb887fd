"""The admin link, what it leads to, and the recount."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Query, Request, Response

from singletable_apps.polls.entities import Poll
from singletable_apps.polls.errors import NotAdmin
from singletable_apps.polls.pages.addresses import poll_address
from singletable_apps.polls.pages.carrying import ADMIN, carry
from singletable_apps.polls.pages.managed import NO_KEY, ThisOwn, framed, own_of
from singletable_apps.polls.pages.sharing import shared
from singletable_apps.polls.pages.site import Site, ThisSite
from singletable_apps.polls.pages.visiting import Browser, ThisPoll, locked, page_router
from singletable_apps.polls.words import PROTECTION_WORDS, RESULTS_WORDS
from singletable_apps.shared.pages import Typed

router = page_router()


@router.get("/p/{poll_id}/manage")
def manage(
    request: Request,
    site: ThisSite,
    poll: ThisPoll,
    browser: Browser,
    key: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """How the poll stands, and what can be done; an admin link leads here without its key."""
    if key:
        return _let_in(site, poll, key)
    own = own_of(request, site, poll, browser)
    return site.pages.page(
        request,
        "polls/manage.html",
        **framed(site, own, ""),
        **shared(site, own),
        votes=site.polls.counting.tally(poll).votes,
        protection=PROTECTION_WORDS[poll.protection],
        results=RESULTS_WORDS[poll.results],
    )


@router.post("/p/{poll_id}/manage/key")
def take_key(request: Request, site: ThisSite, poll: ThisPoll, form: Typed) -> Response:
    """Take a key that was typed, or the link that it is in."""
    typed = form.value("key").strip()
    [key] = parse_qs(typed.partition("?")[2]).get("key", [typed])[:1]
    try:
        return _let_in(site, poll, key)
    except NotAdmin as refusal:
        return locked(request, site, NO_KEY, form.refused(key=str(refusal)))


@router.get("/p/{poll_id}/manage/recount")
def recount(request: Request, site: ThisSite, own: ThisOwn) -> Response:
    """Every vote, counted one by one, beside what the results say."""
    return site.pages.page(
        request,
        "polls/recount.html",
        **framed(site, own, ""),
        recount=site.polls.counting.recount(own.poll),
        back=poll_address(own.poll.id, "manage"),
    )


def _let_in(site: Site, poll: Poll, key: str) -> Response:
    """Let the browser carry the key, so that it stays in no history, log or referrer."""
    desk = site.polls.desk
    desk.managed(poll.id, key)
    response = site.pages.redirect(poll_address(poll.id, "manage"))
    # As it is, and not as it was typed: cookies hold no more than ASCII.
    carry(response, site, poll, ADMIN, desk.secret.admin_key(poll.id))
    return response
