"""The pages of games, and browsers for them."""

from __future__ import annotations

from singletable_apps.games.app import APP
from tests.apps.games.support.world import HOST, World
from tests.apps.support.browser import Browser
from tests.apps.support.server import AppServer


class PagesApp(AppServer[World]):
    """The pages of games."""

    spec = APP
    home = "http://games.example"

    def browser(self, *, host: bool = False, admin: bool = False) -> Browser:
        """Return a new browser: of a visitor, of the host of all games, or of the administrator."""
        tokens = self.world.service.context.tokens
        cookies = {"host": tokens.host_token(HOST)} if host else {}
        return self.open_browser(**cookies, **({"admin": tokens.admin_token()} if admin else {}))
