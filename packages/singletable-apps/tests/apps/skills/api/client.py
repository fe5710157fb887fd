"""A server with API clients: an administrator, a manager and two users."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache

from fastapi import FastAPI

from singletable import Engine
from singletable_apps.shared.frame import AppState, Limits
from singletable_apps.skills.app import APP
from singletable_apps.skills.entities import Role
from singletable_apps.skills.service import SkillsService
from singletable_apps.skills.urls import API
from tests.apps.skills.support.world import Filling, World
from tests.apps.support.api_client import Caller, api_client

PEOPLE: Filling = {
    "ada": {"Go": "Expert", "Python": "Advanced"},
    "bob": {"Go": "Beginner"},
    "mia": {"Python": ("Expert", 8)},
    "joan": {},
}
ROLES = {"ada": Role.ADMIN, "mia": Role.MANAGER}
# An app takes a tenth of a second to be made, so all servers share one.
_APPS: list[FastAPI] = []


@dataclass
class Server:
    """The app on a world with people: Ada, an administrator, Mia, a manager, Bob and Joan."""

    world: World
    limits: Limits = field(default_factory=lambda: dict.fromkeys(APP.limits))

    def __post_init__(self) -> None:
        if not _APPS:
            _APPS.append(APP.make_app(self.world.service))
        self.app = _APPS[0]
        state: AppState[SkillsService] = self.app.state.frame
        self.state = replace(state, service=self.world.service, limits=self.limits)

    def activate(self) -> None:
        """Let the shared app use the service of this world."""
        self.state.attach(self.app)

    def visitor(self) -> Caller:
        return Caller(api_client(self.app), API, self.activate)

    def sign_in(self, username: str) -> Caller:
        """Return a client with an access token."""
        session = self.world.service.accounts.start_session(self.world.user(username))
        return Caller(api_client(self.app), API, self.activate, session.access)


@cache
def filled_engine() -> Engine:
    """Return an engine with people, to be copied."""
    engine = Engine.in_memory()
    World(engine).fill(PEOPLE, roles=ROLES)
    return engine


def filled_world() -> World:
    """Return a world in memory with people: a copy, which is faster than filling it again."""
    return World(filled_engine().copy())
