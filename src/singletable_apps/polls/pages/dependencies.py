"""A visit to a page: the browser is known by a cookie, and refusals become pages."""

from __future__ import annotations

from typing import Annotated, TypeAlias, cast

from fastapi import Depends, Request, Response

from singletable_apps.polls.api import cookies
from singletable_apps.polls.entities import Poll
from singletable_apps.polls.errors import NoCode
from singletable_apps.polls.pages.site import Site, ThisSite
from singletable_apps.polls.service import Voter
from singletable_apps.polls.urls import poll_url
from singletable_apps.shared.pages import Form
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    Problem,
    RateLimit,
    client_address,
    client_network,
    set_header,
)


def locked(request: Request, site: Site, words: str, form: Form | None = None) -> Response:
    """Asks for the admin link of a poll, where one is needed; again, if what was typed is none."""
    to = poll_url(request.path_params["poll_id"], "manage", "key")
    return site.pages.render(
        request, "polls/locked.html", 403, words=words, to=to, form=form or Form()
    )


def _locked_page(request: Request, problem: Problem) -> Response:
    return locked(request, cast(Site, request.app.state.poll_pages), problem.detail or "")


PROBLEM_PAGES = {NOT_ALLOWED: _locked_page}


def _browser(request: Request) -> str | None:
    return cookies.token_of(request)


# The token of the browser, if it has one.
Browser: TypeAlias = Annotated[str | None, Depends(_browser)]


def known(request: Request, browser: str | None) -> str:
    """Return the token of the browser; a new browser gets one with this response."""
    if browser is None:
        browser = cookies.new_token()
        cookies.BROWSER.set(request, browser)
    return browser


def keep_private(request: Request) -> None:
    """Keep the page out of the browser's cache: it has a key, codes, or someone's vote."""
    set_header(request, "Cache-Control", "no-store")


def _poll(site: ThisSite, poll_id: str) -> Poll:
    return site.polls.context.poll(poll_id)


# The poll in the address: `/p/{poll_id}/…`.
CurrentPoll: TypeAlias = Annotated[Poll, Depends(_poll)]


def count(request: Request, limit: RateLimit | None) -> None:
    """Count a request of somebody; a 429 page if there were too many."""
    if limit is not None:
        limit.hit(client_network(client_address(request)))


def check_guess(request: Request, site: Site, poll: Poll, code: str) -> None:
    """Count a code that is none. Who has sent too many learns of no further one what it is."""
    limit = site.settings.limits.guess
    if limit is None or not code:
        return
    limit.check(client_network(client_address(request)))
    try:
        site.polls.voting.vote_id(poll, Voter(code=code))
    except NoCode:
        count(request, limit)
