"""Dependencies of page handlers: the site, the poll in the URL, and the browser's cookies.

A handler looks like this:

    @router.get("/p/{poll_id}/made")
    def show_created(page: ManagedPage) -> Response:
        return page.render("created", poll=page.poll)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, TypeAlias, cast

from fastapi import Depends, Request, Response

from singletable_apps.polls.entities import Poll
from singletable_apps.polls.errors import InvalidCode, NotFound, ResultsHidden
from singletable_apps.polls.pages.results_view import ResultsView
from singletable_apps.polls.rules import PROTECTION_TEXT, describe_visibility, is_open, option_label
from singletable_apps.polls.service import Polls, Viewer, Voter
from singletable_apps.polls.urls import Urls
from singletable_apps.polls.web import BROWSER, Browser, limit_guesses, new_browser_token
from singletable_apps.shared import frame
from singletable_apps.shared.frame import AppState, count_request, state_of
from singletable_apps.shared.live import LiveUpdates
from singletable_apps.shared.pages import Link, path_of, request_time_zone
from singletable_apps.shared.results import ResultCache
from singletable_apps.shared.web import LONGEST_AGE, Cookie, set_header

FOOTER = [Link("API", "/api/polls/docs"), Link("Home", "/")]
# However many people watch a poll, its votes are read and counted once per second.
RESULTS_MAX_AGE = timedelta(seconds=1)

# Cookies for the pages of one poll. The last vote in an open poll is forgotten when the browser
# is closed, because others may vote on the same device.
ADMIN = Cookie("polls_admin", max_age=LONGEST_AGE, has_path=True)
CODE = Cookie("polls_code", max_age=LONGEST_AGE, has_path=True)
VOTE = Cookie("polls_vote", has_path=True)
_MAX_COOKIE = 100
_SAVED_CODE = re.compile(r"([0-9A-Z-]{14})\.([0-9A-Za-z_-]{16,64})")


@dataclass(frozen=True)
class PollsState(AppState[Polls]):
    """The open app, with the results that many people watch."""

    result_cache: ResultCache[ResultsView] = field(
        default_factory=lambda: ResultCache[ResultsView](RESULTS_MAX_AGE)
    )
    live: LiveUpdates = field(default_factory=LiveUpdates)

    @classmethod
    def secret_of(cls, service: Polls) -> bytes:
        """Return the secret that signs what browsers keep."""
        return service.context.secret.key


def page_context(request: Request, service: Polls) -> Mapping[str, object]:
    """Return the links in the header and footer of every page."""
    here, page = path_of(request), service.context.urls.page
    nav = [("Create a poll", page("new")), ("My polls", page("mine"))]
    return {"nav": [Link(text, to, here == to) for text, to in nav], "links": FOOTER}


@dataclass(frozen=True)
class PageContext(frame.PageContext[Polls, Urls]):
    """The request, service and templates that a page handler uses.

    `browser` is the token of the browser, or None if it has none yet.
    """

    folder = "polls"
    browser: str | None

    @property
    def state(self) -> PollsState:
        """The open app."""
        return cast(PollsState, state_of(self.request))

    def get_browser_token(self) -> str:
        """Return the token of the browser; a new browser gets one with this response."""
        if self.browser is not None:
            return self.browser
        browser = new_browser_token()
        BROWSER.set(self.request, browser)
        return browser

    def with_poll(self, poll: Poll) -> PollPageContext:
        """Return the context of a page about a poll."""
        return PollPageContext(self.request, self.browser, poll)


@dataclass(frozen=True)
class PollPageContext(PageContext):
    """A request about one poll."""

    poll: Poll

    @property
    def is_open(self) -> bool:
        """Return whether people can vote now."""
        return is_open(self.poll, self.service.context.clock())

    def render(self, template: str, status: int = 200, /, **context: object) -> Response:
        """Render a template with the poll, and what many pages show about it."""
        shown = {
            "poll": self.poll,
            "is_open": self.is_open,
            "option_labels": self.option_labels(),
            "pictures": self.urls.pictures(self.poll),
            "share_link": self.urls.share_link(self.poll.id),
            "picture_url": self.urls.absolute(self.url("picture.png")),
            "protection": PROTECTION_TEXT[self.poll.settings.protection],
            "results": describe_visibility(self.poll),
        }
        return super().render(template, status, **{**shown, **context})

    def url(self, *parts: str) -> str:
        """Return the URL of a page of this poll."""
        return self.urls.poll(self.poll.id, *parts)

    def option_labels(self) -> dict[str, str]:
        """Return the options as people read them; dates are in the time zone of the reader."""
        zone = request_time_zone(self.request) if "zone" in self.request.cookies else None
        return {option: option_label(self.poll, option, zone) for option in self.poll.candidates}

    def read_cookie(self, cookie: Cookie) -> str | None:
        """Return the value of a cookie for this poll, or None."""
        value = cookie.read(self.request)
        return value if 0 < len(value) <= _MAX_COOKIE else None

    def set_cookie(self, cookie: Cookie, value: str) -> None:
        """Set a cookie for the pages of this poll."""
        cookie.set(self.request, value, path=self.url())

    def save_code(self, voter: Voter) -> None:
        """Remember the code that was used and the proof that the vote was cast in this browser."""
        secret = self.service.context.secret
        number = secret.code_number(self.poll.id, voter.code or "")
        if number is not None and voter.proof:
            code = secret.voting_code(self.poll.id, number)
            self.set_cookie(CODE, f"{code}.{voter.proof}")

    def saved_code(self) -> tuple[str, str] | None:
        """Return the code that this browser has voted with and its proof, or None."""
        match = _SAVED_CODE.fullmatch(self.read_cookie(CODE) or "")
        return None if match is None else (match[1], match[2])

    def find_admin_key(self) -> str | None:
        """Return the admin key if this browser created the poll or has opened its admin link."""
        context = self.service.context
        if context.secret.is_admin_key(self.poll.id, self.read_cookie(ADMIN) or ""):
            return context.secret.admin_key(self.poll.id)
        return context.admin_key_of_creator(self.poll, self.browser)

    def get_viewer(self) -> Viewer:
        """Return the visitor as a viewer of results."""
        code, proof = self.saved_code() or (None, None)
        voter = Voter(self.browser, code, proof=proof)
        return Viewer(voter, self.read_cookie(VOTE), self.find_admin_key())

    def can_see_results(self, viewer: Viewer) -> bool:
        """Return whether the viewer can see the results."""
        try:
            self.service.results.check_visible(self.poll, viewer)
        except ResultsHidden:
            return False
        return True

    def check_code_limit(self, code: str) -> None:
        """Rate-limit invalid codes per client, so that codes cannot be guessed."""
        with suppress(InvalidCode), limit_guesses(self.request, code):
            self.service.voting.vote_id(self.poll, Voter(code=code))


async def _any_page(request: Request, browser: Browser) -> PageContext:
    return PageContext(request, browser)


AnyPage: TypeAlias = Annotated[PageContext, Depends(_any_page)]


def _poll_page(page: AnyPage, poll_id: str) -> PollPageContext:
    try:
        return page.with_poll(page.service.context.get_poll(poll_id))
    except NotFound:
        # Short ids can be guessed, though few of them exist.
        count_request(page.request, "guess")
        raise


# A page about the poll in the URL: `/p/{poll_id}/…`.
PollPage: TypeAlias = Annotated[PollPageContext, Depends(_poll_page)]


def set_no_store(request: Request) -> None:
    """Keep the page out of caches: it shows a key, codes or someone's vote."""
    set_header(request, "Cache-Control", "no-store")
