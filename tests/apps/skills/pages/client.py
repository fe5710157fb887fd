"""Browsers without scripts for the pages: they open pages and submit forms."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import connect
from singletable_apps.shared.serve import PublicUrl
from singletable_apps.skills.api import ApiSettings
from singletable_apps.skills.app import FORM_LIMITS, make_web_app
from singletable_apps.skills.limits import Limits
from singletable_apps.skills.pages import SkillsSite
from tests.apps.skills.api.client import filled_world
from tests.apps.skills.support.world import World
from tests.apps.support.html import forms_in

HOME = "http://skills.example"
FieldValue = str | list[str] | None
_SHARED: list[FastAPI] = []


class PagesApp:
    """The pages on a new in-memory database, with people as in the tests of the API or empty."""

    def __init__(self, *, is_empty: bool = False) -> None:
        self.world = World(connect("memory:")) if is_empty else filled_world()
        # Creating an app is slow, so all tests share one.
        if not _SHARED:
            settings = ApiSettings(web=PublicUrl(HOME).settings(uploads=FORM_LIMITS))
            _SHARED.append(make_web_app(self.world.service, settings))
        self.fastapi = _SHARED[0]
        site: SkillsSite = self.fastapi.state.skills_pages
        self.site = replace(site, service=self.world.service, limits=Limits.off())

    def browser(self, username: str | None = None) -> Browser:
        """Return a new browser, signed in if there is a username."""
        client = TestClient(self.fastapi, base_url=HOME, raise_server_exceptions=False)
        if username is not None:
            user = self.world.user(username)
            signed_in = self.world.service.accounts.start_session(user, "tests")
            client.cookies.set("skills_access", signed_in.access)
            client.cookies.set("skills_session", signed_in.refresh)
        return Browser(self, client)


@dataclass(frozen=True)
class Browser:
    """A browser, signed in or not. It follows redirects of GET requests."""

    app: PagesApp
    http: TestClient

    def get(self, *parts: str, **query: str) -> httpx2.Response:
        """Open a page by the parts of its URL."""
        return self.open(self.app.world.service.context.urls.page(*parts, **query))

    def open(self, path: str) -> httpx2.Response:
        """Open a page by its path."""
        self.app.fastapi.state.skills_pages = self.app.site
        return self.http.get(path, headers={"Accept": "text/html"})

    def submit(
        self, page: httpx2.Response, ending: str = "", /, **fields: FieldValue
    ) -> httpx2.Response:
        """Fill in and submit the form of a page whose action has this ending, or its only form."""
        [form] = [form for form in forms_in(page) if form.action.endswith(ending)]
        unchanged = {name: values for name, values in form.fields.items() if name not in fields}
        changed = {name: value for name, value in fields.items() if value is not None}
        return self.post(html.unescape(form.action), {**unchanged, **changed})

    def post(
        self, path: str, data: Mapping[str, Any] | None = None, **more: Any
    ) -> httpx2.Response:
        """Post a form without following the redirect."""
        self.app.fastapi.state.skills_pages = self.app.site
        headers = {"Accept": "text/html", "Origin": HOME, "Sec-Fetch-Site": "same-origin"}
        return self.http.post(
            path, data=data or {}, headers=headers, follow_redirects=False, **more
        )

    def flash(self, response: httpx2.Response) -> str:
        """Follow a redirect and return its flash message."""
        assert response.status_code == 303, response.text
        page = self.open(response.headers["location"])
        assert page.status_code in (200, 404), page.text
        text = page.text.partition("data-flash=")[2].partition("<p>")[2].partition("</p>")[0]
        return html.unescape(text)
