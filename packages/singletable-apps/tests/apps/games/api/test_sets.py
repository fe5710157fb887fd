"""Question sets in the API, as resources with ETags."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from singletable_apps.games.formats import SetFormat, read_set
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
    server.world.service.sets.change(
        HOST, set_id, lambda draft: replace(draft, visibility=Visibility.SHARED)
    )
    assert len(visitor.get("/question-sets").json()) == 1
    server.world.service.sets.toggle(HOST, set_id, is_active=False)
    assert visitor.get("/question-sets").json() == host.get("/question-sets").json() == []
    assert len(host.get("/sets").json()) == 1


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
    assert other_host(server).get(path).status_code == 404
    assert other_host(server).put(path, BODY, headers={"If-Match": "*"}).status_code == 404
    assert host.delete(path, headers={"If-Match": "*"}).status_code == 204
    assert host.get(path).status_code == 404


def test_export_and_schema(server: Server, set_id: str) -> None:
    file = server.host().get(f"/sets/{set_id}/export", params={"format": "gift"})
    assert read_set(file.content, "x").format is SetFormat.GIFT
    schema = server.caller().get("/set-schema.json").json()
    assert schema["properties"]["version"]["maximum"] == 1
