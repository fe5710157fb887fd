"""The page of a poll: rank the options, look at it once more, and vote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query, Request, Response

from singletable_apps.polls.entities import Poll, Protection
from singletable_apps.polls.errors import AlreadyVoted, Busy, Closed, Invalid, NoCode
from singletable_apps.polls.pages import booth_pages
from singletable_apps.polls.pages.addresses import poll_address
from singletable_apps.polls.pages.booth import Booth, enter
from singletable_apps.polls.pages.carrying import VOTE, carry, carry_code
from singletable_apps.polls.pages.limiting import count
from singletable_apps.polls.pages.ranks import choices_of, ranking_in, what_changed
from singletable_apps.polls.pages.site import Site, ThisSite
from singletable_apps.polls.pages.visiting import Browser, ThisPoll, known, page_router
from singletable_apps.polls.rules import is_changeable
from singletable_apps.shared.ballot import Choice, read
from singletable_apps.shared.pages import Typed

router = page_router()

NO_COOKIE = (
    "Your browser has kept no cookie, and this poll knows by it who has voted. Allow cookies for "
    "this site, and vote again: what you ranked is still there."
)


@router.get("/p/{poll_id}")
def show_poll(
    request: Request,
    site: ThisSite,
    poll: ThisPoll,
    browser: Browser,
    code: Annotated[str, Query(max_length=100)] = "",
    change: bool = False,
) -> Response:
    """The paper to fill in; what was voted, if that is so; or that it is closed."""
    booth = enter(request, site, poll, _voter(request, poll, browser), code)
    if not booth.is_open:
        return booth_pages.shut(request, site, booth)
    if booth.vote is not None and not (change and is_changeable(poll)):
        response = booth_pages.thanks(request, site, booth, booth.vote)
        return _carrying(site, booth, response)
    ranked = booth.vote.rankings if booth.vote is not None else []
    places = {name: str(place) for place, name in enumerate(ranked, 1)}
    choices = [Choice(one, places.get(one, "")) for one in poll.candidates]
    return booth_pages.paper(request, site, booth, choices)


@router.post("/p/{poll_id}")
def vote(
    request: Request, site: ThisSite, poll: ThisPoll, browser: Browser, form: Typed
) -> Response:
    """Vote, if all is well and it is meant so; else say what is wrong, or ask once more."""
    count(request, site.settings.limits.vote)
    code = form.value("code").strip()
    booth = enter(request, site, poll, _voter(request, poll, browser), code, form.value("key"))
    if not booth.is_open:
        return booth_pages.shut(request, site, booth, late=True)
    if booth.vote is not None and not is_changeable(poll) and not form.value("sure"):
        return booth_pages.thanks(request, site, booth, booth.vote, again=True)
    typed = read(form.values)
    choices = choices_of(poll, typed)
    wrong = what_changed(poll, form, typed)
    if not wrong and poll.protection is Protection.BROWSER and browser is None:
        wrong = NO_COOKIE
    if wrong or form.value("change") or any(choice.fault for choice in choices):
        return booth_pages.paper(request, site, booth, choices, wrong)
    try:
        site.polls.voting.vote_id(poll, booth.voter)
        ranked = ranking_in(poll, typed)
        if form.value("sure"):
            return _cast(request, site, booth, ranked)
        return booth_pages.review(request, site, booth, ranked)
    except NoCode as refusal:
        return booth_pages.paper(request, site, booth, choices, code_fault=str(refusal))
    except Invalid as refusal:
        return booth_pages.paper(request, site, booth, choices, str(refusal))
    except Busy as refusal:
        return booth_pages.paper(request, site, booth, choices, str(refusal), 503)


def _voter(request: Request, poll: Poll, browser: str | None) -> str | None:
    """Polls that count one vote a browser let it be known; others have no use for it."""
    return known(request, browser) if poll.protection is Protection.BROWSER else browser


def _cast(request: Request, site: Site, booth: Booth, ranked: Sequence[str]) -> Response:
    poll = booth.poll
    try:
        cast = site.polls.voting.cast(poll.id, ranked, booth.voter)
    except Closed:
        return booth_pages.shut(request, site, booth, late=True)
    except AlreadyVoted:
        before = site.polls.voting.vote_of(poll, booth.voter)
        if before is None:
            raise
        return booth_pages.thanks(request, site, booth, before, again=True)
    if not request.cookies:
        # A browser that keeps none would not be known again on the next page.
        return booth_pages.thanks(request, site, booth, cast.vote, fresh=True)
    response = site.pages.redirect(poll_address(poll.id, "voted"))
    if poll.protection is Protection.OPEN:
        carry(response, site, poll, VOTE, cast.vote.id)
    return _carrying(site, booth, response)


def _carrying(site: Site, booth: Booth, response: Response) -> Response:
    """Let the browser carry the code that was voted with."""
    if booth.poll.protection is Protection.CODES:
        carry_code(response, site, booth.poll, booth.code)
    return response
