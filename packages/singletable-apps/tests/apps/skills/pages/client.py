"""The pages of the directory, and browsers for them."""

from __future__ import annotations

from dataclasses import replace

from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import connect
from singletable_apps.shared.frame import AppState
from singletable_apps.shared.serve import PublicUrl
from singletable_apps.skills.app import APP
from singletable_apps.skills.service import SkillsService
from tests.apps.skills.api.client import filled_world
from tests.apps.skills.support.world import World
from tests.apps.support.browser import Browser

HOME = "http://skills.example"
_SHARED: list[FastAPI] = []


class PagesApp:
    """The pages on a new in-memory database, with people as in the tests of the API or empty."""

    def __init__(self, *, is_empty: bool = False) -> None:
        self.world = World(connect("memory:")) if is_empty else filled_world()
        # Creating an app is slow, so all tests share one.
        if not _SHARED:
            _SHARED.append(APP.make_app(self.world.service, PublicUrl(HOME).settings()))
        self.fastapi = _SHARED[0]
        state: AppState[SkillsService] = self.fastapi.state.frame
        self.state = replace(state, service=self.world.service, limits=dict.fromkeys(APP.limits))

    def activate(self) -> None:
        """Let the shared app use the service of this world."""
        self.state.attach(self.fastapi)

    def browser(self, username: str | None = None) -> Browser:
        """Return a new browser, signed in if there is a username."""
        client = TestClient(self.fastapi, base_url=HOME, raise_server_exceptions=False)
        if username is not None:
            user = self.world.user(username)
            signed_in = self.world.service.accounts.start_session(user, "tests")
            client.cookies.set("skills_access", signed_in.access)
            client.cookies.set("skills_session", signed_in.refresh)
        return Browser(client, self.activate, self.world.service.context.urls.page)
