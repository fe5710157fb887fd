"""Question sets in the API: the original's operations, and sets as resources with ETags."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from singletable_apps.games.formats import SetFormat, read_set, write_set
from singletable_apps.games.questions import SetDraft, Visibility
from tests.apps.games.api.client import Server
from tests.apps.games.support.world import CAPITAL, HOST, LESSON, PRIMES
from tests.apps.support.api_client import Caller

DRAFT = SetDraft("Friday quiz", questions=(CAPITAL, LESSON, PRIMES))
BODY: dict[str, Any] = {
    "name": "Capitals",
    "type": "trivia",
    "questions": [
        {"type": "trivia", "title": "Peru?", "options": ["Quito", "Lima"], "correct": "Lima"}
    ],
}


@pytest.fixture
def set_id(server: Server) -> str:
    return server.world.service.sets.create(HOST, DRAFT).set_id


def other_host(server: Server) -> Caller:
    return server.caller(server.world.service.context.tokens.host_token("a" * 16))


def test_active_sets_are_listed_with_their_categories(server: Server, set_id: str) -> None:
    host, visitor = server.host(), server.caller()
    [listed] = host.get("/question-sets").json()
    assert (listed["setId"], listed["totalQuestions"]) == (set_id, 3)
    assert listed["categories"] == ["Places", "Lessons", "Numbers"]
    assert visitor.get("/question-sets").json() == []
    server.world.service.sets.toggle(HOST, set_id, visibility=Visibility.SHARED)
    assert len(visitor.get("/question-sets").json()) == 1
    host.post(f"/admin/toggle-question-set/{set_id}", {"active": False})
    assert visitor.get("/question-sets").json() == host.get("/question-sets").json() == []
    assert len(host.get("/admin/question-sets").json()) == 1


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
    assert (result["name"], result["format"], result["questionCount"]) == ("Numbers", "trivia", 1)
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


def test_set_is_a_resource_with_an_etag(server: Server) -> None:
    host = server.host()
    made = host.post("/sets", BODY)
    assert made.status_code == 201
    path, tag = made.headers["location"].removeprefix("/api/games"), made.headers["etag"]
    read = host.get(path)
    assert read.json()["questions"][0]["correct"] == ["b"]
    assert host.get(path, headers={"If-None-Match": tag}).status_code == 304
    body = {**BODY, "description": "All of them"}
    assert host.put(path, body).status_code == 428
    saved = host.put(path, body, headers={"If-Match": tag})
    assert (saved.status_code, saved.json()["set_version"]) == (200, 2)
    assert host.put(path, BODY, headers={"If-Match": tag}).status_code == 412
    assert host.delete(path, headers={"If-Match": "*"}).status_code == 204
    assert host.get(path).status_code == 404


def test_template_export_and_schema(server: Server, set_id: str) -> None:
    file = server.caller().get("/admin/download-template")
    assert read_set(file.content, "x").format is SetFormat.LESSONS
    file = server.host().get(f"/sets/{set_id}/export", params={"format": "gift"})
    assert read_set(file.content, "x").format is SetFormat.GIFT
    schema = server.caller().get("/set-schema.json").json()
    assert schema["properties"]["version"]["maximum"] == 1
