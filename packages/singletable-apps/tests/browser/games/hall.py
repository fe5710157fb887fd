"""A room with people in it: a host, a big screen, and phones that play game after game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from playwright.sync_api import Page, ViewportSize, WebSocket, expect

from singletable_apps.games.entities import Game
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.tokens import Role
from tests.browser.conftest import OpenPage
from tests.browser.games.server import Served
from tests.browser.page_checks import collect_errors, find_axe_violations

BIG: ViewportSize = {"width": 1280, "height": 720}
SMALL = {"width": 360, "height": 640}


@dataclass
class Phone:
    """A page on a phone, and what its sockets have received since the last game."""

    name: str
    page: Page
    received: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.page.on("websocket", self._follow)

    def _follow(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda payload: self.received.append(str(payload)))

    def tap(self, name: str, *, exact: bool = False) -> None:
        """Press a button."""
        self.page.get_by_role("button", name=name, exact=exact).click()

    def choose(self, *options: str) -> None:
        """Choose options by their text; several are confirmed with a button."""
        for option in options:
            self.page.locator(".tile", has_text=option).click()
        if len(options) > 1:
            self.tap("Confirm")

    def write(self, text: str) -> None:
        """Send a text."""
        self.page.get_by_label("Your answer").fill(text)
        self.tap("Send")

    def rank(self, *texts: str) -> None:
        """Rank the answers of others, best first."""
        for text in texts:
            self.page.locator(".ballot-row", has_text=text).click()
        self.tap("Send ranking")

    def expect(self, *texts: str) -> None:
        """Wait until the phone shows these texts."""
        for text in texts:
            expect(self.page.locator(".play-main")).to_contain_text(text)

    def knows(self, text: str) -> bool:
        """Return whether a text is on the page, in its source, or in a message to it."""
        return text in self.page.content() or any(text in each for each in self.received)


class Hall:
    """A host, a big screen and phones. Their browsers stay open from game to game."""

    def __init__(self, served: Served, open_page: OpenPage, names: Sequence[str]) -> None:
        self.served = served
        self.host = open_page()
        # The projector is connected to the host's laptop.
        self.screen = self.host.context.new_page()
        self.screen.set_viewport_size(BIG)
        self.phones = [Phone(name, open_page(viewport=SMALL)) for name in names]
        pages = [self.host, self.screen, *(each.page for each in self.phones)]
        self.errors = [collect_errors(each) for each in pages]

    def enter(self, game: Game) -> None:
        """Open the host's and the big screen, and let all phones join."""
        self.served.host(self.host, game)
        self.served.seat(self.screen, game, Role.SCREEN)
        for phone in self.phones:
            phone.received.clear()
            self.served.join(phone.page, game, phone.name)
            is_survey = game.type is EngagementType.SURVEY
            phone.expect("You’re in" if is_survey else f"You’re in, {phone.name}")

    def press(self, label: str) -> None:
        """Press the host's button for the next step, when it has this label."""
        self.host.locator("#next", has_text=label).click()

    def confirm(self, label: str) -> None:
        """Confirm the dialog of the host."""
        self.host.get_by_role("dialog").get_by_role("button", name=label).click()

    def expect(self, *texts: str) -> None:
        """Wait until the big screen shows these texts."""
        for text in texts:
            expect(self.screen.locator(".main-stage")).to_contain_text(text)

    def expect_phones(self, *texts: str) -> None:
        """Wait until all phones show these texts."""
        for phone in self.phones:
            phone.expect(*texts)

    def check_accessible(self) -> None:
        """Fail on violations of accessibility rules on the screens of each role."""
        for page in (self.host, self.screen, self.phones[0].page):
            assert find_axe_violations(page) == [], page.url
        assert self.phones[0].page.evaluate("document.documentElement.scrollWidth") <= 360
