"""The pages of games, and browsers for them."""

from __future__ import annotations

from dataclasses import replace

from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable_apps.games.api import ApiSettings, attach
from singletable_apps.games.app import FORM_LIMITS, make_web_app
from singletable_apps.games.limits import Limits
from singletable_apps.games.pages import GamesSite
from singletable_apps.shared.serve import PublicUrl
from tests.apps.games.support.world import HOST, World
from tests.apps.support.browser import Browser

HOME = "http://games.example"
_SHARED: list[FastAPI] = []


class PagesApp:
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

    def activate(self) -> None:
        """Let the shared app use the service of this world."""
        self.fastapi.state.games_pages = self.site
        attach(self.fastapi, self.world.service, self.settings)

    def browser(self, *, host: bool = False, admin: bool = False) -> Browser:
        """Return a new browser: of a visitor, of the host of all games, or of the administrator."""
        client = TestClient(self.fastapi, base_url=HOME, raise_server_exceptions=False)
        tokens = self.world.service.context.tokens
        if host:
            client.cookies.set("games_host", tokens.host_token(HOST))
        if admin:
            client.cookies.set("games_admin", tokens.admin_token())
        return Browser(client, self.activate, self.world.service.context.urls.page)
