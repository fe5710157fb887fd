"""Rejected requests of a host: status, type of problem, and the places of what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from singletable_apps.games.tokens import new_id
from tests.apps.games.api.client import Server
from tests.apps.support.api_client import problem

QUESTION: dict[str, Any] = {
    "type": "trivia",
    "title": "Capital of Peru?",
    "options": ["Quito", "Lima"],
    "correct": "b",
}
GAME: dict[str, Any] = {"questions": [QUESTION]}
INVALID, MISSING, DENIED = "422 invalid-request", "404 not-found", "403 not-allowed"


def questions(**changes: Any) -> dict[str, Any]:
    return {"questions": [{**QUESTION, **changes}]}


# The request, with {game} for a game that waits, its body, and the problem: status, type, places.
CASES: list[tuple[str, Any, str]] = [
    ("POST /games", {}, f"{INVALID} /questionSetId"),
    ("POST /games", {**GAME, "questionSetId": new_id()}, f"{INVALID} /questionSetId"),
    ("POST /games", {"questionSetId": "#"}, f"{INVALID} /questionSetId"),
    ("POST /games", questions(title=" "), f"{INVALID} /questions/0/title"),
    ("POST /games", questions(correct="c"), f"{INVALID} /questions/0/correct"),
    ("POST /games", questions(options=["x"] * 9), f"{INVALID} /questions/0/options"),
    ("POST /games", {**GAME, "engagementType": "poll"}, f"{INVALID} /questions/0/type"),
    ("POST /games", {**GAME, "title": "x" * 121}, f"{INVALID} /title"),
    ("POST /games", {**GAME, "accessCode": "x" * 41}, f"{INVALID} /accessCode"),
    ("POST /games", {**GAME, "settings": {"points": -1}}, f"{INVALID} /settings/points"),
    ("POST /games", {**GAME, "settings": {"minCell": 0}}, f"{INVALID} /settings/minCell"),
    ("POST /games", {**GAME, "settings": {"colour": 1}}, f"{INVALID} /settings/colour"),
    ("POST /games", {**GAME, "settings": {"lateJoin": 0}}, f"{INVALID} /settings/lateJoin"),
    ("POST /games", {**GAME, "settings": {"maxPlayers": True}}, f"{INVALID} /settings/maxPlayers"),
    ("POST /games", {**GAME, "settings": {"points": "9"}}, f"{INVALID} /settings/points"),
    ("POST /games", {"questions": "all"}, f"{INVALID} /questions"),
    # Numbers and switches are not guessed from other types.
    ("PUT /games/{game}/state", {"command": "end", "version": False}, f"{INVALID} /version"),
    ("PUT /games/{game}/state", {"command": "end", "version": "1"}, f"{INVALID} /version"),
    ("PUT /games/{game}/state", {"command": "end", "version": 1.5}, f"{INVALID} /version"),
    ("POST /games/{game}/debug-mode", {"debugMode": 7}, f"{INVALID} /debugMode"),
    ("POST /games/{game}/update-title", {"eventTitle": "x" * 200}, f"{INVALID} /title"),
    ("PUT /games/{game}/state", {"command": "explode"}, f"{INVALID} /command"),
    ("PUT /games/{game}/state", {"command": "time-up"}, DENIED),
    ("GET /games/{game}/players?cursor=forged", None, "400 cursor-refused cursor"),
    ("POST /games/{game}/players/nobody/remove", None, MISSING),
    ("POST /sets", {"name": "C", **questions(title="")}, f"{INVALID} /questions/0/title"),
    ("POST /sets", {"name": "C", **questions(correct="z")}, f"{INVALID} /questions/0/correct"),
    ("POST /sets", {"name": "C", **GAME, "colour": "red"}, f"{INVALID} /colour"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "body", "expected"), CASES)
def test_request_is_rejected(server: Server, line: str, body: Any, expected: str) -> None:
    game = server.world.game()
    method, _, path = line.replace("{game}", game.game_id).partition(" ")
    more = {} if body is None else {"json": body}
    status, kind, places = problem(server.host().ask(method, path, **more))
    assert " ".join((f"{status} {kind}", *places)).rstrip() == expected
    assert server.world.service.context.get_game(game.game_id).revision == game.revision
    assert server.world.service.context.get_state(game.game_id).phase == "waiting"
