"""What every page uses: the site, the browser's cookies, the poll in the URL, and rate limits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, TypeAlias

from fastapi import Depends, Request, Response

from singletable_apps.polls.entities import Poll
from singletable_apps.polls.errors import InvalidCode
from singletable_apps.polls.pages.results_view import ResultsView
from singletable_apps.polls.service import Polls, Viewer, Voter
from singletable_apps.polls.urls import page_url, poll_url
from singletable_apps.polls.web import BROWSER, new_browser_token
from singletable_apps.shared.frame import AppState, current_state, state_of
from singletable_apps.shared.live import LiveUpdates
from singletable_apps.shared.pages import Form, Link, path_of
from singletable_apps.shared.results import ResultCache
from singletable_apps.shared.web import (
    LONGEST_AGE,
    NOT_ALLOWED,
    Cookie,
    Problem,
    client_address,
    client_network,
    hit_limit,
    set_header,
)

FOOTER = [Link("API", "/api/polls/docs"), Link("Home", "/")]

# Cookies for the pages of one poll. The last vote in an open poll is forgotten when the browser
# is closed, because others may vote on the same device.
ADMIN = Cookie("polls_admin", max_age=LONGEST_AGE, has_path=True)
CODE = Cookie("polls_code", max_age=LONGEST_AGE, has_path=True)
VOTE = Cookie("polls_vote", has_path=True)
_MAX_COOKIE = 100
_SAVED_CODE = re.compile(r"([0-9A-Z-]{14})\.([0-9A-Za-z_-]{16,64})")

# However many people watch a poll, its votes are read and counted once per second.
RESULTS_MAX_AGE = timedelta(seconds=1)


@dataclass(frozen=True)
class PollsState(AppState[Polls]):
    """The open app, with the results that many people watch."""

    result_cache: ResultCache[ResultsView] = field(
        default_factory=lambda: ResultCache[ResultsView](RESULTS_MAX_AGE)
    )
    live: LiveUpdates = field(default_factory=LiveUpdates)


def page_context(request: Request, _: Polls) -> Mapping[str, object]:
    """Return the links in the header and footer of every page."""
    here = path_of(request)
    nav = [("Create a poll", page_url("new")), ("My polls", page_url("mine"))]
    return {"nav": [Link(text, to, here == to) for text, to in nav], "links": FOOTER}


CurrentSite: TypeAlias = Annotated[PollsState, Depends(current_state)]


def _poll(site: CurrentSite, poll_id: str) -> Poll:
    return site.service.context.get_poll(poll_id)


# The poll in the URL: `/p/{poll_id}/…`.
CurrentPoll: TypeAlias = Annotated[Poll, Depends(_poll)]


def ask_for_admin_link(
    request: Request, site: AppState[Polls], text: str, form: Form | None = None
) -> Response:
    """Show the form that asks for the admin link of the poll."""
    action = poll_url(request.path_params["poll_id"], "manage", "key")
    return site.pages.render(
        request, "polls/admin_link.html", 403, text=text, action=action, form=form or Form()
    )


def _admin_link_page(request: Request, problem: Problem) -> Response:
    return ask_for_admin_link(request, state_of(request), problem.detail or "")


PROBLEM_PAGES = {NOT_ALLOWED: _admin_link_page}


def get_browser_token(request: Request, browser: str | None) -> str:
    """Return the token of the browser; a new browser gets one with this response."""
    if browser is None:
        browser = new_browser_token()
        BROWSER.set(request, browser)
    return browser


def set_no_store(request: Request) -> None:
    """Keep the page out of caches: it shows a key, codes or someone's vote."""
    set_header(request, "Cache-Control", "no-store")


def read_cookie(request: Request, cookie: Cookie) -> str | None:
    """Return the value of a cookie for this poll, or None."""
    value = cookie.read(request)
    return value if 0 < len(value) <= _MAX_COOKIE else None


def set_cookie(request: Request, poll: Poll, cookie: Cookie, value: str) -> None:
    """Set a cookie for the pages of this poll."""
    cookie.set(request, value, path=poll_url(poll.id))


def delete_cookie(request: Request, poll: Poll, cookie: Cookie) -> None:
    """Delete a cookie of this poll."""
    cookie.delete(request, path=poll_url(poll.id))


def save_code(request: Request, site: PollsState, poll: Poll, voter: Voter) -> None:
    """Remember the code that was used and the proof that the vote was cast in this browser."""
    secret = site.service.context.secret
    number = secret.code_number(poll.id, voter.code or "")
    if number is not None and voter.proof:
        set_cookie(request, poll, CODE, f"{secret.voting_code(poll.id, number)}.{voter.proof}")


def saved_code(request: Request) -> tuple[str, str] | None:
    """Return the code that this browser has voted with and its proof, or None."""
    match = _SAVED_CODE.fullmatch(read_cookie(request, CODE) or "")
    return None if match is None else (match[1], match[2])


def find_admin_key(
    request: Request, site: PollsState, browser: str | None, poll: Poll
) -> str | None:
    """Return the admin key if this browser created the poll or has opened its admin link."""
    context = site.service.context
    if context.secret.is_admin_key(poll.id, read_cookie(request, ADMIN) or ""):
        return context.secret.admin_key(poll.id)
    return context.admin_key_of_creator(poll, browser)


def get_viewer(request: Request, site: PollsState, browser: str | None, poll: Poll) -> Viewer:
    """Return who is looking at the results."""
    code, proof = saved_code(request) or (None, None)
    return Viewer(
        Voter(browser, code, proof=proof),
        read_cookie(request, VOTE),
        find_admin_key(request, site, browser, poll),
    )


def check_code_limit(request: Request, site: PollsState, poll: Poll, code: str) -> None:
    """Rate-limit invalid codes per client, so that codes cannot be guessed."""
    limit = site.limits["guess"]
    if limit is None or not code:
        return
    limit.check(client_network(client_address(request)))
    try:
        site.service.voting.vote_id(poll, Voter(code=code))
    except InvalidCode:
        hit_limit(request, limit)
