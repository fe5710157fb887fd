"""A server with API clients: hosts, players and the administrator, each with a token."""

from __future__ import annotations

from singletable_apps.games.app import APP
from singletable_apps.games.entities import Game
from singletable_apps.games.tokens import Role
from tests.apps.games.support.world import HOST, World
from tests.apps.support.api_client import Caller
from tests.apps.support.server import AppServer


class Server(AppServer[World]):
    """The API of games."""

    spec = APP

    def host(self) -> Caller:
        """Return the host to whom the games of the tests belong."""
        return self.caller(self.world.service.context.tokens.host_token(HOST))

    def admin(self) -> Caller:
        return self.caller(self.world.service.context.tokens.admin_token())

    def seat(self, game: Game, role: Role) -> Caller:
        """Return a client with a role other than a player."""
        return self.caller(self.world.service.context.issue_seat(game, role))
