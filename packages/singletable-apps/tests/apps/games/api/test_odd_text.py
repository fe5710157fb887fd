"""Odd characters in the texts of games: they are not accepted, and stored ones break no file."""

from __future__ import annotations

from typing import Any

from singletable_apps.games.formats import SetFormat
from singletable_apps.games.phases import Command
from tests.apps.games.api.client import Server
from tests.apps.games.api.test_sets import BODY, DRAFT
from tests.apps.games.pages.client import PagesApp
from tests.apps.games.pages.test_reports import played
from tests.apps.games.support.world import HOST, LESSON
from tests.apps.support.api_client import Caller
from tests.apps.support.odd_text import (
    is_valid_file,
    noncharacters_in,
    odd_bodies,
    store_odd_text,
)


def test_downloads_of_odd_text_are_valid_files(server: Server) -> None:
    world = server.world
    game, set_id = played(world), world.service.sets.create(HOST, DRAFT).set_id
    store_odd_text(world.driver)
    world.service = world.open()
    report, pages = f"/games/{game.game_id}/report", PagesApp(world).browser(host=True)
    files = [server.host().get(f"/sets/{set_id}/export?format={each}") for each in SetFormat]
    for form in ("csv", "xlsx", "json"):
        for table in ("answers", "scores"):
            files.append(server.host().get(f"{report}/{table}?format={form}"))
            files.append(pages.get("host", game.game_id, "report", table, format=form))
    files.append(pages.get("host", game.game_id, "report", "game"))
    assert [each.url for each in files if not is_valid_file(each)] == []


def test_noncharacters_are_not_stored(server: Server) -> None:
    world = server.world
    game = world.game(LESSON)
    (ada,) = world.join(game, "Ada")
    world.play(game, Command.START)
    player, host, own = server.caller(ada.token), server.host(), f"/games/{game.game_id}"
    question: dict[str, Any] = {**BODY["questions"][0], "category": "Places", "detail": "In Peru"}
    texts = {"teams": ["Red", "Blue"], "denyWords": ["bad"]}
    answer = {"type": "answer", "questionId": "001", "text": "Builds"}
    sent: list[tuple[Caller, str, str, dict[str, Any]]] = [
        (player, "POST", f"{own}/players", {"name": "Bob"}),
        (player, "POST", f"{own}/answers", {"questionId": "001", "answer": "B"}),
        (player, "POST", f"{own}/messages", answer),
        (host, "POST", f"{own}/players/{ada.player_id}/rename", {"name": "Bob"}),
        (host, "POST", f"{own}/update-title", {"title": "Quiz"}),
        (host, "POST", "/sets", {**BODY, "questions": [question], "description": "All"}),
        (host, "POST", "/games", {"title": "Quiz", "questions": [question], "aiContext": "Us"}),
        (host, "POST", "/games", {"questions": [question], "settings": texts, "accessCode": "tea"}),
    ]
    for caller, method, path, body in sent:
        for field, odd in odd_bodies(body):
            status = caller.ask(method, path, json=odd).status_code
            assert status < 500, (path, field, status)
    assert noncharacters_in(world.driver) == []
