"""Serve the pages of polls on a port."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import Locator, Page

from singletable import connect
from singletable_apps.polls.app import APP
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import ManagedPoll, Polls, open_polls
from singletable_apps.polls.tokens import Secret
from singletable_apps.shared.web import Settings
from tests.browser.live_server import serve_app

OPTIONS = ("Lake", "Museum", "Castle", "Forest")


@dataclass(frozen=True)
class Served:
    """A service, and the address of its pages."""

    polls: Polls
    address: str

    def poll(self, draft: PollDraft | None = None, codes: int = 0) -> ManagedPoll:
        """Create a poll with this many codes."""
        managed = self.polls.lifecycle.create(draft or PollDraft("Where to?", OPTIONS))
        if codes:
            self.polls.codes.issue(managed.poll.id, managed.admin_key, codes)
        return managed

    def at(self, managed: ManagedPoll, page: str = "") -> str:
        """Return the URL of a page of the poll."""
        return f"{self.address}/polls/p/{managed.poll.id}{page}"

    def counts(self, poll_id: str) -> dict[str, int]:
        """Return the number of votes for each ranking."""
        return dict(self.polls.tallies.get(self.polls.context.get_poll(poll_id)).counts)


@contextmanager
def serve() -> Generator[Served]:
    """Serve the pages on a port."""
    polls = open_polls(connect("memory:"), Secret(b"of tests" * 4))
    app = APP.make_app(polls, Settings(secure_cookies=False), limited=False)
    with serve_app(app) as address:
        yield Served(polls, address)


def option(page: Page, name: str) -> Locator:
    """Return the button of an option on the ballot."""
    return page.locator(f".row-name:has(> span:first-child:text-is('{name}'))")


def ranked(page: Page) -> list[str]:
    """Return the ranking on the ballot, best first."""
    return [
        " = ".join(level.locator(".row-name > span:first-child").all_inner_texts())
        for level in page.locator(".level").all()
    ]


def id_in(address: str) -> str:
    """Return the poll id in a URL."""
    found = re.search(r"/polls/p/([0-9A-Z]{8})", address)
    assert found is not None
    return found[1]
