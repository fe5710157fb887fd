"""Games in the API."""

from __future__ import annotations

from singletable_apps.games.tokens import new_id
from singletable_apps.shared.web import RateLimit
from tests.apps.games.api.client import Server
from tests.apps.games.api.test_rejected import QUESTION
from tests.apps.games.support.world import CAPITAL, PUBLIC, World
from tests.apps.support.api_client import problem


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
    server.world.clock.advance(seconds=1)
    again = server.caller(created["hostToken"]).post("/games", body).json()
    assert again["hostToken"] == created["hostToken"]
    listed = server.caller(created["hostToken"]).get("/games", params={"limit": 1})
    assert [each["gameId"] for each in listed.json()["items"]] == [again["gameId"]]
    assert listed.json()["next"]
    assert problem(server.caller(created["tokens"]["host"]).get("/games"))[0] == 403


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
    server = Server(memory, {"unknown_game": RateLimit("unknown-game", 2, 60)})
    game = memory.game()
    for left in (1, 0):
        wrong = server.caller().get("/games/123/validate")
        assert wrong.json()["exists"] is False
        assert wrong.headers["RateLimit"].startswith(f'"unknown-game";r={left};')
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
    assert host.put(f"{path}/state", {"command": "next"}).json()["phase"] == "reveal"
    body = {"command": "pause", "version": repeated["version"] + 5}
    assert host.put(f"{path}/state", body).json()["phase"] == "reveal"
    assert problem(host.put(f"{path}/state", {"command": "pause"}))[:2] == (409, "wrong-phase")


def test_title_and_debug_mode_can_be_changed(server: Server) -> None:
    game = server.world.game(CAPITAL)
    host, path = server.host(), f"/games/{game.game_id}"
    assert host.post(f"{path}/update-title", {"eventTitle": "New"}).json()["title"] == "New"
    assert host.post(f"{path}/debug-mode", {"debugMode": True}).json()["debugMode"] is True


def test_token_of_another_game_is_rejected(server: Server) -> None:
    game, other = server.world.game(), server.world.game()
    (ada,) = server.world.join(other, "Ada")
    for token in (ada.token, "x.y"):
        answer = server.caller(token).get(f"/games/{game.game_id}/view")
        assert problem(answer)[:2] == (401, "not-signed-in")
