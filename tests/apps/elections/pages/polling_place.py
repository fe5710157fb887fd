"""An election on pages, with voters who have browsers of their own, and a clock that they share."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from typing import Any

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import connect
from singletable_apps.elections.api import ApiSettings, Limits, make_elections_app
from singletable_apps.elections.entities import User
from singletable_apps.elections.pages import Site, add_pages
from singletable_apps.elections.pages.urls import url
from singletable_apps.elections.service.lifecycle import Terms
from singletable_apps.shared.web import Settings
from tests.apps.elections.rig.world import World

ADDRESS = "http://elections.example"
CHAIR = "Chair"
_APPS: list[FastAPI] = []
_FIELD = re.compile(r'<input[^>]* name="([^"]*)"[^>]* value="([^"]*)"')


@dataclass
class Voter:
    """Somebody with a browser that has signed in, or has not."""

    place: Place
    user: User | None
    browser: TestClient

    def get(self, *parts: str) -> httpx2.Response:
        """A page."""
        return self._ask("GET", url(*parts))

    def post(self, *parts: str, **more: Any) -> httpx2.Response:
        """A form that is sent."""
        return self._ask("POST", url(*parts), **more)

    def paper(self, election: str = CHAIR) -> dict[str, str]:
        """All fields of the ballot, as a browser without scripts would send them."""
        answer = self.get("e", election, "ballot")
        assert answer.status_code == 200, answer.text
        return fields_of(answer.text)

    def cast(self, ranks: dict[str, str], election: str = CHAIR) -> httpx2.Response:
        """A ballot, filled in and meant so."""
        filled = {f"rank.{name}": rank for name, rank in ranks.items()}
        sent = {**self.paper(election), **filled, "sure": "yes"}
        return self.post("e", election, "ballot", data=sent)

    def _ask(self, method: str, path: str, **more: Any) -> httpx2.Response:
        self.place.open()
        headers = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
        return self.browser.request(method, path, headers=headers, follow_redirects=False, **more)


@dataclass
class Place:
    """A world with pages. An app takes a while to be made, so that all places share one."""

    world: World = field(default_factory=lambda: World(connect("memory:")))
    site: Site = field(init=False)
    app: FastAPI = field(init=False)

    def __post_init__(self) -> None:
        """Let there be pages."""
        if not _APPS:
            web = Settings(uploads={"/elections": 4 << 20})
            settings = ApiSettings(web=web, limits=Limits.off(), secure_cookies=False)
            _APPS.append(make_elections_app(self.world.service, settings=settings))
            add_pages(_APPS[0], self.world.service, secure_cookies=False)
        self.app = _APPS[0]
        shared: Site = self.app.state.election_pages
        self.site = Site(self.world.service, shared.pages, secure_cookies=False)

    def open(self) -> None:
        """Let the shared app serve this place."""
        self.app.state.election_pages = self.site

    def voter(self, name: str = "") -> Voter:
        """Somebody of this name, who joins if nobody has it; a stranger without one."""
        browser = TestClient(self.app, base_url=ADDRESS, raise_server_exceptions=False)
        if not name:
            return Voter(self, None, browser)
        user = self.world.service.context.read.search_user(name) or self.world.join(name)[0]
        token = self.world.service.auth.welcome(user, "tests").access
        browser.cookies.set("elections_access", token)
        return Voter(self, user, browser)

    def election(self, *candidates: str, allow_edit: bool = True, **terms: Any) -> User:
        """An election of these that accepts votes, and its owner."""
        owner = self.world.join("Ada")[0]
        self.world.launched(owner, CHAIR, candidates, allow_edit=allow_edit, terms=Terms(**terms))
        return owner


def fields_of(html: str) -> dict[str, str]:
    """The fields of the ballot on a page, with what stands in them."""
    form = html.partition("data-ballot=")[2].partition("</form>")[0]
    found = {unescape(name): unescape(value) for name, value in _FIELD.findall(form)}
    assert found, html
    return found
