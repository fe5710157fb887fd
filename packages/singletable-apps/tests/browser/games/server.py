"""Serve games on a port, with phones that answer without a browser."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import Page

from singletable import Driver, connect
from singletable_apps.games.app import APP
from singletable_apps.games.entities import Game, GameSettings
from singletable_apps.games.questions import EngagementType, Question
from singletable_apps.games.service import GamesService, open_games
from singletable_apps.games.service.games import GameDraft
from singletable_apps.games.tokens import Role, new_id
from singletable_apps.games.urls import Urls
from singletable_apps.shared.web import Settings
from tests.apps.games.support.world import SECRET
from tests.browser.live_server import serve_app

HOST = new_id()
# Timers run, but no test waits for one.
CALM = GameSettings(reading_seconds=60, question_seconds=600, voting_seconds=600)


@dataclass(frozen=True)
class Served:
    """A service, and the address of its pages."""

    service: GamesService
    address: str

    def host(self, page: Page, game: Game) -> Page:
        """Make the browser of a page the host's, and open the host's screen."""
        token = self.service.context.tokens.host_token(HOST)
        page.context.add_cookies([{"name": "games_host", "value": token, "url": self.address}])
        page.goto(f"{self.address}{self.service.context.urls.host(game.game_id)}")
        return page

    def create(
        self,
        *questions: Question,
        kind: EngagementType = EngagementType.MIXED,
        settings: GameSettings = CALM,
    ) -> Game:
        """Create a game with these questions, which no timer moves on."""
        draft = GameDraft("Friday quiz", kind, questions=questions, settings=settings)
        return self.service.games.create(HOST, draft)

    def seat(self, page: Page, game: Game, role: Role) -> Page:
        """Open the link of a role."""
        context = self.service.context
        page.goto(f"{self.address}{context.urls.seat(context.issue_seat(game, role))}")
        return page

    def join(self, page: Page, game: Game, name: str) -> Page:
        """Join a game as someone does who has scanned the QR code."""
        page.goto(f"{self.address}{self.service.context.urls.join(game.join_code)}")
        if game.type is not EngagementType.SURVEY:
            page.get_by_label("Your name").fill(name)
        page.get_by_role("button", name="Join", exact=True).click()
        return page

    def at(self, *parts: str) -> str:
        """Return the URL of a page."""
        return f"{self.address}{self.service.context.urls.page(*parts)}"


@contextmanager
def serve(driver: Driver | None = None) -> Generator[Served]:
    """Serve games on a port. Several servers can have one driver, as processes have one table."""
    service = open_games(
        driver or connect("memory:"), SECRET, urls=Urls(public="http://games.example")
    )
    app = APP.make_app(service, Settings(secure_cookies=False), limited=False)
    with serve_app(app) as address:
        yield Served(service, address)
