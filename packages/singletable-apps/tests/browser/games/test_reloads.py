"""Reload every role's screen in every phase: each shows the running game, as before."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import pytest
from playwright.sync_api import Browser, Page, expect

from singletable_apps.games.entities import Game
from singletable_apps.games.tokens import Role
from tests.apps.games.support.world import CAPITAL, LESSON
from tests.browser.conftest import TIMEOUT, open_pages
from tests.browser.games.hall import BIG, SMALL, Phone
from tests.browser.games.server import CALM, Served
from tests.browser.page_checks import collect_errors

# What is compared: all but how many are connected, which changes while others reload.
AREAS = {
    Role.HOST: ".now",
    Role.COHOST: ".now",
    Role.SCREEN: ".screen-root",
    Role.PLAYER: "#content",
    Role.AUDIENCE: "#content",
}
# The text of an element without running clocks, and without the switch of the sound: browsers play
# nothing on a page that nobody has touched since it was loaded.
TEXT = """element => {
    const copy = element.cloneNode(true);
    const clocks = copy.querySelectorAll("[role=timer], .overlay-clock, .sr-only, .mute");
    for (const clock of clocks) clock.remove();
    return copy.textContent.replace(/\\s+/g, " ").trim();
}"""
WITHOUT_TIMERS = replace(CALM, question_seconds=0, voting_seconds=0, min_cell=1)


@dataclass
class Audience:
    """A page for each role. Bob's phone is there so that Ada's answer does not close a question."""

    pages: dict[Role, Page]
    bob: Phone

    @property
    def ada(self) -> Phone:
        """Return the player whose phone is reloaded."""
        return Phone("Ada", self.pages[Role.PLAYER])

    def enter(self, served: Served, game: Game) -> None:
        """Let all players join a game."""
        served.host(self.pages[Role.HOST], game)
        for role in (Role.COHOST, Role.SCREEN, Role.AUDIENCE):
            served.seat(self.pages[role], game, role)
        served.join(self.pages[Role.PLAYER], game, "Ada")
        served.join(self.bob.page, game, "Bob")

    def press(self, label: str, sure: str = "", by: Role = Role.HOST) -> None:
        """Press the button for the next step, when it has this label."""
        page = self.pages[by]
        page.locator("#next", has_text=label).click()
        if sure:
            page.get_by_role("dialog").get_by_role("button", name=sure).click()

    def check_reloads(self, moment: str, expected: Mapping[Role, str]) -> None:
        """Fail unless all roles see what they should, and the same again after a reload."""
        before = dict[Role, str]()
        for role, page in self.pages.items():
            area = page.locator(AREAS[role])
            expect(area, f"{moment}: {role}").to_contain_text(expected[role])
        for role, page in self.pages.items():
            before[role] = page.locator(AREAS[role]).evaluate(TEXT)
        for page in self.pages.values():
            page.reload(wait_until="commit")
        for role, page in self.pages.items():
            wait_for_text(page, AREAS[role], before[role], f"{moment}: {role}")


def wait_for_text(page: Page, area: str, text: str, moment: str) -> None:
    """Wait until an element has exactly this text, apart from clocks."""
    deadline = time.monotonic() + TIMEOUT / 1000
    while (found := page.locator(area).evaluate(TEXT)) != text:
        assert time.monotonic() < deadline, f"{moment}: {found!r} instead of {text!r}"
        page.wait_for_timeout(20)


@pytest.fixture(scope="module")
def people(chromium: Browser) -> Iterator[Audience]:
    """Open a page for each role."""
    with open_pages(chromium) as open_page:
        sizes = {Role.SCREEN: BIG, Role.PLAYER: SMALL, Role.AUDIENCE: SMALL}
        pages = {
            role: open_page(**({"viewport": sizes[role]} if role in sizes else {}))
            for role in AREAS
        }
        errors = [collect_errors(each) for each in pages.values()]
        yield Audience(pages, Phone("Bob", open_page(viewport=SMALL)))
        assert not any(errors), errors


def sees(host: str, screen: str, player: str, audience: str) -> dict[Role, str]:
    """Return what the roles see; co-hosts see what hosts see."""
    return {
        Role.HOST: host,
        Role.COHOST: host,
        Role.SCREEN: screen,
        Role.PLAYER: player,
        Role.AUDIENCE: audience,
    }


def start(people: Audience) -> None:
    people.press("Start")


def open_and_answer(people: Audience) -> None:
    people.press("Open answers")
    people.ada.choose("Canberra")
    people.ada.expect("Answer received · 1 of 2 are done")


def pause(people: Audience) -> None:
    people.pages[Role.COHOST].get_by_role("button", name="Pause").click()


def close(people: Audience) -> None:
    people.press("Continue", by=Role.COHOST)
    people.press("Close answers")


def show_leaderboard(people: Audience) -> None:
    people.press("Leaderboard")


def ask_for_texts(people: Audience) -> None:
    people.press("Next question")
    people.press("Open answers")
    people.ada.page.get_by_label("Your answer").fill("Not sent yet")


def vote(people: Audience) -> None:
    people.ada.page.get_by_label("Your answer").fill("Meetings")
    people.ada.tap("Send")
    people.bob.write("E-mail")
    people.ada.rank("E-mail")
    people.ada.expect("Ranking received · 1 of 2 are done")


def count(people: Audience) -> None:
    people.press("Show results")


def finish(people: Audience) -> None:
    people.press("Leaderboard")
    people.press("Finish the game")


# Each phase: how it is reached from the one before, and what the roles see then.
WALK: dict[str, tuple[Callable[[Audience], None], dict[Role, str]]] = {
    "waiting": (
        lambda people: None,
        sees(
            "2 players are in the lobby.",
            "2 players are in",
            "2 players in the room",
            "2 players in the room",
        ),
    ),
    "reading": (
        start,
        sees(
            "Reading · Question 1 of 2",
            CAPITAL.title,
            "The answers come in a moment",
            CAPITAL.title,
        ),
    ),
    "open": (
        open_and_answer,
        sees(
            "1 of 2 answered",
            "1 of 2 answered",
            "Answer received · 1 of 2 are done",
            "Canberra",
        ),
    ),
    "paused": (
        pause,
        sees("Paused (answers are open)", "Paused", "Your answer is in.", "Paused"),
    ),
    "reveal": (
        close,
        sees("Canberra correct", CAPITAL.explanation, "1st of 2", CAPITAL.explanation),
    ),
    "leaderboard": (
        show_leaderboard,
        sees("Ada", "After question 1 of 2", "In the lead", "Leaderboard"),
    ),
    "open for texts": (
        ask_for_texts,
        sees("0 of 2 answered", "0 of 2 answered", LESSON.title, LESSON.title),
    ),
    "voting": (
        vote,
        sees("1 of 2 voted", "1 of 2 voted", "Ranking received · 1 of 2 are done", "Meetings"),
    ),
    "reveal of authors": (
        count,
        sees("Bob · 500 points", "500 points", "Bob · 500 points · best", "500 points · best"),
    ),
    "ended": (
        finish,
        sees("The game is over", "Winner: Ada", "You won", "Thank you for playing"),
    ),
}


def test_every_screen_survives_a_reload_in_every_phase(people: Audience, served: Served) -> None:
    questions = (replace(CAPITAL, seconds=0), replace(LESSON, seconds=0, points=500))
    game = served.create(*questions, settings=WITHOUT_TIMERS)
    people.enter(served, game)
    for moment, (reach, expected) in WALK.items():
        reach(people)
        people.check_reloads(moment, expected)
        if moment == "open for texts":
            # What one has typed is not lost.
            expect(people.ada.page.get_by_label("Your answer")).to_have_value("Not sent yet")
