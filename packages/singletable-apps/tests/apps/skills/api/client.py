"""A server with API clients: an administrator, a manager and two users."""

from __future__ import annotations

from functools import cache

from singletable import Engine
from singletable_apps.skills.app import APP
from singletable_apps.skills.entities import Role
from tests.apps.skills.support.world import Filling, World
from tests.apps.support.api_client import Caller
from tests.apps.support.server import AppServer

PEOPLE: Filling = {
    "ada": {"Go": "Expert", "Python": "Advanced"},
    "bob": {"Go": "Beginner"},
    "mia": {"Python": ("Expert", 8)},
    "joan": {},
}
ROLES = {"ada": Role.ADMIN, "mia": Role.MANAGER}


class Server(AppServer[World]):
    """The app on a world with people: Ada, an administrator, Mia, a manager, Bob and Joan."""

    spec = APP

    def visitor(self) -> Caller:
        return self.caller()

    def sign_in(self, username: str) -> Caller:
        """Return a client with an access token."""
        session = self.world.service.accounts.start_session(self.world.user(username))
        return self.caller(session.access)


@cache
def filled_engine() -> Engine:
    """Return an engine with people, to be copied."""
    engine = Engine.in_memory()
    World(engine).fill(PEOPLE, roles=ROLES)
    return engine


def filled_world() -> World:
    """Return a world in memory with people: a copy, which is faster than filling it again."""
    return World(filled_engine().copy())
