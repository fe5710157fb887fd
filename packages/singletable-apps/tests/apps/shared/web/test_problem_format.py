"""An API with its own conventions: other statuses."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from singletable_apps.shared.web import (
    IfMatch,
    Model,
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
def put_note(note: Note, edit: IfMatch) -> Note:
    """Change the note, which has the revision 3."""
    edit.check(3)
    return note


app = make_app(
    "Notes",
    "1",
    routers=[router],
    prefix="/api",
    problem_types=[INVALID],
)
client = TestClient(app)
ANY = {"If-Match": "*"}
document: dict[str, Any] = client.get("/api/openapi.json").json()


def test_own_problem_type_replaces_the_common_one() -> None:
    answer = client.put("/api/note", json={}, headers=ANY)
    assert (answer.status_code, answer.json()["status"]) == (400, 400)
    assert answer.json()["errors"] == [{"pointer": "/text", "detail": "Field required."}]
    assert client.get("/api/problems/invalid-request").json()["status"] == 400


def test_document_describes_the_own_type() -> None:
    answers = document["paths"]["/api/note"]["put"]["responses"]
    assert "422" not in answers
    examples = answers["400"]["content"]["application/problem+json"]["examples"]
    assert examples["invalid-request"]["value"]["status"] == 400
