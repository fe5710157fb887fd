"""People who use the pages of elections without scripts: they look, and send forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import Engine
from singletable_apps.elections.api import ApiSettings, Limits, make_elections_app
from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.pages import Site, add_pages
from singletable_apps.elections.pages.site import LONGEST
from singletable_apps.elections.pages.urls import url
from singletable_apps.elections.roles import Role
from singletable_apps.shared.counted import Latest
from singletable_apps.shared.web import Settings
from tests.apps.elections.rig.world import World

HOME = "http://elections.example"
Typed = str | list[str] | None


@dataclass
class Sheet:
    """A form of a page: where it is sent, and what stands in its fields."""

    method: str
    action: str
    fields: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    # What can be chosen, ticked or not.
    offered: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


class _Sheets(HTMLParser):
    """Finds the forms of a page, filled in as a browser would send them."""

    def __init__(self) -> None:
        super().__init__()
        self.sheets: list[Sheet] = []
        self._within: Sheet | None = None
        self._writing: str | None = None
        self._selecting: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._within = Sheet(given.get("method", "get"), given.get("action", ""))
            self.sheets.append(self._within)
        elif self._within is not None and tag == "input" and "name" in given:
            self._take(given)
        elif self._within is not None and tag == "textarea":
            self._writing = given["name"]
            self._within.fields[self._writing] = [""]
        elif self._within is not None and tag == "select":
            self._selecting = given["name"]
            self._within.fields[self._selecting] = [""]
        elif self._within is not None and tag == "option" and self._selecting is not None:
            self._within.offered.setdefault(self._selecting, []).append(given["value"])
            if "selected" in given:
                self._within.fields[self._selecting] = [given["value"]]

    def _take(self, given: dict[str, str]) -> None:
        assert self._within is not None
        ticked = given.get("type") in ("radio", "checkbox")
        name, value = given["name"], given.get("value", "on" if ticked else "")
        if ticked:
            self._within.offered.setdefault(name, []).append(value)
            if "checked" not in given:
                return
        self._within.fields.setdefault(name, []).append(value)

    def handle_data(self, data: str) -> None:
        if self._within is not None and self._writing is not None:
            # Browsers leave out the line end right after the tag.
            before = self._within.fields[self._writing][0]
            self._within.fields[self._writing] = [before + (data if before else data.lstrip("\n"))]

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._within = None
        elif tag == "textarea":
            self._writing = None
        elif tag == "select":
            self._selecting = None


def sheets_of(answer: httpx2.Response) -> list[Sheet]:
    """The forms in the content of a page."""
    found = _Sheets()
    found.feed(answer.text.partition("<main")[2].partition("</main>")[0])
    return [sheet for sheet in found.sheets if sheet.method == "post"]


@dataclass(frozen=True)
class Person:
    """Somebody with a browser, signed in."""

    town: Town
    browser: TestClient

    def look(self, *parts: str, query: str = "") -> httpx2.Response:
        """A page, by the parts of its address."""
        return self.visit(url(*parts) + query)

    def visit(self, path: str) -> httpx2.Response:
        """A page, by its address."""
        self.town.opens()
        return self.browser.get(path, headers={"Accept": "text/html"})

    def send(self, page: httpx2.Response, **typed: Typed) -> httpx2.Response:
        """Fill in the form of a page, and send it; None leaves a field out."""
        [sheet] = sheets_of(page)
        kept = {name: values for name, values in sheet.fields.items() if name not in typed}
        said = {name: value for name, value in typed.items() if value is not None}
        return self.post(sheet.action, {**kept, **said})

    def post(self, path: str, data: Mapping[str, str | list[str]]) -> httpx2.Response:
        """Send a form to an address, and stay there to see the answer."""
        self.town.opens()
        headers = {"Accept": "text/html", "Origin": HOME, "Sec-Fetch-Site": "same-origin"}
        return self.browser.post(path, data=data, headers=headers, follow_redirects=False)

    def follow(self, answer: httpx2.Response) -> httpx2.Response:
        """The page that one is led to after something was done."""
        assert answer.status_code == 303, answer.text
        return self.visit(answer.headers["location"])


@dataclass(frozen=True)
class Town:
    """A service with pages, and the world it is in."""

    world: World
    app: FastAPI
    site: Site

    def opens(self) -> None:
        self.app.state.election_pages = self.site

    def joins(self, name: str, role: Role | None = None) -> Person:
        """Somebody registers, and gets a role from the first who did."""
        [user] = self.world.join(name)
        if role is not None:
            first = self.world.service.context.read.search_id(1)
            assert first is not None
            self.world.service.people.change_role(first, name, role)
        return self.person(user)

    def person(self, user: User | None) -> Person:
        browser = TestClient(self.app, base_url=HOME, raise_server_exceptions=False)
        if user is not None:
            token = self.world.service.auth.welcome(user, "tests").access
            browser.cookies.set("elections_access", token)
        return Person(self, browser)

    def election(self, name: str) -> Election:
        return self.world.service.context.read.election(name)

    def candidates(self, name: str) -> list[str]:
        found = self.world.service.context.read.candidates(name)
        return [one.candidate_name for one in found]

    def voters(self, name: str) -> list[str]:
        return [one.voter_name for one in self.world.service.context.read.voters(name)]

    def user(self, name: str) -> User:
        return self.world.service.context.read.user(name)


_SHARED: list[tuple[FastAPI, Site]] = []


def make_town() -> Town:
    """A town where nobody lives yet; an app takes a while to be made, so all towns share one."""
    world = World(Engine.in_memory())
    if not _SHARED:
        web = Settings(uploads={"/elections": 4 << 20})
        settings = ApiSettings(web=web, limits=Limits.off(), secure_cookies=False)
        app = make_elections_app(world.service, settings=settings)
        _SHARED.append((app, add_pages(app, world.service, secure_cookies=False)))
    app, site = _SHARED[0]
    return Town(world, app, replace(site, elections=world.service, latest=Latest(LONGEST)))


def faults_in(answer: httpx2.Response) -> dict[str, str]:
    """What is said to be wrong, by field."""
    found: dict[str, str] = {}
    for part in answer.text.split('class="fault" id="f-')[1:]:
        name = part.partition("-fault")[0]
        found[name] = part.partition("<span>")[2].partition("</span>")[0]
    return found


def all_in(answer: httpx2.Response, texts: Iterable[str]) -> list[str]:
    """Those of the texts that are not on the page."""
    return [text for text in texts if text not in answer.text]
