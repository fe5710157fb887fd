"""Visitors of the pages without scripts: they open pages and submit forms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import unescape
from typing import Any

import httpx2
from fastapi.testclient import TestClient

from singletable import Driver, connect
from singletable.testing import StoreClock
from singletable_apps.polls.app import APP
from singletable_apps.polls.entities import Poll
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import Polls, Voter
from singletable_apps.shared.frame import Limits
from tests.apps.polls.support.harness import SECRET, World
from tests.apps.support.html import HtmlForm, forms_in
from tests.apps.support.server import AppServer

HOME = "http://polls.example"
OPTIONS = ("Lake", "Museum", "Castle")
Typed = str | list[str] | None


class PagesWorld(World):
    """Polls whose links lead to the pages."""

    public = HOME


class Server(AppServer[World]):
    """The pages of polls, and their clock."""

    spec = APP
    home = HOME

    def __init__(self, limits: Limits | None = None, driver: Driver | None = None) -> None:
        clock = StoreClock(datetime(2026, 11, 15, 12, tzinfo=UTC))
        super().__init__(PagesWorld(driver or connect("memory:"), clock), limits)

    @property
    def polls(self) -> Polls:
        return self.world.service

    @property
    def now(self) -> datetime:
        return self.world.clock.now

    def wait(self, **amount: float) -> None:
        self.world.clock.advance(**amount)

    def new_visitor(self) -> Visitor:
        """Return a visitor with a new browser that keeps its cookies."""
        browser = self.client()
        browser.cookies.set("theme", "light")
        return Visitor(self, browser)

    def poll(self, draft: PollDraft | None = None, codes: int = 0) -> PollPages:
        """Create a poll in another browser."""
        managed = self.polls.lifecycle.create(draft or PollDraft("Where to?", OPTIONS))
        if codes:
            self.polls.codes.issue(managed.poll.id, managed.admin_key, codes)
        return PollPages(self, managed.poll.id, managed.admin_key)


@dataclass(frozen=True)
class PollPages:
    """A poll with its admin key; its pages are below `at`."""

    server: Server
    id: str
    key: str

    @property
    def at(self) -> str:
        return f"/polls/p/{self.id}"

    @property
    def stored(self) -> Poll:
        return self.server.polls.context.get_poll(self.id)

    @property
    def counts(self) -> Mapping[str, int]:
        """Return how often each ranking was voted for, such as {"0 2": 1}."""
        return self.server.polls.tallies.get(self.stored).counts

    @property
    def votes(self) -> int:
        return sum(self.counts.values())

    def organizer(self) -> Visitor:
        """Return a visitor who has opened the admin link."""
        visitor = self.server.new_visitor()
        visitor.get(f"{self.at}/manage?key={self.key}")
        return visitor

    def code(self, number: int = 0) -> str:
        return SECRET.voting_code(self.id, number)

    def edit(self, **changes: Any) -> None:
        edit = self.server.polls.lifecycle.edit
        edit(self.id, self.key, lambda draft: replace(draft, **changes))

    def close(self) -> None:
        self.server.polls.lifecycle.close(self.id, self.key)

    def cast(self, *ranked: str) -> None:
        """Cast a vote without a browser; the poll must be open to everyone."""
        self.server.polls.voting.cast(self.id, ranked, Voter())


@dataclass
class Visitor:
    """A visitor with a browser."""

    server: Server
    browser: TestClient

    def get(self, path: str) -> httpx2.Response:
        """Open a page."""
        return self._request("GET", path)

    def post(self, path: str, data: dict[str, str | list[str]], **files: bytes) -> httpx2.Response:
        """Post a form without following the redirect."""
        return self._request("POST", path, data, files)

    def send(self, page: httpx2.Response, ending: str, **typed: Typed) -> httpx2.Response:
        """Fill in and submit the form whose action has this ending; None leaves a field out."""
        [form] = [one for one in forms_in(page) if one.action.endswith(ending)]
        return self.post(form.action, filled(form, typed))

    def follow(self, answer: httpx2.Response) -> httpx2.Response:
        """Follow a redirect."""
        assert answer.status_code == 303, answer.text
        return self.get(answer.headers["location"])

    def rank(self, poll_id: str, code: str = "", **typed: str) -> httpx2.Response:
        """Fill in ranks and submit the ballot, which shows the vote for review."""
        ballot = self.get(f"/polls/p/{poll_id}?change=yes&code={code}")
        form = next(one for one in forms_in(ballot) if one.action.endswith(poll_id))
        blank: dict[str, Typed] = {name: "" for name in form.fields if name.startswith("rank.")}
        return self.send(ballot, poll_id, **{**blank, **ranks(**typed), "code": code})

    def vote(self, poll_id: str, *ranked: str, code: str = "") -> httpx2.Response:
        """Rank these options, best first, and confirm."""
        typed = {name: str(rank) for rank, name in enumerate(ranked, 1)}
        return self.send(self.rank(poll_id, code, **typed), poll_id, sure="yes")

    def _request(
        self,
        method: str,
        path: str,
        data: dict[str, str | list[str]] | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> httpx2.Response:
        self.server.activate()
        headers = {"Accept": "text/html", "Origin": HOME, "Sec-Fetch-Site": "same-origin"}
        return self.browser.request(
            method, path.removeprefix(HOME), headers=headers, data=data, files=files or None
        )


def filled(form: HtmlForm, typed: dict[str, Typed]) -> dict[str, str | list[str]]:
    kept = {name: values for name, values in form.fields.items() if name not in typed}
    return {**kept, **{name: value for name, value in typed.items() if value is not None}}


def ranks(**typed: str) -> dict[str, Typed]:
    return {f"rank.{name}": rank for name, rank in typed.items()}


def id_in(answer: httpx2.Response) -> str:
    """Return the id of the poll in a redirect."""
    found = re.search(r"/polls/p/([0-9A-Z-]+)", answer.headers["location"])
    assert found is not None
    return found[1]


def faults_in(answer: httpx2.Response) -> dict[str, str]:
    """Return the error messages by field."""
    found = re.findall(
        r'class="field-error[^"]*" id="(?:f-)?([\w-]+)-error"[^>]*>(.*?)</p>',
        answer.text,
        re.DOTALL,
    )
    return {name: unescape(re.sub(r"<[^>]*>", "", text)).strip() for name, text in found}
