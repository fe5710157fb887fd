"""The pages of games, and browsers for them."""

from __future__ import annotations

from dataclasses import replace

from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import Engine
from singletable_apps.games.api.dependencies import GamesState
from singletable_apps.games.app import APP
from singletable_apps.shared.serve import PublicUrl
from singletable_apps.shared.web import RateLimit
from tests.apps.games.support.world import HOST, World
from tests.apps.support.browser import Browser

HOME = "http://games.example"
_SHARED: list[FastAPI] = []


class PagesApp:
    def __init__(self, world: World) -> None:
        self.world = world
        self.limits: dict[str, RateLimit | None] = dict.fromkeys(APP.limits)
        # Creating an app is slow, so all tests share one.
        if not _SHARED:
            service = World(Engine.in_memory()).service
            _SHARED.append(APP.make_app(service, PublicUrl(HOME).settings()))
        self.fastapi = _SHARED[0]
        state: GamesState = self.fastapi.state.frame
        self.state = replace(state, service=self.world.service, limits=self.limits)

    def activate(self) -> None:
        """Let the shared app use the service of this world."""
        self.state.attach(self.fastapi)

    def browser(self, *, host: bool = False, admin: bool = False) -> Browser:
        """Return a new browser: of a visitor, of the host of all games, or of the administrator."""
        client = TestClient(self.fastapi, base_url=HOME, raise_server_exceptions=False)
        tokens = self.world.service.context.tokens
        if host:
            client.cookies.set("games_host", tokens.host_token(HOST))
        if admin:
            client.cookies.set("games_admin", tokens.admin_token())
        return Browser(client, self.activate, self.world.service.context.urls.page)
