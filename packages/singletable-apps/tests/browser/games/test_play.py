"""The player's screen in a browser: answer, lose the connection, reload, rank, and watch."""

from __future__ import annotations

from dataclasses import dataclass, replace

from playwright.sync_api import Page, WebSocketRoute, expect

from singletable_apps.games.entities import Game, GameSettings
from singletable_apps.games.phases import Command
from singletable_apps.games.questions import EngagementType, Question
from singletable_apps.games.service.answers import Submission
from singletable_apps.games.service.games import GameDraft
from singletable_apps.games.service.players import Joined
from singletable_apps.games.tokens import Role, new_id
from tests.apps.games.support.world import CAPITAL, LESSON, LUNCH
from tests.browser.conftest import OpenPage
from tests.browser.games.server import HOST, Served
from tests.browser.page_checks import collect_errors, find_axe_violations

SMALL = {"width": 360, "height": 640}


@dataclass(frozen=True)
class Room:
    """A game with players, of whom Sam has not got a browser."""

    served: Served
    game: Game
    mia: Joined
    sam: Joined

    def play(self, *commands: Command) -> None:
        """Execute commands of the host."""
        for command in commands:
            self.served.service.rounds.command(self.game.game_id, command)

    def answer(self, *choices: str, text: str = "") -> None:
        """Let Sam answer."""
        service, player = self.served.service, self.sam.player
        now, question = service.context.clock(), self.question_id
        sent = Submission(player.player_id, question, now, text, choices, client_id=new_id())
        service.answers.submit(self.game.game_id, sent)

    @property
    def question_id(self) -> str:
        """Return the question that is played."""
        return self.served.service.context.get_state(self.game.game_id).question_id

    def stored(self) -> tuple[str, ...]:
        """Return what Mia has chosen, as the server has it."""
        answers = self.served.service.answers
        found = answers.find_answer(self.game.game_id, self.question_id, self.mia.player.player_id)
        return found.choices if found else ()

    def open(self, page: Page, token: str = "") -> Page:
        """Open the game with the link of Mia, or with another."""
        urls = self.served.service.context.urls
        page.goto(f"{self.served.address}{urls.seat(token or self.mia.token)}")
        return page


def create(
    served: Served, *questions: Question, kind: EngagementType = EngagementType.MIXED
) -> Room:
    # Nobody is hurried, and the game does not go on by itself, for Sam is never connected.
    settings = GameSettings(reading_seconds=60, question_seconds=0, voting_seconds=0)
    draft = GameDraft("Friday quiz", kind, questions=questions, settings=settings)
    game = served.service.games.create(HOST, draft)
    mia, sam = (served.service.players.join(game.game_id, name) for name in ("Mia", "Sam"))
    return Room(served, game, mia, sam)


def watch_too(room: Room, open_page: OpenPage) -> None:
    """Connect Sam, who does not answer: the question stays open until the host closes it."""
    page = room.open(open_page(viewport=SMALL), room.sam.token)
    expect(page.get_by_role("heading", name="You’re in, Sam")).to_be_visible()


def test_quiz_is_played_with_one_thumb(served: Served, open_page: OpenPage) -> None:
    room = create(served, replace(CAPITAL, seconds=None), replace(LESSON, points=500))
    watch_too(room, open_page)
    page = room.open(open_page(viewport=SMALL, has_touch=True))
    errors = collect_errors(page)
    expect(page.get_by_role("heading", name="You’re in, Mia")).to_be_visible()
    page.locator("summary", has_text="Menu").tap()
    expect(page.get_by_text("Leave the game")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Leave the game")).to_be_hidden()
    room.play(Command.START)
    expect(page.get_by_role("heading", name=CAPITAL.title)).to_be_visible()
    expect(page.locator(".tile")).to_have_count(0)
    room.play(Command.NEXT)
    tile = page.get_by_role("button", name="Canberra")
    box = tile.bounding_box()
    assert box is not None
    assert box["height"] >= 56
    assert find_axe_violations(page) == []
    tile.tap()
    expect(page.get_by_text("Answer received")).to_be_visible()
    expect(tile).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Perth")).to_be_disabled()
    room.answer("a")
    room.play(Command.CLOSE)
    expect(page.get_by_role("heading", name="Correct", exact=True)).to_be_visible()
    expect(page.get_by_text("+1,000")).to_be_visible()
    expect(page.get_by_text(CAPITAL.explanation)).to_be_visible()
    room.play(Command.NEXT)
    expect(page.get_by_role("heading", name="1st of 2")).to_be_attached()

    room.play(Command.NEXT, Command.NEXT)
    page.get_by_label("Your answer").fill("Meetings <b>")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Answer received")).to_be_visible()
    room.answer(text="Reviews & <i>waiting</i>")
    room.play(Command.CLOSE)
    page.get_by_role("button", name="Reviews & <i>waiting</i>").click()
    assert find_axe_violations(page) == []
    page.get_by_role("button", name="Send ranking").click()
    expect(page.get_by_text("Ranking received")).to_be_visible()
    room.play(Command.CLOSE)
    expect(page.get_by_text("Meetings <b>")).to_be_visible()
    room.play(Command.END)
    expect(page.get_by_role("heading", name="You won")).to_be_visible()
    assert errors == []


def test_answer_without_a_connection_is_kept_and_sent_later(
    served: Served, open_page: OpenPage
) -> None:
    room = create(served, replace(CAPITAL, seconds=None))
    watch_too(room, open_page)
    page = open_page(viewport=SMALL)
    network = Network(page)
    room.open(page)
    room.play(Command.START, Command.NEXT)
    expect(page.locator(".tile")).to_have_count(4)
    network.cut()
    page.get_by_role("button", name="Canberra").click()
    expect(page.get_by_text("Reconnecting…")).to_be_visible()
    expect(page.get_by_text("is saved here and sent when you are back")).to_be_visible()
    kept = page.evaluate("Object.values(localStorage).map(text => JSON.parse(text)[0].id)[0]")
    # The server can be reached again, but sockets cannot yet.
    page.reload()
    expect(page.get_by_role("button", name="Canberra")).to_have_attribute("aria-pressed", "true")
    assert room.stored() == ()
    network.restore()
    expect(page.get_by_text("Answer received")).to_be_visible()
    assert room.stored() == ("b",)
    found = served.service.answers.find_answer(room.game.game_id, "001", room.mia.player.player_id)
    assert found is not None
    assert found.client_id == kept
    assert page.evaluate("localStorage.length") == 0


class Network:
    """The sockets of a page, which a test cuts off. Long polls are blocked, too."""

    def __init__(self, page: Page) -> None:
        self._open: list[WebSocketRoute] = []
        self._is_cut = False
        page.route_web_socket("**/socket*", self._connect)
        page.route("**/events*", lambda route: route.abort())

    def _connect(self, route: WebSocketRoute) -> None:
        if self._is_cut:
            route.close(code=1013)
            return
        route.connect_to_server()
        self._open.append(route)

    def cut(self) -> None:
        """Close all sockets, and refuse others."""
        self._is_cut = True
        for route in self._open:
            route.close(code=1013)

    def restore(self) -> None:
        """Let sockets connect again."""
        self._is_cut = False


def test_blocked_sockets_are_replaced_by_long_polls(served: Served, open_page: OpenPage) -> None:
    room = create(served, LUNCH)
    page = open_page(viewport=SMALL)
    # As a proxy does it that does not know sockets.
    page.add_init_script(
        "window.WebSocket = class {"
        " constructor() { setTimeout(() => this.onclose({ code: 1006 })); } close() {} }"
    )
    with page.expect_response("**/events?**"):
        room.open(page)
    expect(page.get_by_role("heading", name="You’re in, Mia")).to_be_visible()
    room.play(Command.START, Command.NEXT)
    page.get_by_role("button", name="Pizza").click()
    # Everyone who is connected has answered.
    expect(page.get_by_role("heading", name="Results")).to_be_visible()
    assert room.stored() == ("c",)


def test_audience_watches_and_removed_players_see_a_message(
    served: Served, open_page: OpenPage
) -> None:
    room = create(served, CAPITAL)
    audience = served.service.context.issue_seat(room.game, Role.AUDIENCE)
    watcher = room.open(open_page(viewport=SMALL), audience)
    expect(watcher.get_by_role("heading", name="You are watching.")).to_be_visible()
    page = room.open(open_page(viewport=SMALL))
    room.play(Command.START, Command.NEXT)
    expect(watcher.locator(".tile")).to_have_count(4)
    expect(watcher.get_by_role("button")).to_have_count(0)
    expect(page.locator(".tile")).to_have_count(4)
    served.service.players.remove(room.game.game_id, room.mia.player.player_id)
    expect(page.get_by_text("The host has removed you from this game.")).to_be_visible()
