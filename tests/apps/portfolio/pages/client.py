"""Browsers without scripts for the pages of the portfolio: they open pages and submit forms."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import connect
from singletable_apps.portfolio.app import make_web_app
from singletable_apps.portfolio.entities import Role, User
from singletable_apps.portfolio.limits import Limits
from singletable_apps.portfolio.pages import PortfolioSite
from singletable_apps.shared.serve import PublicUrl
from singletable_apps.shared.web import ResponseCache
from tests.apps.portfolio.support.harness import PASSWORD, World
from tests.apps.support.html import forms_in

HOME = "http://ada.example"
FieldValue = str | list[str] | None
_SHARED: list[FastAPI] = []


def shared_app(world: World) -> FastAPI:
    """Return the web app. Creating one is slow, so all tests share one."""
    if not _SHARED:
        _SHARED.append(make_web_app(world.service, PublicUrl(HOME)))
    return _SHARED[0]


class PagesApp:
    """The pages on a new in-memory database. The site is not set up."""

    def __init__(self) -> None:
        self.world = World(connect("memory:"))
        self.fastapi = shared_app(self.world)
        site: PortfolioSite = self.fastapi.state.portfolio_pages
        self.site = replace(site, service=self.world.service, limits=Limits())

    def activate(self) -> None:
        """Let the shared app serve this database."""
        context = self.world.service.context
        self.fastapi.state.portfolio_pages = self.site
        self.fastapi.state.response_cache = ResponseCache(context.writes, context.clock)

    def browser(self, user: User | None = None) -> Browser:
        """Return a new browser, signed in as `user` if there is one."""
        client = TestClient(self.fastapi, base_url=HOME, raise_server_exceptions=False)
        if user is not None:
            signed_in = self.world.service.accounts.start_session(user, "tests")
            client.cookies.set("portfolio_access", signed_in.access)
            client.cookies.set("portfolio_session", signed_in.refresh)
        return Browser(self, client)

    def join(self, name: str, role: Role = Role.AUTHOR) -> Browser:
        """Invite someone, who chooses a password; return their browser."""
        accounts = self.world.service.accounts
        email = f"{name.lower()}@example.org"
        accounts.invite(self.world.owner(), name, email, role)
        token = self.world.mailbox.emails[-1].text.partition("token=")[2].split()[0]
        return self.browser(accounts.reset(token, PASSWORD).user)


@dataclass(frozen=True)
class Browser:
    """A browser, signed in or not. It follows redirects of GET requests."""

    app: PagesApp
    http: TestClient

    def get(self, *parts: str, **query: str) -> httpx2.Response:
        """Open a page for authors by the parts of its URL."""
        return self.open(self.app.site.urls.admin(*parts, **query))

    def open(self, path: str) -> httpx2.Response:
        """Open a page by its path."""
        self.app.activate()
        return self.http.get(path, headers={"Accept": "text/html"})

    def public(self, *parts: str, **query: str) -> httpx2.Response:
        """Open a page of the public site by the parts of its URL."""
        return self.open(self.app.site.urls.page(*parts, **query))

    def submit(
        self, page: httpx2.Response, ending: str = "", /, **fields: FieldValue
    ) -> httpx2.Response:
        """Fill in and submit the form of a page whose action has this ending, or its only form."""
        [form] = [form for form in forms_in(page) if form.action.endswith(ending)]
        unchanged = {name: values for name, values in form.fields.items() if name not in fields}
        changed = {name: value for name, value in fields.items() if value is not None}
        return self.post(html.unescape(form.action), {**unchanged, **changed})

    def post(self, path: str, data: Mapping[str, Any] | None = None) -> httpx2.Response:
        """Post a form without following the redirect."""
        self.app.activate()
        headers = {"Accept": "text/html", "Origin": HOME, "Sec-Fetch-Site": "same-origin"}
        return self.http.post(path, data=data or {}, headers=headers, follow_redirects=False)

    def flash(self, response: httpx2.Response) -> str:
        """Follow a redirect and return its flash message."""
        assert response.status_code == 303, response.text
        page = self.open(response.headers["location"])
        assert page.status_code in (200, 404), page.text
        text = page.text.partition("data-flash=")[2].partition("<p>")[2].partition("</p>")[0]
        return html.unescape(text)
