"""Host a game without scripts, and who can open which screen."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from singletable_apps.games.entities import Game
from singletable_apps.games.pages.host import address_warning
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.tokens import Role
from tests.apps.games.pages.client import PagesApp
from tests.apps.games.support.world import (
    CAPITAL,
    LESSON,
    LUNCH,
    PAINTER,
    SETTINGS,
    SURVEY,
    Phone,
)
from tests.apps.support.browser import Browser

JSON = {"Accept": "application/json"}


def phase_of(app: PagesApp, game: Game) -> Phase:
    return app.world.service.context.get_state(game.game_id).phase


def config_of(page: httpx2.Response) -> dict[str, Any]:
    text = page.text.partition('id="config">')[2].partition("</script>")[0]
    config: dict[str, Any] = json.loads(text)
    return config


def press(browser: Browser, game: Game, text: str) -> httpx2.Response:
    """Press a button of the host's screen, and answer yes if it asks."""
    page = browser.get("host", game.game_id)
    assert page.status_code == 200, page.text
    before, found, _ = html.unescape(page.text).partition(f">{text}</button>")
    assert found, f"no button {text}"
    form = before.rpartition("<form")[2]
    fields = dict(re.findall(r'<input[^>]* name="([^"]*)" value="([^"]*)"', form))
    action = form.partition('action="')[2].partition('"')[0]
    answer = browser.post(action, fields)
    if answer.status_code == 200:
        answer = browser.submit(answer, "/command")
    return answer


def seated(app: PagesApp, game: Game, role: Role) -> Browser:
    browser = app.browser()
    service = app.world.service
    browser.open(service.context.urls.seat(service.context.issue_seat(game, role)))
    return browser


def player_browser(app: PagesApp, phone: Phone) -> Browser:
    browser = app.browser()
    urls = app.world.service.context.urls
    for path in (urls.host(phone.game_id), urls.screen(phone.game_id)):
        browser.http.cookies.set("games_seat", phone.token, path=path)
    return browser


def test_game_is_hosted_by_buttons_alone(app: PagesApp) -> None:
    game = app.world.game(CAPITAL, LESSON)
    ada, bob = app.world.join(game, "Ada", "Bob")
    browser = app.browser(host=True)
    press(browser, game, "Start")
    assert phase_of(app, game) is Phase.OPEN
    ada.answer("b")
    answer = press(browser, game, "Close answers")
    assert answer.status_code == 303
    assert phase_of(app, game) is Phase.REVEAL
    press(browser, game, "Leaderboard")
    press(browser, game, "Next question")
    press(browser, game, "Pause")
    assert phase_of(app, game) is Phase.PAUSED
    press(browser, game, "Continue")
    ada.answer(text="Meetings")
    bob.answer(text="Mail")
    press(browser, game, "Close answers and vote")
    assert phase_of(app, game) is Phase.VOTING
    press(browser, game, "Show results")
    press(browser, game, "Leaderboard")
    press(browser, game, "Finish the game")
    assert phase_of(app, game) is Phase.ENDED
    assert "Open the report" in browser.get("host", game.game_id).text


def test_closing_needs_confirmation_until_half_have_answered(app: PagesApp) -> None:
    game = app.world.game(CAPITAL, CAPITAL)
    ada, bob, _ = app.world.join(game, "Ada", "Bob", "Cy")
    app.world.play(game, Command.START)
    ada.answer("b")
    browser = app.browser(host=True)
    path = app.world.service.context.urls.host(game.game_id, "command")
    question = browser.post(path, {"command": "next"})
    assert "Only 1 of 3 players have answered. Close anyway?" in question.text
    assert phase_of(app, game) is Phase.OPEN
    browser.submit(question, "/command")
    assert phase_of(app, game) is Phase.REVEAL
    app.world.play(game, Command.NEXT, Command.NEXT)
    ada.answer("b")
    bob.answer("b")
    browser.post(path, {"command": "next"})
    assert phase_of(app, game) is Phase.REVEAL


def test_host_is_asked_before_answers_that_wait_are_left_out(app: PagesApp) -> None:
    game = app.world.game(LESSON, settings=replace(SETTINGS, is_moderated=True))
    (ada,) = app.world.join(game, "Ada")
    app.world.play(game, Command.START)
    ada.answer(text="Meetings")
    app.world.play(game, Command.CLOSE)
    browser = app.browser(host=True)
    path = app.world.service.context.urls.host(game.game_id, "command")
    assert "Go on without 1 answer?" in browser.post(path, {"command": "next"}).text
    browser.post(
        app.world.service.context.urls.host(game.game_id, "answers"), {"decision": "approve-all"}
    )
    browser.post(path, {"command": "next"})
    assert "Meetings" in browser.get("host", game.game_id).text
    assert phase_of(app, game) is Phase.REVEAL


def test_stale_command_and_unknown_one_are_ignored(app: PagesApp) -> None:
    game = app.world.game(CAPITAL, LUNCH)
    version = app.world.service.context.get_state(game.game_id).version
    browser = app.browser(host=True)
    path = app.world.service.context.urls.host(game.game_id, "command")
    for _ in range(2):
        browser.post(path, {"command": "next", "version": str(version), "sure": "on"})
    assert phase_of(app, game) is Phase.OPEN
    assert "no such command" in browser.flash(browser.post(path, {"command": "time-up"}))
    assert "no such command" in browser.flash(browser.post(path, {"command": "x" * 9_999}))
    assert "does nothing now" in browser.flash(browser.post(path, {"command": "resume"}))


def test_script_gets_an_empty_answer_or_a_problem(app: PagesApp) -> None:
    game = app.world.game()
    browser = app.browser(host=True)
    app.activate()
    path = app.world.service.context.urls.host(game.game_id, "command")
    origin = {"Origin": "http://games.example", "Sec-Fetch-Site": "same-origin"}
    good = browser.http.post(path, data={"command": "start"}, headers=JSON | origin)
    assert good.status_code == 204
    bad = browser.http.post(path, data={"command": "resume"}, headers=JSON | origin)
    assert bad.status_code == 409
    assert "does nothing now" in bad.json()["detail"]


def test_screens_are_for_their_roles_only(app: PagesApp) -> None:
    game = app.world.game()
    (ada,) = app.world.join(game, "Ada")
    screen, cohost = seated(app, game, Role.SCREEN), seated(app, game, Role.COHOST)
    audience, player = seated(app, game, Role.AUDIENCE), player_browser(app, ada)
    opened = {
        name: [browser.get(page, game.game_id).status_code for page in ("host", "screen")]
        for name, browser in {
            "host": app.browser(host=True),
            "cohost": cohost,
            "screen": screen,
            "player": player,
            "audience": audience,
            "nobody": app.browser(),
        }.items()
    }
    assert opened["host"] == [200, 200]
    assert opened["cohost"][0] == 200
    # The report is for co-hosts, too; the next game of the players is not theirs to choose.
    assert cohost.get("host", game.game_id, "report").status_code == 200
    app.world.play(game, Command.START, Command.END)
    assert "same players" in app.browser(host=True).get("host", game.game_id).text
    assert "same players" not in cohost.get("host", game.game_id).text
    cohost.submit(cohost.get("new", after=game.game_id), "/new", start="library:trivia-night")
    assert not app.world.service.context.get_game(game.game_id).next_game
    assert opened["screen"] == [401, 200]
    assert opened["player"] == [403, 403]
    assert opened["audience"] == [401, 401]
    assert opened["nobody"] == [401, 401]


def test_screen_cannot_command_and_has_no_answers_of_others(app: PagesApp) -> None:
    game = app.world.game()
    urls = app.world.service.context.urls
    browser = app.browser(host=True)
    app.world.play(game, Command.START)
    config = config_of(browser.get("screen", game.game_id))
    assert "host" not in config["view"]
    assert "correct" not in json.dumps(config["view"])
    seat = app.world.service.context.tokens.read_seat(config["token"])
    assert seat.role is Role.SCREEN
    stranger = app.browser()
    stranger.http.cookies.set("games_seat", config["token"], path=urls.host(game.game_id))
    assert stranger.post(urls.host(game.game_id, "command"), {"command": "end"}).status_code == 403
    assert phase_of(app, game) is Phase.OPEN


def test_reload_shows_the_running_phase_in_every_phase(app: PagesApp) -> None:
    game = app.world.game(LESSON, CAPITAL)
    ada, bob = app.world.join(game, "Ada", "Bob")
    browser = app.browser(host=True)
    for phase in (Phase.WAITING, Phase.OPEN, Phase.VOTING, Phase.REVEAL, Phase.LEADERBOARD):
        app.world.play_to(game, phase)
        for page in ("host", "screen"):
            config = config_of(browser.get(page, game.game_id))
            assert config["view"]["phase"] == phase
        if phase is Phase.OPEN:
            ada.answer(text="Meetings")
            bob.answer(text="Mail")


def test_host_manages_the_room_and_its_players(app: PagesApp) -> None:
    game = app.world.game(replace(CAPITAL, category=""), LUNCH)
    ada, bob = app.world.join(game, "Ada", "Bob")
    context, browser = app.world.service.context, app.browser(host=True)
    path = context.urls.host
    press(browser, game, "Lock the room")
    assert context.get_game(game.game_id).is_locked
    browser.post(path(game.game_id, "room"), {"title": "New", "access_code": "sesame"})
    changed = context.get_game(game.game_id)
    assert (changed.title, changed.access_code, changed.is_locked) == ("New", "sesame", True)
    assert "No category" in browser.get("host", game.game_id).text
    browser.post(path(game.game_id, "categories"), {"category": ["Polls"]})
    assert context.get_game(game.game_id).active_categories == ["Polls"]
    rename = path(game.game_id, "players", ada.player_id)
    assert "Saved" in browser.flash(browser.post(rename, {"name": "Grace"}))
    assert "already" in browser.flash(browser.post(rename, {"name": "Bob"}))
    assert context.get_player(game.game_id, ada.player_id).name == "Grace"
    question = browser.get("host", game.game_id, "players", bob.player_id, "remove")
    browser.submit(question, "remove")
    assert not context.get_player(game.game_id, bob.player_id).is_active


def test_links_are_replaced_by_the_host_after_a_question(app: PagesApp) -> None:
    game = app.world.game()
    screen, cohost = seated(app, game, Role.SCREEN), seated(app, game, Role.COHOST)
    path = app.world.service.context.urls.host(game.game_id, "links", "screen")
    assert cohost.post(path).status_code == 404
    browser = app.browser(host=True)
    question = browser.get("host", game.game_id, "links", "screen")
    assert screen.get("screen", game.game_id).status_code == 200
    browser.submit(question, "/screen")
    assert screen.get("screen", game.game_id).status_code == 401
    wrong = app.world.service.context.urls.host(game.game_id, "links", "admin")
    assert browser.post(wrong).status_code == 404


def test_survey_results_are_shared_by_question(app: PagesApp) -> None:
    game = app.world.game(*SURVEY, kind=EngagementType.SURVEY)
    app.world.play(game, Command.START, Command.NEXT)
    browser = app.browser(host=True)
    page = browser.get("host", game.game_id)
    browser.submit(page, "/share", question=["001", "003", "999"])
    assert app.world.service.context.get_state(game.game_id).shared == ["001", "003"]


def test_answers_are_approved_hidden_and_shown_again(app: PagesApp) -> None:
    game = app.world.game(LESSON, settings=replace(SETTINGS, is_moderated=True))
    ada, bob, eve = app.world.join(game, "Ada", "Bob", "Eve")
    app.world.play(game, Command.START)
    for phone in (ada, bob, eve):
        phone.answer(text=f"Of {phone.name}")
    browser = app.browser(host=True)
    path = app.world.service.context.urls.host(game.game_id, "answers")
    for phone, decision in ((ada, "approve"), (bob, "approve"), (eve, "hide")):
        sent = {"answer": phone.answer_id(), "question": "001", "text": f"Of {phone.name}"}
        assert not browser.flash(browser.post(path, {**sent, "decision": decision}))
    assert "changed" in browser.flash(browser.post(path, {**sent, "text": "x", "decision": "hide"}))
    assert "Approve" in browser.flash(browser.post(path, {**sent, "decision": "burn"}))
    for wrong in ({"answer": ""}, {"question": "\0"}, {"answer": "😀" * 999}):
        answer = browser.post(path, {**sent, "decision": "hide", **wrong})
        assert "no such answer" in browser.flash(answer)
    app.world.play(game, Command.NEXT)
    view = config_of(browser.get("host", game.game_id))["view"]
    assert {each["text"] for each in view["ballot"]} == {"Of Ada", "Of Bob"}
    answer = view["ballot"][0]
    for decision, count in (("hide", 1), ("show", 2)):
        browser.post(path, {"answer": answer["id"], "decision": decision})
        view = config_of(browser.get("screen", game.game_id))["view"]
        assert len(view["ballot"]) == count
    assert "no such answer" in browser.flash(
        browser.post(path, {"answer": "x", "decision": "hide"})
    )


def test_typed_answer_is_accepted_and_shown(app: PagesApp) -> None:
    world, browser = app.world, app.browser(host=True)
    game = world.game(PAINTER, settings=replace(SETTINGS, is_moderated=True))
    (ada,) = world.join(game, "Ada")
    world.play(game, Command.START)
    ada.answer(text="Pikasso")
    world.play(game, Command.CLOSE)
    path = world.service.context.urls.host(game.game_id, "answers")
    assert "Accept as correct" in browser.get("host", game.game_id).text
    sent = {"answer": ada.answer_id(), "question": "001", "text": "Pikasso", "decision": "accept"}
    assert not browser.flash(browser.post(path, sent))
    world.play(game, Command.NEXT)
    reveal = config_of(browser.get("host", game.game_id))["view"]["reveal"]
    assert [(each["text"], each["isAccepted"]) for each in reveal["texts"]] == [("Pikasso", True)]


def test_teams_are_balanced_and_players_moved(app: PagesApp) -> None:
    game = app.world.game(settings=replace(SETTINGS, teams=("Owls", "Foxes")))
    service = app.world.service
    players = [
        service.players.join(game.game_id, name, team="Owls").player for name in ("Ada", "Bob")
    ]
    browser = app.browser(host=True)
    path = service.context.urls.host
    browser.post(path(game.game_id, "teams"))
    teams = [service.context.get_player(game.game_id, each.player_id).team for each in players]
    assert sorted(teams) == ["Foxes", "Owls"]
    one = path(game.game_id, "players", players[0].player_id)
    browser.post(one, {"name": "Ada", "team": "Foxes"})
    assert service.context.get_player(game.game_id, players[0].player_id).team == "Foxes"
    assert "Choose a team" in browser.flash(browser.post(one, {"name": "Ada", "team": "Bears"}))


def test_everyone_goes_on_to_the_next_game(app: PagesApp) -> None:
    game = app.world.game(CAPITAL)
    host, phone, screen = app.browser(host=True), app.browser(), app.browser()
    phone.submit(phone.get("play", game.game_id, "join"), "/join", name="Ada")
    context = app.world.service.context
    screen.open(context.urls.seat(context.issue_seat(game, Role.SCREEN)))
    app.world.play(game, Command.END)
    again = host.submit(host.get("host", game.game_id), "/again")
    made = context.get_game(game.game_id).next_game
    assert host.follow(again).url.path.endswith(f"host/{made}")
    for browser, place in ((phone, "play"), (screen, "screen")):
        opened = browser.get(place, game.game_id, "next")
        assert (opened.status_code, opened.url.path) == (200, f"/games/{place}/{made}")
    assert [each.name for each in app.world.service.game_store.list_players(made)] == ["Ada"]
    # Another set for the same players.
    form = host.get("new", after=made)
    host.submit(form, "/new", start="library:trivia-night")
    assert context.get_game(made).next_game


@pytest.mark.parametrize(
    ("url", "is_warned"),
    [
        ("http://127.0.0.1:8000/games/join?code=123456", True),
        ("http://localhost:8000/games/join", True),
        ("http://192.168.1.20:8000/games/join", False),
        ("https://games.example/games/join", False),
    ],
)
def test_host_is_warned_if_phones_cannot_open_the_address(url: str, is_warned: bool) -> None:
    warning = address_warning(url)
    assert ("--host 0.0.0.0" in warning, ":8000." in warning) == (is_warned, is_warned)
