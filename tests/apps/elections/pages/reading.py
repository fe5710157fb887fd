"""Somebody who reads the pages of elections, and what is to be read there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html.parser import HTMLParser
from typing import Any

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable_apps.elections.api import ApiSettings, Limits, make_elections_app
from singletable_apps.elections.entities import User
from singletable_apps.elections.pages import Site, add_pages
from singletable_apps.elections.pages.site import LONGEST
from singletable_apps.elections.pages.urls import url
from singletable_apps.elections.service import Elections
from singletable_apps.shared.counted import Latest

ADDRESS = "http://elections.example"


@dataclass(frozen=True)
class Reader:
    """A browser in which somebody has signed in."""

    app: FastAPI
    site: Site
    browser: TestClient

    def get(self, *parts: str, **more: Any) -> httpx2.Response:
        """The page of an election: its name, and what of it."""
        self.app.state.election_pages = self.site
        more.setdefault("headers", {}).setdefault("Accept", "text/html")
        return self.browser.get(url("e", *parts), follow_redirects=False, **more)

    def read(self, *parts: str, **more: Any) -> str:
        """The words of the page, which must be there."""
        answer = self.get(*parts, **more)
        assert answer.status_code == 200, answer.text
        return words_of(answer.text)


def reader(elections: Elections, user: User) -> Reader:
    """Somebody with a browser; the service is theirs alone."""
    app, sites = _shared(elections)
    site = replace(sites, elections=elections, latest=Latest(LONGEST))
    browser = TestClient(app, base_url=ADDRESS, raise_server_exceptions=False)
    browser.cookies.set("elections_access", elections.auth.welcome(user, "tests").access)
    return Reader(app, site, browser)


_SHARED: list[tuple[FastAPI, Site]] = []


def _shared(elections: Elections) -> tuple[FastAPI, Site]:
    """An app takes a while to be made, so all readers share one."""
    if not _SHARED:
        settings = ApiSettings(limits=Limits.off(), secure_cookies=False)
        app = make_elections_app(elections, settings=settings)
        _SHARED.append((app, add_pages(app, elections, secure_cookies=False)))
    return _SHARED[0]


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words.extend(data.split())


def words_of(html: str) -> str:
    """What is to be read in the content of a page, with one space between words."""
    parser = _Words()
    parser.feed(html.partition("<main")[2].partition("</main>")[0] or html)
    return " ".join(parser.words)
