"""The room of a game in the API: players and moderation."""

from __future__ import annotations

from dataclasses import replace

from singletable_apps.games.phases import Command
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.tokens import Role
from tests.apps.games.api.client import Server
from tests.apps.games.support.world import LESSON, PAINTER, SETTINGS, SURVEY
from tests.apps.support.api_client import problem


def test_host_renames_moves_and_removes_players(server: Server) -> None:
    world = server.world
    game = world.game(settings=replace(SETTINGS, teams=("Red", "Blue")))
    ada, _ = world.join(game, "Ada", "Bob")
    host, path = server.host(), f"/games/{game.game_id}/players/{ada.player_id}"
    taken = host.post(f"{path}/rename", {"name": "bob"})
    assert problem(taken) == (409, "already-exists", ["/name"])
    (first, *_) = taken.json()["suggestions"]
    assert host.post(f"{path}/rename", {"name": first}).json()["name"] == first
    assert host.post(f"{path}/rename", {"name": "Ada"}).status_code == 200
    assert host.post(f"{path}/team", {"team": "blue"}).json()["team"] == "Blue"
    assert problem(host.post(f"{path}/team", {"team": "Pink"}))[2] == ["/team"]
    for _ in range(2):
        assert host.post(f"{path}/remove").json()["isActive"] is False
    me = server.caller(ada.token)
    for answer in (
        me.get(f"/games/{game.game_id}/view"),
        me.post(f"/games/{game.game_id}/players", {"name": "Ada"}),
    ):
        assert problem(answer)[:2] == (403, "room-closed")


def test_answers_are_approved_and_hidden(server: Server) -> None:
    world = server.world
    game = world.game(LESSON, settings=replace(SETTINGS, is_moderated=True))
    phones = world.join(game, "Ada", "Bob", "Cy")
    world.play(game, Command.START)
    for phone in phones:
        phone.answer(text=f"Because of {phone.name}")
    host, path = server.seat(game, Role.COHOST), f"/games/{game.game_id}"
    pending = host.get(f"{path}/view").json()["view"]["host"]["pending"]
    assert {each["text"] for each in pending} == {f"Because of {each.name}" for each in phones}
    for each in pending[:2]:
        decision = f"{path}/answers/001/{each['answerId']}/approve"
        stale = host.post(decision, {"text": "Something else"})
        assert problem(stale) == (422, "invalid-request", ["/text"])
        for _ in range(2):
            decided = host.post(decision, {"text": each["text"]}).json()
            assert (decided["status"], decided["isLate"]) == ("visible", False)
    hidden = f"{path}/answers/001/{pending[2]['answerId']}/hide"
    assert host.post(hidden).json()["status"] == "hidden"
    assert problem(host.post(hidden.replace("/hide", "/burn")))[0] == 422
    world.play(game, Command.CLOSE)
    view = host.get(f"{path}/view").json()["view"]
    assert (view["host"]["pending"], view["host"]["leftOut"], len(view["ballot"])) == ([], 1, 2)
    answer_id = view["ballot"][0]["id"]
    for action in ("hide", "hide", "show", "hide"):
        assert host.post(f"{path}/ballot/{answer_id}/{action}").json() == {"questionId": "001"}
    view = host.get(f"{path}/view").json()["view"]
    assert [each["id"] for each in view["host"]["hidden"]] == [answer_id]
    late = host.post(f"{path}/answers/001/{pending[2]['answerId']}/approve")
    assert problem(late)[:2] == (409, "wrong-phase")


def test_typed_answer_is_accepted_or_rejected(server: Server) -> None:
    game = server.world.game(PAINTER)
    (ada,) = server.world.join(game, "Ada")
    server.world.play(game, Command.START)
    ada.answer(text="Pikasso")
    host, path = server.host(), f"/games/{game.game_id}/ballot/{ada.answer_id()}"
    assert problem(host.post(f"{path}/accept"))[:2] == (409, "wrong-phase")
    server.world.play(game, Command.CLOSE)
    for change, points in (("accept", 1000), ("reject", 0)):
        assert host.post(f"{path}/{change}").json() == {"questionId": "001"}
        assert server.world.totals(game) == {"Ada": points}


def test_small_groups_stay_hidden_after_people_have_answered(server: Server) -> None:
    world = server.world
    game = world.game(*SURVEY[1:3], kind=EngagementType.SURVEY)
    (ada,) = world.join(game, "Ada")
    host, path = server.host(), f"/games/{game.game_id}"
    world.play(game, Command.START)
    ada.answer("yes", question_id="001")
    ada.answer(text="My manager", question_id="002")
    world.play(game, Command.CLOSE)
    assert "My manager" not in host.get(f"{path}/report").text
    assert "My manager" not in host.get(f"{path}/view").text
