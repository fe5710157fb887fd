"""The original app's operations, where they have other names than ours."""

from __future__ import annotations

import base64
from dataclasses import replace

import pytest

from singletable_apps.games.formats import SetFormat, read_set, write_set
from singletable_apps.games.phases import Command
from singletable_apps.games.questions import EngagementType, SetDraft
from tests.apps.games.api.client import Server
from tests.apps.games.support.world import CAPITAL, HOST, LESSON, PRIMES, SETTINGS, SURVEY
from tests.apps.support.api_client import Caller, problem

DRAFT = SetDraft("Friday quiz", questions=(CAPITAL, LESSON, PRIMES))


@pytest.fixture
def set_id(server: Server) -> str:
    return server.world.service.sets.create(HOST, DRAFT).set_id


def other_host(server: Server) -> Caller:
    return server.caller(server.world.service.context.tokens.host_token("a" * 16))


def test_host_goes_on_and_scores_come_from_the_server(server: Server) -> None:
    game = server.world.game()
    host, path = server.host(), f"/games/{game.game_id}"
    state = host.post(f"{path}/start-question").json()
    again = {"version": state["version"] - 1}
    assert host.post(f"{path}/start-question", again).json()["version"] == state["version"]
    assert problem(host.post(f"{path}/scores"))[:2] == (410, "computed-by-server")


def test_host_reads_anonymous_answers_and_votes_without_names(server: Server) -> None:
    world = server.world
    game = world.game(LESSON)
    ada, bob, _ = phones = world.join(game, "Ada", "Bob", "Cyd")
    world.play(game, Command.START)
    for number, phone in enumerate(phones):
        phone.answer(text=f"Text {number}")
    host, path = server.host(), f"/games/{game.game_id}"
    me = server.caller(ada.token)
    assert [each["answer"] for each in me.get(f"{path}/answers").json()["answers"]] == ["Text 0"]
    shown = host.get(f"{path}/answers").json()
    assert (shown["count"], {each["playerName"] for each in shown["answers"]}) == (3, {""})
    assert problem(me.get(f"{path}/answers", params={"questionId": "007"}))[0] == 404
    world.play(game, Command.CLOSE)
    for phone in phones:
        phone.vote(*(each.answer_id() for each in phones if each is not phone))
    own = server.caller(bob.token).get(f"{path}/votes").json()
    assert [each["rank"] for each in own["votes"]] == [1, 2]
    every = host.get(f"{path}/votes").json()
    assert (every["count"], {each["playerName"] for each in every["votes"]}) == (3, {""})
    world.play(game, Command.CLOSE)
    named = host.get(f"{path}/answers").json()["answers"]
    assert {each["playerName"] for each in named} == {"Ada", "Bob", "Cyd"}


def test_order_and_time_of_anonymous_answers_do_not_reveal_authors(server: Server) -> None:
    world = server.world
    game = world.game(SURVEY[2], kind=EngagementType.SURVEY, settings=replace(SETTINGS, min_cell=2))
    phones = world.join(game, *(f"Player {number}" for number in range(8)))
    world.play(game, Command.START)
    # Items are stored in the order of player ids, which hosts know.
    for number, phone in enumerate(sorted(phones, key=lambda each: each.player_id)):
        phone.answer(text=f"Text {9 - number}", question_id="001")
        world.clock.advance(seconds=1)
    path, host = f"/games/{game.game_id}/answers", server.host()
    assert host.get(path, params={"questionId": "001"}).json()["isHidden"]
    world.play(game, Command.CLOSE)
    shown = host.get(path, params={"questionId": "001"}).json()["answers"]
    assert [each["answer"] for each in shown] == [f"Text {number}" for number in range(2, 10)]
    assert len({each["submittedAt"] for each in shown}) == 1


def test_answers_of_a_small_survey_are_hidden(server: Server) -> None:
    world = server.world
    settings = replace(SETTINGS, min_cell=2)
    game = world.game(SURVEY[2], kind=EngagementType.SURVEY, settings=settings)
    (ada,) = world.join(game, "Ada")
    world.play(game, Command.START)
    ada.answer(text="Less noise", question_id="001")
    world.play(game, Command.CLOSE)
    shown = server.host().get(f"/games/{game.game_id}/answers", params={"questionId": "001"})
    assert shown.json() == {"count": 1, "isHidden": True, "answers": []}


def test_administrator_deletes_games(server: Server) -> None:
    game, admin = server.world.game(), server.admin()
    assert [admin.post(f"/admin/clear-game/{game.game_id}").status_code for _ in "12"] == [204, 404]
    assert admin.post("/admin/clear-all-games", {"confirm": "yes"}).status_code == 422
    done = admin.post("/admin/clear-all-games", {"confirm": "delete all games"})
    assert done.json() == {"isComplete": True}


def test_categories_and_questions_of_a_set(server: Server, set_id: str) -> None:
    host = server.host()
    counts = host.get(f"/question-sets/{set_id}/categories").json()
    assert [(each["name"], each["questionCount"]) for each in counts] == [
        *(("Places", 1), ("Lessons", 1), ("Numbers", 1)),
    ]
    query = {"setId": set_id, "categories": "Numbers, Lessons"}
    found = host.get("/questions", params=query).json()
    assert [each["title"] for each in found] == [LESSON.title, PRIMES.title]
    assert other_host(server).get("/questions", params=query).status_code == 404


def test_upload_creates_a_set_and_reports_rows_left_out(server: Server) -> None:
    text = "Category,Question,OptionA,OptionB,CorrectAnswer\nA,One?,1,2,B\nA,Two?,1,2,9\n"
    body = {"fileName": "quiz.csv", "fileContent": text, "customTitle": "Numbers"}
    made = server.host().post("/admin/upload-questions", body)
    assert made.status_code == 201
    result = made.json()
    assert (result["name"], result["format"], result["questionCount"]) == ("Numbers", "csv", 1)
    assert [(each["row"], each["column"]) for each in result["errors"]] == [(3, "CorrectAnswer")]
    again = server.host().post("/admin/upload-questions", body)
    assert (again.status_code, again.json()["errors"][0]["pointer"]) == (409, "/name")
    file = base64.b64encode(write_set(DRAFT, SetFormat.KAHOOT)).decode()
    body = {"fileName": "k.xlsx", "fileContent": file, "encoding": "base64"}
    assert server.host().post("/admin/upload-questions", body).json()["questionCount"] == 2


def test_set_is_edited_and_deleted_as_in_the_original(server: Server, set_id: str) -> None:
    host = server.host()
    edited = host.post(
        f"/admin/edit-question-set/{set_id}", {"name": "Quiz", "customInstruction": "Go."}
    ).json()
    assert (edited["name"], edited["customInstructions"]) == ("Quiz", "Go.")
    for path in ("toggle-question-set", "edit-question-set", "delete-question-set"):
        body = {"active": True} if path.startswith("toggle") else {}
        stranger = other_host(server).post(f"/admin/{path}/{set_id}", body)
        assert stranger.status_code == 404
    assert server.admin().post(f"/admin/delete-question-set/{set_id}").status_code == 204
    assert host.get("/admin/question-sets").json() == []


def test_template_is_a_file_that_can_be_uploaded(server: Server) -> None:
    file = server.caller().get("/admin/download-template")
    assert read_set(file.content, "x").draft.questions
