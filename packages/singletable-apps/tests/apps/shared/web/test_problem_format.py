"""An API with its own conventions: other statuses and further members."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from singletable_apps.shared.web import (
    IfMatchIfAny,
    Model,
    ProblemMember,
    ProblemType,
    api_router,
    make_app,
)

INVALID = ProblemType("invalid-request", 400, "Invalid request", "See `errors`.")
router = api_router("notes")


class Note(Model):
    """A note."""

    text: str


@router.put("/note")
def put_note(note: Note, edit: IfMatchIfAny) -> Note:
    """Change the note, which has the revision 3."""
    edit.check(3)
    return note


app = make_app(
    "Notes",
    "1",
    routers=[router],
    prefix="/api",
    problem_types=[INVALID],
    problem_members={"error": ProblemMember("In a word.", lambda each: each.type.name)},
)
client = TestClient(app)
document: dict[str, Any] = client.get("/api/openapi.json").json()


def test_own_problem_type_replaces_the_common_one() -> None:
    answer = client.put("/api/note", json={})
    assert (answer.status_code, answer.json()["status"]) == (400, 400)
    assert answer.json()["errors"] == [{"pointer": "/text", "detail": "Field required."}]
    assert client.get("/api/problems/invalid-request").json()["status"] == 400


def test_every_problem_has_the_further_member() -> None:
    answers = [
        client.put("/api/note", json={}),
        client.put("/api/note", content="x", headers={"Content-Type": "text/plain"}),
        client.put("/api/note", content="{", headers={"Content-Type": "application/json"}),
        client.get("/api/none"),
        client.delete("/api/note"),
    ]
    assert [answer.json()["error"] for answer in answers] == [
        "invalid-request",
        "unsupported-media-type",
        "malformed-body",
        "not-found",
        "method-not-allowed",
    ]


def test_document_describes_the_own_type_and_the_member() -> None:
    answers = document["paths"]["/api/note"]["put"]["responses"]
    assert not {"422", "428"} & set(answers)
    examples = answers["400"]["content"]["application/problem+json"]["examples"]
    assert examples["invalid-request"]["value"]["status"] == 400
    assert examples["invalid-request"]["value"]["error"] == "invalid-request"
    problem = document["components"]["schemas"]["Problem"]
    assert problem["properties"]["error"] == {
        "type": "string",
        "description": "In a word.",
    }
    assert "error" in problem["required"]


def test_if_match_may_be_left_out_but_counts_if_sent() -> None:
    statuses = [
        client.put("/api/note", json={"text": "x"}, headers=headers).status_code
        for headers in ({}, {"If-Match": '"3"'}, {"If-Match": '"2"'}, {"If-Match": "2"})
    ]
    assert statuses == [200, 200, 412, 400]
    (header,) = document["paths"]["/api/note"]["put"]["parameters"]
    assert not header["required"]
