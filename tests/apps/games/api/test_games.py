"""Games in the API."""

from __future__ import annotations

from typing import Any

import pytest

from singletable_apps.games.limits import Limits
from singletable_apps.games.phases import Command
from singletable_apps.games.tokens import Role, new_id
from singletable_apps.shared.web import RateLimit
from tests.apps.games.api.client import Server
from tests.apps.games.support.world import CAPITAL, PUBLIC, World
from tests.apps.support.api_client import problem

QUESTION: dict[str, Any] = {
    "type": "trivia",
    "title": "Capital of Peru?",
    "options": ["Quito", "Lima"],
    "correct": "b",
}


def test_created_game_returns_a_token_for_each_role(server: Server) -> None:
    body = {
        "title": "Friday quiz",
        "engagementType": "trivia",
        "questions": [QUESTION],
        "settings": {"readingSeconds": 0, "leaderboard": "end"},
    }
    answer = server.caller().post("/games", body)
    assert answer.status_code == 201
    created = answer.json()
    game_id = created["gameId"]
    assert answer.headers["location"] == f"/api/games/games/{game_id}"
    assert created["joinUrl"] == f"{PUBLIC}/games/join?code={created['joinCode']}"
    for role in ("host", "cohost", "screen", "audience"):
        game = server.caller(created["tokens"][role]).get(f"/games/{game_id}").json()
        assert (game["title"], game["phase"], game["questionCount"]) == (
            "Friday quiz",
            "waiting",
            1,
        )
    settings = server.world.service.context.get_game(game_id).settings
    assert (settings.reading_seconds, settings.leaderboard) == (0, "end")
    server.world.clock.move(seconds=1)
    again = server.caller(created["hostToken"]).post("/games", body).json()
    assert again["hostToken"] == created["hostToken"]
    listed = server.caller(created["hostToken"]).get("/games", params={"limit": 1})
    assert [each["gameId"] for each in listed.json()["items"]] == [again["gameId"]]
    assert listed.json()["next"]
    assert problem(server.caller(created["tokens"]["host"]).get("/games"))[0] == 403


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ({}, ["/questionSetId"]),
        ({"questions": [QUESTION], "questionSetId": new_id()}, ["/questionSetId"]),
        ({"questionSetId": "#"}, ["/questionSetId"]),
        ({"questions": [{**QUESTION, "title": " "}]}, ["/questions/0/title"]),
        ({"questions": [{**QUESTION, "correct": "c"}]}, ["/questions/0/correct"]),
        ({"questions": [{**QUESTION, "options": ["x"] * 9}]}, ["/questions/0/options"]),
        ({"questions": [QUESTION], "engagementType": "poll"}, ["/questions/0/type"]),
        ({"questions": [QUESTION], "title": "x" * 121}, ["/title"]),
        ({"questions": [QUESTION], "accessCode": "x" * 41}, ["/accessCode"]),
        ({"questions": [QUESTION], "settings": {"points": -1}}, ["/settings/points"]),
        ({"questions": [QUESTION], "settings": {"minCell": 0}}, ["/settings/minCell"]),
        ({"questions": [QUESTION], "settings": {"colour": 1}}, ["/settings/colour"]),
        ({"questions": "all"}, ["/questions"]),
    ],
)
def test_invalid_game_is_rejected_by_field(
    server: Server, body: dict[str, Any], places: list[str]
) -> None:
    status, name, found = problem(server.host().post("/games", body))
    assert (status, name, found) == (422, "invalid-request", places)


def test_game_plays_a_saved_set(server: Server) -> None:
    host = server.host()
    draft = {"name": "Capitals", "type": "trivia", "questions": [QUESTION]}
    set_id = host.post("/sets", draft).json()["set_id"]
    created = host.post("/games", {"questionSetId": set_id})
    assert created.status_code == 201
    game = host.get(f"/games/{created.json()['gameId']}").json()
    assert (game["title"], game["engagementType"]) == ("Capitals", "trivia")
    stranger = server.caller().post("/games", {"questionSetId": set_id})
    assert problem(stranger)[2] == ["/questionSetId"]


def test_code_and_id_are_validated(server: Server) -> None:
    game = server.world.game()
    for name in (game.join_code, game.game_id):
        found = server.caller().get(f"/games/{name}/validate")
        assert found.json() == {"exists": True, "gameId": game.game_id, "title": game.title}
    for name in ("12", "x" * 20, new_id()):
        assert server.caller().get(f"/games/{name}/validate").json()["exists"] is False


def test_wrong_codes_are_limited(memory: World) -> None:
    server = Server(memory, Limits(join=None, unknown_game=RateLimit("unknown-game", 2, 60)))
    game = memory.game()
    for _ in range(2):
        assert server.caller().get("/games/123/validate").json()["exists"] is False
    assert problem(server.caller().get("/games/123/validate"))[0] == 429
    assert problem(server.caller().post("/games/123/players", {"name": "Ada"}))[0] == 429
    # Once there were too many, the right one does not help. Ids cannot be guessed.
    assert problem(server.caller().get(f"/games/{game.join_code}/validate"))[0] == 429
    assert server.caller().get(f"/games/{game.game_id}/validate").json()["exists"] is True


def test_host_drives_a_game_with_versions(server: Server) -> None:
    game = server.world.game(CAPITAL)
    host, path = server.host(), f"/games/{game.game_id}"
    state = host.get(f"{path}/state").json()
    assert (state["currentState"], state["phase"], state["version"]) == ("waiting", "waiting", 1)
    started = host.put(f"{path}/state", {"command": "start", "version": 1}).json()
    assert (started["currentState"], started["phase"]) == ("question", "open")
    assert started["playedQuestions"] == ["001"]
    # A second click with the version of the first one changes nothing.
    repeated = host.put(f"{path}/state", {"command": "next", "version": 1}).json()
    assert repeated == started
    assert host.post(f"{path}/start-question").json()["phase"] == "reveal"
    body = {"command": "pause", "version": repeated["version"] + 5}
    assert host.put(f"{path}/state", body).json()["phase"] == "reveal"
    assert problem(host.put(f"{path}/state", {"command": "pause"}))[:2] == (409, "wrong-phase")
    assert problem(host.put(f"{path}/state", {"command": "time-up"}))[0] == 403
    assert problem(host.put(f"{path}/state", {"command": "explode"}))[2] == ["/command"]
    screen = server.seat(game, Role.SCREEN)
    assert problem(screen.put(f"{path}/state", {"command": "next"}))[0] == 403


def test_numbers_and_switches_are_not_guessed_from_other_types(server: Server) -> None:
    game = server.world.game(CAPITAL)
    host, path = server.host(), f"/games/{game.game_id}"
    for version in (False, "1", 1.5):
        sent = host.put(f"{path}/state", {"command": "end", "version": version})
        assert problem(sent) == (422, "invalid-request", ["/version"])
    for name, value in {"lateJoin": 0, "maxPlayers": True, "points": "9"}.items():
        assert problem(host.put(f"{path}/settings", {name: value}))[2] == [f"/{name}"]
    assert host.get(f"{path}/state").json()["phase"] == "waiting"


def test_scores_of_clients_are_rejected(server: Server) -> None:
    game = server.world.game(CAPITAL)
    answer = server.host().post(f"/games/{game.game_id}/scores", {"scores": {"Ada": 9}})
    assert problem(answer)[:2] == (410, "computed-by-server")


def test_title_and_debug_mode_can_be_changed(server: Server) -> None:
    game = server.world.game(CAPITAL)
    host, path = server.host(), f"/games/{game.game_id}"
    assert host.post(f"{path}/update-title", {"eventTitle": "New"}).json()["title"] == "New"
    assert host.post(f"{path}/debug-mode", {"debugMode": True}).json()["debugMode"] is True
    assert problem(host.post(f"{path}/debug-mode", {"debugMode": 7}))[2] == ["/debugMode"]
    long = host.post(f"{path}/update-title", {"eventTitle": "x" * 200})
    assert problem(long)[:2] == (422, "invalid-request")


def test_host_deletes_a_game_and_a_cohost_cannot(server: Server) -> None:
    game = server.world.game(CAPITAL)
    path = f"/games/{game.game_id}"
    assert problem(server.seat(game, Role.COHOST).post(f"{path}/clear"))[0] == 403
    assert server.host().post(f"{path}/clear").status_code == 204
    assert problem(server.host().get(path))[0] == 404
    other = server.world.game(CAPITAL)
    assert server.admin().post(f"/games/{other.game_id}/clear").status_code == 204


def test_view_never_shows_the_solution_before_the_reveal(server: Server) -> None:
    world = server.world
    game = world.game(CAPITAL)
    (ada,) = world.join(game, "Ada")
    world.play(game, Command.START)
    for caller in (
        server.caller(ada.token),
        server.host(),
        server.seat(game, Role.SCREEN),
        server.seat(game, Role.AUDIENCE),
    ):
        view = caller.get(f"/games/{game.game_id}/view").json()["view"]
        assert view["phase"] == "open"
        assert "correct" not in str(view)
    world.play(game, Command.CLOSE)
    view = server.caller(ada.token).get(f"/games/{game.game_id}/view").json()
    assert view["view"]["reveal"]["correct"] == ["b"]
    assert view["me"]["gained"] == 0


def test_token_of_another_game_is_rejected(server: Server) -> None:
    game, other = server.world.game(), server.world.game()
    (ada,) = server.world.join(other, "Ada")
    answer = server.caller(ada.token).get(f"/games/{game.game_id}/view")
    assert problem(answer)[:2] == (401, "not-signed-in")
    assert problem(server.caller("x.y").get(f"/games/{game.game_id}/view"))[0] == 401
