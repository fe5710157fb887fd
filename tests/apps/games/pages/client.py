"""Browsers without scripts for the pages: they open pages and submit forms."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable_apps.games.api import ApiSettings, attach
from singletable_apps.games.app import FORM_LIMITS, make_web_app
from singletable_apps.games.limits import Limits
from singletable_apps.games.pages import GamesSite
from singletable_apps.shared.serve import PublicUrl
from tests.apps.games.support.world import HOST, World
from tests.apps.support.html import forms_in

HOME = "http://games.example"
FieldValue = str | list[str] | None
_SHARED: list[FastAPI] = []


class PagesApp:
    """The pages on a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.settings = ApiSettings(
            web=PublicUrl(HOME).settings(uploads=FORM_LIMITS), limits=Limits.off()
        )
        # Creating an app is slow, so all tests share one.
        if not _SHARED:
            _SHARED.append(make_web_app(self.world.service, self.settings))
        self.fastapi = _SHARED[0]
        site: GamesSite = self.fastapi.state.games_pages
        self.site = replace(site, service=self.world.service, limits=Limits.off())

    def attach(self) -> None:
        """Let the shared app use the service of this world."""
        self.fastapi.state.games_pages = self.site
        attach(self.fastapi, self.world.service, self.settings)

    def browser(self, *, host: bool = False, admin: bool = False) -> Browser:
        """Return a new browser: of nobody, of the host of all games, or of the administrator."""
        client = TestClient(self.fastapi, base_url=HOME, raise_server_exceptions=False)
        tokens = self.world.service.context.tokens
        if host:
            client.cookies.set("games_host", tokens.host_token(HOST))
        if admin:
            client.cookies.set("games_admin", tokens.admin_token())
        return Browser(self, client)


@dataclass(frozen=True)
class Browser:
    """A browser. It follows redirects of GET requests."""

    app: PagesApp
    http: TestClient

    def get(self, *parts: str, **query: str) -> httpx2.Response:
        """Open a page by the parts of its URL."""
        return self.open(self.app.world.service.context.urls.page(*parts, **query))

    def open(self, path: str) -> httpx2.Response:
        """Open a page by its path."""
        self.app.attach()
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
        self.app.attach()
        headers = {"Accept": "text/html", "Origin": HOME, "Sec-Fetch-Site": "same-origin"}
        return self.http.post(
            path, data=data or {}, headers=headers, follow_redirects=False, **more
        )

    def upload(
        self,
        page: httpx2.Response,
        fields: Mapping[str, FieldValue],
        files: Mapping[str, bytes] | None = None,
        filename: str = "file",
    ) -> httpx2.Response:
        """Fill in and submit the form of a page that sends files; None leaves a field out."""
        [form] = [form for form in forms_in(page) if form.action]
        values = {**form.fields, **fields}
        sent = {name: value for name, value in values.items() if value is not None}
        chosen = files or {}
        uploads = {
            name: (filename if name in chosen else "", chosen.get(name, b""))
            for name in chosen or ["nothing"]
        }
        return self.post(html.unescape(form.action), sent, files=uploads)

    def flash(self, response: httpx2.Response) -> str:
        """Follow a redirect and return its flash message."""
        assert response.status_code == 303, response.text
        page = self.open(response.headers["location"])
        text = page.text.partition("data-flash=")[2].partition("<p>")[2].partition("</p>")[0]
        return html.unescape(text)
