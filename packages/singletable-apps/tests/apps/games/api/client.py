"""A server with API clients: hosts, players and the administrator, each with a token."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from fastapi import FastAPI

from singletable import Engine
from singletable_apps.games.api.dependencies import GamesState
from singletable_apps.games.app import APP
from singletable_apps.games.entities import Game
from singletable_apps.games.tokens import Role
from singletable_apps.games.urls import API
from singletable_apps.shared.frame import Limits
from singletable_apps.shared.web import RateLimit
from tests.apps.games.support.world import HOST, World
from tests.apps.support.api_client import Caller, api_client

# An app takes a tenth of a second to be made, so all servers share one.
_APPS: list[FastAPI] = []


@dataclass
class Server:
    world: World
    limits: Limits = field(default_factory=dict[str, RateLimit | None])

    def __post_init__(self) -> None:
        if not _APPS:
            _APPS.append(APP.make_app(World(Engine.in_memory()).service))
        self.app = _APPS[0]
        state: GamesState = self.app.state.frame
        limits = {**dict.fromkeys(APP.limits), **self.limits}
        self.state = replace(state, service=self.world.service, limits=limits)

    def activate(self) -> None:
        """Let the shared app use the service of this world."""
        self.state.attach(self.app)

    def caller(self, token: str = "") -> Caller:
        return Caller(api_client(self.app), API, self.activate, token)

    def host(self) -> Caller:
        """Return the host to whom the games of the tests belong."""
        return self.caller(self.world.service.context.tokens.host_token(HOST))

    def admin(self) -> Caller:
        return self.caller(self.world.service.context.tokens.admin_token())

    def seat(self, game: Game, role: Role) -> Caller:
        """Return a client with a role other than a player."""
        return self.caller(self.world.service.context.issue_seat(game, role))
