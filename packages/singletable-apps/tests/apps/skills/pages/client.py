"""The pages of the directory, and browsers for them."""

from __future__ import annotations

from singletable import connect
from singletable_apps.skills.app import APP
from tests.apps.skills.api.client import filled_world
from tests.apps.skills.support.world import World
from tests.apps.support.browser import Browser
from tests.apps.support.server import AppServer

HOME = "http://skills.example"


class PagesApp(AppServer[World]):
    """The pages on a new in-memory database, with people as in the tests of the API or empty."""

    spec = APP
    home = HOME

    def __init__(self, *, is_empty: bool = False) -> None:
        super().__init__(World(connect("memory:")) if is_empty else filled_world())

    def browser(self, username: str | None = None) -> Browser:
        """Return a new browser, signed in if there is a username."""
        if username is None:
            return self.open_browser()
        session = self.world.service.accounts.start_session(self.world.user(username), "tests")
        return self.open_browser(access=session.access, session=session.refresh)
