"""Phones without scripts: join, answer every type of question, vote, watch, and leave."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass, replace
from typing import Any

import httpx2
import pytest

from singletable_apps.games.entities import Game
from singletable_apps.games.pages.play import bars_of
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.questions import (
    EngagementType,
    Question,
    QuestionType,
    Scale,
    make_options,
)
from singletable_apps.games.tokens import Role
from singletable_apps.shared.web import RateLimit
from tests.apps.games.pages.client import PagesApp
from tests.apps.games.support.world import (
    CAPITAL,
    LESSON,
    LUNCH,
    MOON,
    PAINTER,
    PLANETS,
    PRIMES,
    SETTINGS,
    SURVEY,
)
from tests.apps.support.browser import Browser, FieldValue
from tests.apps.support.html import text_in

NASTY = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'


@dataclass(frozen=True)
class Phone:
    """A browser without scripts, in a game."""

    app: PagesApp
    browser: Browser
    game: Game

    def page(self, **query: str) -> httpx2.Response:
        return self.browser.get("play", self.game.game_id, **query)

    def send(self, ending: str = "answer", /, **fields: FieldValue) -> httpx2.Response:
        return self.browser.submit(self.page(), ending, **fields)

    @property
    def player_id(self) -> str:
        return str(data_of(self.page())["me"]["playerId"])

    @property
    def answer(self) -> dict[str, Any]:
        """Return what the server has as the answer to the current question."""
        data = data_of(self.page())
        found: dict[str, Any] = data["me"]["answers"][data["view"]["questionId"]]
        return found


def data_of(page: httpx2.Response) -> dict[str, Any]:
    [text] = re.findall(r'data-play="([^"]*)"', page.text)
    found: dict[str, Any] = json.loads(html.unescape(text))
    return found


def join(app: PagesApp, game: Game, name: str = "Mia", **fields: FieldValue) -> Phone:
    browser = app.browser()
    page = browser.get("join", code=game.join_code)
    # A survey asks for no name.
    named: dict[str, FieldValue] = {"name": name} if "Your name" in page.text else {}
    answer = browser.submit(page, **named, **fields)
    assert answer.status_code == 303, text_in(answer.text)
    return Phone(app, browser, game)


def test_code_leads_to_the_game_and_its_seat_stays(app: PagesApp) -> None:
    game = app.world.game()
    phone = join(app, game)
    assert "You’re in, Mia" in text_in(phone.page().text)
    # Scanning the code again does not ask for a name.
    again = phone.browser.get("join", code=game.join_code)
    assert again.url.path == f"/games/play/{game.game_id}"
    assert "You’re in, Mia" in text_in(again.text)
    assert "HttpOnly" in str(
        app.browser().post(f"/games/play/{game.game_id}/join", {"name": "Zoe"}).headers
    )


@pytest.mark.parametrize("code", ["999999", "x" * 5_000, "١٢٣٤٥٦"])
def test_unknown_code_shows_the_form_again(app: PagesApp, code: str) -> None:
    page = app.browser().get("join", code=code)
    assert page.status_code == 404
    assert "There is no game with this code." in text_in(page.text)


def test_code_may_have_spaces(app: PagesApp) -> None:
    game = app.world.game()
    code = f" {game.join_code[:3]} {game.join_code[3:]} "
    assert "You are joining Friday quiz" in text_in(app.browser().get("join", code=code).text)


def test_name_that_is_taken_gets_a_suggestion(app: PagesApp) -> None:
    game = app.world.game()
    join(app, game, "Sam")
    browser = app.browser()
    page = browser.submit(browser.get("join", code=game.join_code), name=" sAM ")
    assert page.status_code == 422
    assert "Someone is called sAM already." in text_in(page.text)
    # The suggestion is filled in.
    assert browser.submit(page).status_code == 303
    assert data_of(browser.get("play", game.game_id))["me"]["name"] not in ("sAM", "Sam")


@pytest.mark.parametrize("name", [" \n ", "a" * 100_000])
def test_invalid_name_shows_the_form_again(app: PagesApp, name: str) -> None:
    game = app.world.game()
    browser = app.browser()
    page = browser.submit(browser.get("join", code=game.join_code), name=name)
    assert page.status_code == 422
    assert 'id="f-name-error"' in page.text


def test_access_codes_cannot_be_guessed(app: PagesApp) -> None:
    app.limits["wrong_code"] = RateLimit("wrong-code", 3, 60)
    game = app.world.game(access_code="tulip")
    path, browser = f"/games/play/{game.game_id}/join", app.browser()
    for _ in range(3):
        assert browser.post(path, {"name": "Mia", "access_code": "rose"}).status_code == 422
    assert browser.post(path, {"name": "Mia", "access_code": "tulip"}).status_code == 429


def test_join_codes_cannot_be_guessed(app: PagesApp) -> None:
    app.limits["unknown_game"] = RateLimit("unknown-game", 3, 60)
    game, browser = app.world.game(), app.browser()
    codes = ["1", "2", "3", game.join_code]
    assert [browser.get("join", code=code).status_code for code in codes] == [404, 404, 404, 429]


def test_answers_of_one_player_are_limited(app: PagesApp) -> None:
    app.limits["answer"] = RateLimit("answer", 1, 60)
    phone = join(app, app.world.game(LUNCH))
    app.world.play(phone.game, Command.START)
    path = f"/games/play/{phone.game.game_id}/answer"
    sent = {"question_id": "001", "choices": "a"}
    assert [phone.browser.post(path, sent).status_code for _ in range(2)] == [303, 429]


def test_closed_rooms_show_the_reason(app: PagesApp) -> None:
    world = app.world
    locked, over = world.game(), world.game()
    full = world.game(settings=replace(SETTINGS, max_players=1))
    world.service.games.edit(locked.game_id, is_locked=True)
    world.play(over, Command.END)
    world.join(full, "Ada")
    world.clock.advance(seconds=3)
    page = app.browser().get("join", code=locked.join_code)
    assert (page.status_code, "The host has locked this game" in page.text) == (403, True)
    browser = app.browser()
    page = browser.submit(browser.get("join", code=full.join_code), name="Mia")
    assert (page.status_code, "This game is full" in page.text) == (403, True)
    page = browser.get("join", code=over.join_code)
    assert (page.status_code, "This game is over" in page.text) == (403, True)
    assert browser.submit(page, watch="yes").status_code == 303
    assert "Final result" in text_in(browser.get("play", over.game_id).text)
    page = app.browser().get("play", "0" * 26)
    assert (page.status_code, "does not exist any more" in page.text) == (404, True)


def test_removed_player_sees_a_message(app: PagesApp) -> None:
    phone = join(app, app.world.game())
    app.world.service.players.remove(phone.game.game_id, phone.player_id)
    page = phone.page()
    assert page.status_code == 403
    assert "The host has removed you from this game" in text_in(page.text)


def test_visitor_without_a_seat_is_sent_to_the_join_page(app: PagesApp) -> None:
    game, other = app.world.game(), app.world.game()
    phone = join(app, game)
    assert phone.browser.get("play", other.game_id).url.path.endswith(f"{other.game_id}/join")
    path = f"/games/play/{other.game_id}/answer"
    assert phone.browser.post(path, {"choices": "a"}).headers["location"].endswith("/join")
    # The seat of a host or a screen is not the seat of a player.
    token = app.world.service.context.issue_seat(other, Role.SCREEN)
    phone.browser.http.cookies.set("games_seat", token, path=f"/games/play/{other.game_id}")
    assert phone.browser.get("play", other.game_id).url.path.endswith("/join")


RATING = Question(QuestionType.RATING, "How likely?", scale=Scale.ELEVEN, low_label="Never")
BOTH = replace(LUNCH, selections=2)
ORDER = Question(QuestionType.RANK, "Order?", options=make_options(["One", "Two", "Three"]))
ANSWERS: list[tuple[Question, dict[str, FieldValue], str, object]] = [
    (CAPITAL, {"choices": "b"}, "choices", ["b"]),
    (PRIMES, {"choices": ["a", "c"]}, "choices", ["a", "c"]),
    (LUNCH, {"choices": "c"}, "choices", ["c"]),
    (BOTH, {"choices": ["c", "a"]}, "choices", ["a", "c"]),
    (RATING, {"number": "0"}, "number", 0),
    (Question(QuestionType.YES_NO, "Again?"), {"choices": "no"}, "choices", ["no"]),
    (ORDER, {"place-a": "3", "place-b": "1", "place-c": "2"}, "choices", ["b", "c", "a"]),
    (Question(QuestionType.TEXT, "What?"), {"text": " Tea\r\nand milk "}, "text", "Tea\nand milk"),
    (LESSON, {"text": NASTY}, "text", NASTY),
    (MOON, {"number": "1969"}, "number", 1969),
    (replace(MOON, low=-5), {"number": "-5"}, "number", -5),
    (PLANETS, {f"place-{each}": f"{ord(each) - 96}" for each in "abcd"}, "choices", [*"abcd"]),
    (PAINTER, {"text": NASTY}, "text", NASTY),
]


@pytest.mark.parametrize(
    ("question", "fields", "name", "stored"), ANSWERS, ids=lambda each: getattr(each, "title", "")
)
def test_every_type_can_be_answered(
    app: PagesApp, question: Question, fields: dict[str, FieldValue], name: str, stored: object
) -> None:
    phone = join(app, app.world.game(question))
    app.world.play(phone.game, Command.START)
    page = phone.page()
    assert question.title in text_in(page.text)
    assert phone.send(**fields).status_code == 303
    assert phone.answer[name] == stored
    after = phone.page()
    assert "Answer received." in text_in(after.text)
    assert "<script>alert" not in after.text
    assert "<img src=x" not in after.text
    app.world.play_to(phone.game, Phase.REVEAL)
    assert phone.page().status_code == 200
    assert "<script>alert" not in phone.page().text
    solution = str(question.target) if question is MOON else "Picasso, Pablo Picasso"
    assert question not in (MOON, PAINTER) or solution in text_in(phone.page().text)


@pytest.mark.parametrize(
    ("question", "fields", "error"),
    [
        (CAPITAL, {"choices": None}, "Choose one option."),
        (RATING, {"number": "٣"}, "Choose a number from 0 to 10."),
        (RATING, {"number": "9" * 5_000}, "Choose a number from 0 to 10."),
        (ORDER, {"place-a": "1", "place-b": "1", "place-c": "2"}, "Give each place to one"),
        (LESSON, {"text": "  "}, "Please fill this in."),
        (LESSON, {"text": "fine", "question_id": "999"}, "cannot be sent now"),
    ],
)
def test_bad_answers_are_rejected_with_a_sentence(
    app: PagesApp, question: Question, fields: dict[str, FieldValue], error: str
) -> None:
    phone = join(app, app.world.game(question))
    app.world.play(phone.game, Command.START)
    answer = phone.send(**fields)
    assert answer.status_code in (409, 422)
    assert error in text_in(answer.text)
    assert phone.browser.open(answer.url.path).url.path == f"/games/play/{phone.game.game_id}"
    assert data_of(phone.page())["me"]["answers"] == {}


def test_trivia_is_answered_once_and_revealed(app: PagesApp) -> None:
    phone = join(app, app.world.game())
    app.world.play(phone.game, Command.START)
    form = phone.page()
    phone.send(choices="b")
    # A second tap on the button, and someone who went back.
    phone.browser.submit(form, "answer", choices="a")
    assert phone.answer["choices"] == ["b"]
    page = phone.page()
    assert "<form" not in page.text
    assert "isCorrect" not in page.text
    app.world.play(phone.game, Command.CLOSE)
    words = text_in(phone.page().text)
    assert "Correct +1,000 points" in words
    assert "compromise between Sydney and Melbourne" in words
    app.world.play(phone.game, Command.NEXT)
    assert "1st of 1 1,000 points" in text_in(phone.page().text)
    app.world.play(phone.game, Command.NEXT)
    assert "Final result 1st of 1" in text_in(phone.page().text)


def test_players_rank_the_answers_of_others(app: PagesApp) -> None:
    game = app.world.game(LESSON)
    mia, sam, zoe = (join(app, game, name) for name in ("Mia", "Sam", "Zoë"))
    app.world.play(game, Command.START)
    for phone, text in ((mia, "Meetings"), (sam, "Reviews"), (zoe, NASTY)):
        phone.send(text=text)
    app.world.play(game, Command.CLOSE)
    page = mia.page()
    ballot = data_of(page)["me"]["ballot"]
    assert sorted(each["text"] for each in ballot) == sorted(["Reviews", NASTY])
    assert "Meetings" not in text_in(page.text)
    one, two = (f"place-{each['id']}" for each in ballot)
    refused = mia.send("vote", **{one: "1", two: "1"})
    assert (refused.status_code, "Give each place" in refused.text) == (422, True)
    assert "Rank at least one answer." in text_in(mia.send("vote").text)
    assert mia.send("vote", **{one: "2", two: "1"}).status_code == 303
    page = mia.page()
    assert "Ranking received." in text_in(page.text)
    assert data_of(page)["me"]["vote"] == [ballot[1]["id"], ballot[0]["id"]]
    app.world.play(game, Command.CLOSE)
    words = text_in(sam.page().text)
    assert "Meetings Mia" in words
    assert "Reviews Sam" in words


def test_survey_goes_step_by_step_and_can_be_reviewed(app: PagesApp) -> None:
    phone = join(app, app.world.game(*SURVEY, kind=EngagementType.SURVEY))
    assert "Mia" not in text_in(phone.page().text)
    app.world.play(phone.game, Command.START)
    assert "Question 1 of 4" in text_in(phone.page().text)
    answer = phone.send(number="4")
    assert answer.headers["location"].endswith("?step=2")
    page = phone.browser.open(answer.headers["location"])
    assert "Question 2 of 4" in text_in(page.text)
    assert 'href="/games/play/' in page.text
    phone.browser.submit(page, "answer", choices="yes")
    review = text_in(phone.page(step="5").text)
    assert "2 questions are open." in review
    assert "How was the workshop? 4" in review
    assert "What should change? No answer yet" in review
    # A later answer replaces the first one.
    phone.browser.submit(phone.page(step="1"), "answer", number="5")
    phone.browser.submit(phone.page(step="3"), "answer", text="Longer breaks")
    order: dict[str, FieldValue] = {"place-a": "2", "place-b": "3", "place-c": "1"}
    phone.browser.submit(phone.page(step="4"), "answer", **order)
    assert "All done" in text_in(phone.page().text)
    app.world.play(phone.game, Command.CLOSE)
    assert "The survey is closed." in text_in(phone.page().text)


def test_shared_results_of_a_survey_are_shown(app: PagesApp) -> None:
    settings = replace(SETTINGS, min_cell=1)
    game = app.world.game(*SURVEY, kind=EngagementType.SURVEY, settings=settings)
    phone = join(app, game)
    app.world.play(game, Command.START)
    phone.send(number="4")
    app.world.play(game, Command.CLOSE)
    assert "How was the workshop?" not in text_in(phone.page().text)
    app.world.service.rounds.share_results(game.game_id, ["001"])
    assert "How was the workshop?" in text_in(phone.page().text)


def test_audience_sees_the_question_but_cannot_answer(app: PagesApp) -> None:
    game = app.world.game()
    browser = app.browser()
    browser.submit(browser.get("join", code=game.join_code), watch="yes")
    page = browser.get("play", game.game_id)
    assert "You are watching." in text_in(page.text)
    app.world.play(game, Command.START)
    page = browser.get("play", game.game_id)
    assert "Canberra" in text_in(page.text)
    assert "<form" not in page.text
    path = f"/games/play/{game.game_id}/answer"
    refused = browser.post(path, {"question_id": "001", "choices": "b"})
    assert (refused.status_code, "audience cannot answer" in refused.text) == (403, True)
    app.world.play(game, Command.CLOSE)
    assert "Results" in text_in(browser.get("play", game.game_id).text)


def test_page_reloads_itself_unless_one_fills_in_a_form(app: PagesApp) -> None:
    def reloads() -> list[str]:
        return re.findall(
            r'http-equiv="refresh" content="(\d+); url=/games/play/', phone.page().text
        )

    phone = join(app, app.world.game(CAPITAL, replace(LESSON, seconds=0)))
    assert reloads() == ["5"]
    app.world.play(phone.game, Command.START)
    # When time is up: 20 seconds, and a moment for the server.
    assert reloads() == ["23"]
    phone.send(choices="a")
    assert reloads() == ["5"]
    app.world.clock.advance(seconds=30)
    assert data_of(phone.page())["view"]["phase"] == "reveal"
    app.world.play(phone.game, Command.NEXT, Command.NEXT)
    assert reloads() == []
    assert ">Refresh</a>" in phone.page().text


def test_paused_game_shows_a_message(app: PagesApp) -> None:
    phone = join(app, app.world.game())
    app.world.play(phone.game, Command.START, Command.PAUSE)
    page = phone.page()
    assert "Paused" in text_in(page.text)
    assert "<form" not in page.text


def test_seat_moves_to_another_device_and_can_be_left(app: PagesApp) -> None:
    phone = join(app, app.world.game())
    page = phone.browser.get("play", phone.game.game_id, "device")
    [link] = re.findall(r'href="[^"]*(/games/seat[^"]*)"', page.text)
    other = app.browser()
    assert "You’re in, Mia" in text_in(other.open(html.unescape(link)).text)
    asked = phone.browser.get("play", phone.game.game_id, "leave")
    assert phone.browser.submit(asked, "leave").headers["location"] == "/games/join"
    assert phone.page().url.path.endswith("/join")
    assert "You’re in, Mia" in text_in(other.get("play", phone.game.game_id).text)


# A player who opens the link for the audience, or of a joker, keeps the points.
def test_link_of_another_seat_needs_confirmation(app: PagesApp) -> None:
    phone = join(app, app.world.game())
    (other,) = app.world.join(phone.game, "Joker")
    question = phone.browser.get("seat", token=other.token)
    assert "You’re in, Mia" in text_in(phone.page().text)
    phone.browser.submit(question, other.token)
    assert "You’re in, Joker" in text_in(phone.page().text)


@pytest.mark.parametrize("token", ["", "player.x.y.z", "é.é.é.é"])
def test_broken_links_show_an_error(app: PagesApp, token: str) -> None:
    page = app.browser().get("seat", token=token)
    assert page.status_code == 401
    assert "link is not" in text_in(page.text)


def test_bars_are_as_long_as_the_share_of_the_answers() -> None:
    question = {"type": "choice", "options": [{"id": "a", "text": "Tea"}, {"id": "b", "text": ""}]}
    rows = bars_of(question, {"a": 7}, answers=10)
    assert [(row["count"], row["of"]) for row in rows] == [(7, 10), (0, 10)]
    assert [row["of"] for row in bars_of(question, {}, answers=0)] == [1, 1]
