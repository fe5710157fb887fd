"""Whole games in a room: a host, a big screen and four phones, through every type of question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect

from singletable_apps.games.entities import Game
from singletable_apps.games.questions import EngagementType
from tests.apps.games.support.world import (
    CAPITAL,
    LESSON,
    LUNCH,
    MOON,
    PAINTER,
    PLANETS,
    PRIMES,
    SURVEY,
)
from tests.browser.conftest import open_pages
from tests.browser.games.hall import Hall
from tests.browser.games.server import CALM, Served
from tests.browser.page_checks import find_axe_violations

NAMES = ("Ada", "Bob", "Cyd", "Dan")
SLOW_CAPITAL, SLOW_PRIMES, SLOW_LESSON = (
    replace(each, seconds=600) for each in (CAPITAL, PRIMES, LESSON)
)
REASON = "because nobody could say why the build took so long"
TIME_LEFT = re.compile(r"\d+ seconds left")


@pytest.fixture(scope="module")
def hall(chromium: Browser, served: Served) -> Iterator[Hall]:
    """Open a host, a big screen and four phones, for all games of this module."""
    with open_pages(chromium) as open_page:
        hall = Hall(served, open_page, NAMES)
        yield hall
        assert not any(hall.errors), hall.errors


def expect_lobby(hall: Hall, game: Game) -> None:
    code = f"{game.join_code[:3]} {game.join_code[3:]}"
    hall.expect("4 players are in", code, "games.example/games/join")
    expect(hall.screen.locator(".lobby-qr svg")).to_be_visible()
    expect(hall.screen.locator(".name")).to_have_text(list(reversed(NAMES)))
    expect(hall.host.locator(".now")).to_contain_text("4 players are in the lobby.")
    expect(hall.host.locator(".console-status")).to_contain_text("Live, one screen")


def expect_code_in_the_corner(hall: Hall, game: Game) -> None:
    """People come late: the big screen shows in all phases how to join."""
    bar = hall.screen.locator(".bar")
    expect(bar).to_contain_text(f"{game.join_code[:3]} {game.join_code[3:]}")
    expect(bar.locator(".qr svg")).to_be_visible()


def expect_open(hall: Hall, game: Game, title: str) -> None:
    """Wait until everyone sees the question, the remaining time and the number of answers."""
    expect(hall.screen.get_by_role("heading", name=title)).to_be_visible()
    expect(hall.screen.get_by_role("timer", name=TIME_LEFT)).to_be_visible()
    expect(hall.screen.locator(".progress-count")).to_have_text("0 of 4 answered")
    expect(hall.host.locator(".console-progress")).to_have_text("0 of 4 answered")
    expect_code_in_the_corner(hall, game)
    for phone in hall.phones:
        phone.expect(title)
        expect(phone.page.get_by_role("timer", name=TIME_LEFT)).to_be_visible()


def expect_answered(hall: Hall, done: int) -> None:
    expect(hall.screen.locator(".progress-count")).to_have_text(f"{done} of 4 answered")
    # Who has answered is secret while the authors are.
    expect(hall.host.locator(".console-progress")).to_contain_text(f"{done} of 4")


def expect_podium(hall: Hall, winner: str) -> None:
    """Finish the game, and see the winner on the big screen, on phones and in the report."""
    hall.press("Finish the game")
    expect(hall.screen.get_by_role("heading", name=f"Winner: {winner}")).to_be_visible()
    expect(hall.screen.locator(".step-up").first).to_contain_text(winner)
    for phone in hall.phones:
        if phone.name == winner:
            phone.expect("You won", "1st of 4")
    hall.host.get_by_role("link", name="Open the report").click()
    expect(hall.host.get_by_text(f"Winner: {winner}")).to_be_visible()


def test_answers_are_ranked_by_all_players_and_authors_are_revealed(
    hall: Hall, served: Served
) -> None:
    game = served.create(SLOW_LESSON, kind=EngagementType.CALL_AND_ANSWER)
    hall.enter(game)
    expect_lobby(hall, game)
    hall.check_accessible()

    hall.press("Start")
    expect(hall.screen.get_by_role("heading", name=LESSON.title)).to_be_visible()
    expect_code_in_the_corner(hall, game)
    hall.expect_phones(LESSON.title, "The answers come in a moment")
    hall.check_accessible()

    hall.press("Open answers")
    expect_open(hall, game, LESSON.title)
    ada, bob, cyd, dan = hall.phones
    texts = {phone.name: f"{phone.name.swapcase()}: {REASON}" for phone in hall.phones}
    for done, phone in enumerate((ada, bob, cyd), 1):
        phone.write(texts[phone.name])
        phone.expect("Answer received")
        expect_answered(hall, done)
    expect(hall.screen.locator(".slip")).to_have_count(3)
    assert not any(dan.knows(texts[name]) for name in ("Ada", "Bob", "Cyd"))
    hall.check_accessible()

    # The last answer closes the question: nobody waits for the timer.
    dan.write(texts["Dan"])
    expect(hall.screen.locator(".card")).to_have_count(4)
    assert sorted(hall.screen.locator(".card").all_inner_texts()) == sorted(texts.values())
    expect(hall.screen.get_by_role("timer", name=TIME_LEFT)).to_be_visible()
    expect(hall.screen.locator(".progress-count")).to_have_text("0 of 4 voted")
    for phone in hall.phones:
        others = [texts[name] for name in NAMES if name != phone.name]
        expect(phone.page.locator(".ballot-text")).to_have_count(3)
        assert sorted(phone.page.locator(".ballot-text").all_inner_texts()) == sorted(others)
    hall.check_accessible()
    ada.rank(texts["Cyd"], texts["Bob"], texts["Dan"])
    bob.rank(texts["Cyd"], texts["Ada"], texts["Dan"])
    cyd.rank(texts["Ada"], texts["Bob"], texts["Dan"])
    expect(hall.screen.locator(".progress-count")).to_have_text("3 of 4 voted")
    cyd.expect("Ranking received")
    # Nobody is told who wrote what: phones do not even have the names of the others.
    for phone in hall.phones:
        assert not any(phone.knows(name) for name in NAMES if name != phone.name)
    assert not any(name in hall.screen.locator(".main-stage").inner_text() for name in NAMES)

    dan.rank(texts["Cyd"], texts["Ada"], texts["Bob"])
    winner = hall.screen.locator(".winner").first
    expect(winner).to_contain_text(texts["Cyd"])
    expect(winner.locator(".winner-names")).to_have_text("Cyd")
    expect(winner.locator(".winner-points")).to_have_text("9 points")
    last = hall.screen.locator(".others span")
    assert last.evaluate("each => each.scrollWidth <= each.clientWidth")
    expect(hall.host.locator(".now .texts li").first).to_contain_text("Cyd · 9 points")
    cyd.expect("Your answer scored", "+9", "1st of 4")
    dan.expect("+3", "4th of 4", "Cyd · 9 points · best")
    hall.check_accessible()

    hall.press("Leaderboard")
    expect(hall.screen.locator(".row-name")).to_have_text(["Cyd", "Ada", "Bob", "Dan"])
    cyd.expect("In the lead")
    ada.expect("2 behind Cyd")
    hall.check_accessible()
    expect_podium(hall, "Cyd")
    for page in (hall.screen, hall.phones[0].page):
        assert find_axe_violations(page) == []
    for name, text in texts.items():
        expect(hall.host.locator(".report-answers li", has_text=text)).to_contain_text(name)
    assert find_axe_violations(hall.host) == []


def test_counts_of_a_poll_are_live(hall: Hall, served: Served) -> None:
    game = served.create(replace(LUNCH, selections=2), kind=EngagementType.POLL)
    hall.enter(game)
    hall.press("Start")
    hall.press("Open answers")
    expect_open(hall, game, LUNCH.title)
    hall.expect("Choose up to 2")
    ada, bob, cyd, dan = hall.phones
    votes = hall.screen.locator(".option-votes b")
    ada.choose("Noodles", "Pizza")
    expect(votes).to_have_text(["1", "0", "1"])
    bob.choose("Salad", "Pizza")
    expect(votes).to_have_text(["1", "1", "2"])
    expect(hall.host.locator(".bar-votes").nth(2)).to_contain_text("2 ·")
    # An opinion can be changed.
    ada.page.locator(".tile", has_text="Noodles").click()
    ada.tap("Update")
    expect(votes).to_have_text(["0", "1", "2"])
    assert not cyd.knows('"tally"')
    cyd.choose("Noodles", "Pizza")
    dan.page.locator(".tile", has_text="Salad").click()
    dan.tap("Confirm")
    hall.expect("4 answers", "3 75 %")
    hall.expect_phones("4 answers", "3 75%")
    expect(ada.page.locator(".bar.is-own")).to_have_text([re.compile("Pizza")])
    hall.check_accessible()
    # Nobody gets points for an opinion, so there is no leaderboard.
    hall.press("Finish the game")
    hall.expect("Thank you for playing")
    hall.expect_phones("Thank you for playing")


def test_survey_is_answered_at_ones_own_pace_and_shared_by_the_host(
    hall: Hall, served: Served
) -> None:
    settings = replace(CALM, min_cell=3)
    game = served.create(*SURVEY, kind=EngagementType.SURVEY, settings=settings)
    hall.enter(game)
    hall.expect_phones("The survey opens soon")
    # A survey asks for no name, so that there is none to change.
    for phone in hall.phones:
        expect(phone.page.get_by_text("Change my name")).to_have_count(0)
    hall.press("Open the survey")
    hall.expect("4 questions on your phone", "0 of 4 players have begun")
    hall.expect_phones("Question 1 of 4", SURVEY[0].title)
    hall.check_accessible()
    for number, phone in enumerate(hall.phones):
        phone.tap(str(5 - number), exact=True)
        phone.expect("Saved")
    hall.phones[0].page.locator(".scale-step.is-chosen").wait_for()
    for phone in hall.phones[:2]:
        phone.tap("Next")
        phone.choose("Yes")
        phone.expect("Saved")
        phone.tap("Next")
        phone.page.get_by_label("Your answer").fill(f"More coffee for {phone.name}")
        phone.tap("Next")
        phone.tap("Save this order")
        phone.expect("Saved")
        phone.tap("Review")
        phone.expect("All done", "Everything is saved.", f"More coffee for {phone.name}")
    hall.expect("4 of 4 players have begun")
    hall.press("Close the survey")
    hall.expect_phones("Thank you", "The host may share results here.")
    hall.expect("Your answers are in.")
    assert not any(phone.knows('"tally"') for phone in hall.phones)

    # Ratings are shown; yes and no, which two have answered, is too few for secrecy.
    results = hall.host.locator(".survey-list > li")
    results.nth(0).get_by_label("Share").check()
    hall.expect(SURVEY[0].title, "3.5", "on average")
    hall.expect_phones("3.5", "on average, 4 answers")
    expect(hall.host.locator(".now")).to_contain_text("Results are shown from 3 answers on.")
    expect(results.nth(1).get_by_label("Share")).to_have_count(0)
    hall.check_accessible()
    hall.press("Finish the game")
    hall.expect_phones("3.5")
    hall.host.get_by_role("link", name="Open the report").click()
    expect(hall.host.locator(".report-question").first).to_contain_text("mean 3.5")


def test_slider_order_and_typed_answer_are_played_with_keys_and_a_finger(
    hall: Hall, served: Served
) -> None:
    moon, planets, painter = (replace(each, seconds=600) for each in (MOON, PLANETS, PAINTER))
    game = served.create(moon, planets, painter, settings=replace(CALM, reading_seconds=0))
    hall.enter(game)
    ada, bob, cyd, dan = hall.phones
    hall.press("Start")
    hall.expect("1900", "2000", "The closer, the more points")
    slider = ada.page.get_by_label("Your answer")
    slider.press("End")
    for _ in range(31):
        slider.press("ArrowLeft")
    bob.tap("More")
    bob.expect("Send 1951")
    hall.check_accessible()
    ada.tap("Send 1969")
    expect(ada.page.get_by_role("button", name="More")).to_be_disabled()
    for phone in (bob, cyd, dan):
        phone.tap("Send 19")
    # All have answered, so the question is closed.
    hall.expect("1969", "±10 is right", "Most points: Ada +")
    ada.expect("Correct", "1969", "True value", "Yours")
    bob.expect("Not this time", "Yours: 1951")
    hall.check_accessible()
    hall.press("Leaderboard")
    hall.press("Next question")
    # The solution is neither on the page nor in a message: only the mixed order is.
    shown = [each.text for each in planets.options]
    expect(ada.page.locator(".order-text")).to_have_text(shown)
    for place, option in enumerate(planets.listed):
        row = ada.page.locator(".order-row", has_text=option.text)
        while row.locator(".order-place").inner_text() != str(place + 1):
            row.get_by_role("button", name="up").press("Enter")
    first, last = bob.page.locator(".order-row").first, bob.page.locator(".order-row").last
    first.locator(".order-grip").hover()
    bob.page.mouse.down()
    box = last.bounding_box()
    assert box is not None
    bob.page.mouse.move(box["x"] + 40, box["y"] + box["height"] / 2, steps=8)
    bob.page.mouse.up()
    expect(bob.page.locator(".order-text").last).to_have_text(shown[0])
    hall.check_accessible()
    for phone in (ada, bob, cyd):
        phone.tap("Send my order")
    expect_answered(hall, 3)
    hall.press("Close answers")
    hall.expect("Mercury", "of 3 right")
    ada.expect("Correct", "The right order")
    dan.expect("No answer")
    hall.press("Leaderboard")
    hall.press("Next question")
    hall.expect("Type your answer on your phone")
    for phone, text in ((ada, "pablo PICASSO!"), (bob, "Pikaso"), (cyd, "Pikaso"), (dan, "Dalí")):
        phone.write(text)
    hall.expect("Picasso · Pablo Picasso", "Dalí")
    cyd.expect("Not this time")
    hall.host.get_by_role("button", name="Accept: Pikaso").click()
    for phone in (ada, bob, cyd):
        phone.expect("Correct")
    hall.expect("Picasso · Pablo Picasso · Pikaso")
    hall.check_accessible()
