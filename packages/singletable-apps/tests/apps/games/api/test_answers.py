"""Players, answers and votes in the API."""

from __future__ import annotations

from singletable_apps.games.phases import Command
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.tokens import new_id
from singletable_apps.shared.web import RateLimit
from tests.apps.games.api.client import Server
from tests.apps.games.support.world import CAPITAL, LESSON, SURVEY, World
from tests.apps.support.api_client import Caller, problem


def test_player_joins_by_code_and_comes_back_with_the_token(server: Server) -> None:
    game = server.world.game(CAPITAL)
    joined = server.caller().post(f"/games/{game.join_code}/players", {"name": "Ada 🦊 #1"})
    assert joined.status_code == 201
    ada = joined.json()
    assert (ada["name"], ada["rejoined"]) == ("Ada 🦊 #1", False)
    back = server.caller(ada["token"]).post(f"/games/{game.game_id}/players", {"name": "Eve"})
    assert back.status_code == 200
    assert back.json() == {**ada, "rejoined": True}
    # A name alone is not enough to be somebody.
    taken = server.caller().post(f"/games/{game.game_id}/players", {"name": "ADA 🦊 #1"})
    assert problem(taken) == (409, "already-exists", ["/name"])
    (listed,) = server.host().get(f"/games/{game.game_id}/players").json()["items"]
    assert (listed["playerId"], listed["totalScore"]) == (ada["playerId"], 0)
    assert "token" not in listed


def test_players_are_listed_in_pages(server: Server) -> None:
    game = server.world.game()
    server.world.join(game, "Ada", "Bob", "Cy")
    path, host = f"/games/{game.game_id}/players", server.host()
    first = host.get(path, params={"limit": 2})
    assert [each["name"] for each in first.json()["items"]] == ["Ada", "Bob"]
    assert 'rel="next"' in first.headers["link"]
    last = host.get(path, params={"limit": 2, "cursor": first.json()["next"]}).json()
    assert ([each["name"] for each in last["items"]], last["next"]) == (["Cy"], None)


def test_wrong_access_codes_are_limited(memory: World) -> None:
    server = Server(memory, {"wrong_code": RateLimit("wrong-code", 1, 60)})
    game = memory.game(CAPITAL, access_code="tea")
    path, body = f"/games/{game.game_id}/players", {"name": "Ada", "accessCode": "x"}
    assert problem(server.caller().post(path, body))[2] == ["/accessCode"]
    assert problem(server.caller().post(path, body))[0] == 429
    # Otherwise one could guess on and see which code is accepted.
    assert problem(server.caller().post(path, {**body, "accessCode": "Tea"}))[0] == 429


def test_answer_is_accepted_once_and_shown_to_its_player(server: Server) -> None:
    world = server.world
    game = world.game(CAPITAL)
    phone, other = world.join(game, "Ada", "Bob")
    ada, path = server.caller(phone.token), f"/games/{game.game_id}/answers"
    body = {"questionId": "001", "choices": ["b"], "clientId": "a1"}
    assert problem(ada.post(path, body))[:2] == (409, "wrong-phase")
    world.play(game, Command.START)
    first = ada.post(path, body).json()
    assert (first["outcome"], first["answer"]["choices"]) == ("accepted", ["b"])
    assert ada.post(path, {**body, "choices": ["a"]}).json()["answer"]["choices"] == ["b"]
    assert problem(ada.post(path, {**body, "questionId": "#"}))[0] == 409
    assert problem(server.caller(other.token).post(path, {**body, "choices": ["z"]})) == (
        422,
        "invalid-request",
        ["/choices"],
    )
    world.play(game, Command.CLOSE)
    players = ada.get(f"/games/{game.game_id}/players").json()["items"]
    assert {each["name"]: each["totalScore"] for each in players} == {"Ada": 1000, "Bob": 0}


def test_votes_rank_the_answers_of_others(server: Server) -> None:
    world = server.world
    game = world.game(LESSON)
    phones = world.join(game, "Ada", "Bob", "Cy")
    world.play(game, Command.START)
    callers = [server.caller(phone.token) for phone in phones]
    for caller, text in zip(callers, ("Meetings", "Builds", "Reviews"), strict=True):
        body = {"questionId": "001", "answer": text}
        assert caller.post(f"/games/{game.game_id}/answers", body).json()["outcome"] == "accepted"
    empty = callers[0].post(f"/games/{game.game_id}/answers", {"questionId": "001"})
    assert problem(empty)[2] == ["/answer"]
    world.play(game, Command.CLOSE)
    path = f"/games/{game.game_id}/votes"

    def ballot(caller: Caller) -> list[str]:
        me = caller.get(f"/games/{game.game_id}/view").json()["me"]
        return [each["id"] for each in me["ballot"]]

    for caller in callers:
        sent = {"questionId": "001", "ranking": ballot(caller)}
        assert caller.post(path, sent).json() == {"outcome": "accepted"}
    wrong = callers[0].post(path, {"questionId": "001", "ranking": [new_id()]})
    assert problem(wrong) == (422, "invalid-request", ["/ranking"])


def test_votes_outside_of_questions_are_answered(server: Server) -> None:
    world = server.world
    waiting = world.game(LESSON)
    survey = world.game(*SURVEY, kind=EngagementType.SURVEY)
    world.play(survey, Command.START)
    for game in (waiting, survey):
        (ada,) = world.join(game, "Ada")
        vote = {"questionId": "001", "ranking": []}
        sent = server.caller(ada.token).post(f"/games/{game.game_id}/votes", vote)
        assert problem(sent)[:2] == (409, "wrong-phase")
        assert server.host().get(f"/games/{game.game_id}/view").is_success


# One player must not delay the answers of the others, with or without a socket.
def test_answers_of_one_player_are_limited(memory: World) -> None:
    server = Server(memory, {"answer": RateLimit("answer", 2, 60)})
    game = memory.game(LESSON)
    ada, bob = (server.caller(each.token) for each in memory.join(game, "Ada", "Bob"))
    memory.play(game, Command.START)
    path, body = f"/games/{game.game_id}/answers", {"questionId": "001", "answer": "Meetings"}
    assert [ada.post(path, body).status_code for _ in range(3)] == [200, 200, 429]
    vote = {"questionId": "001", "ranking": list[str]()}
    assert ada.post(f"/games/{game.game_id}/votes", vote).status_code == 429
    assert bob.post(path, body).status_code == 200
