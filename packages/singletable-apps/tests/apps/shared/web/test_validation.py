"""Invalid values and texts are reported with their place and a reason."""

from __future__ import annotations

from typing import Annotated

import pytest
from fastapi import APIRouter
from fastapi.testclient import TestClient
from pydantic import BaseModel, Field, JsonValue

from singletable_apps.shared.web import ItemId, Model, api_router, line, make_app, paragraphs
from tests.apps.shared.web.notes import make_client


class Inner(BaseModel):
    age: int = Field(ge=0, le=150, alias="a/g~e")


class Body(BaseModel):
    name: str = Field(max_length=5)
    people: list[Inner] = []
    password: str = Field("", max_length=3)


router = APIRouter()


@router.post("/bodies/{number}")
def take(number: int, body: Body, limit: int = 1) -> None:
    """Accept valid values."""


client = make_client(more=[router])


@pytest.mark.parametrize(
    ("body", "pointer", "words"),
    [
        ({}, "/name", "Field required."),
        ([], "", "got a list of 0."),
        ("text", "", 'got "text".'),
        (None, "", "Field required."),
        ({"name": 4}, "/name", "valid string; got 4."),
        ({"name": None}, "/name", "valid string; got null."),
        ({"name": True}, "/name", "valid string; got true."),
        ({"name": {}}, "/name", "valid string; got an object."),
        ({"name": "too long"}, "/name", 'at most 5 characters; got "too long".'),
        ({"name": "x" * 61}, "/name", "got a string of 61 characters."),
        ({"name": "a", "people": [{"a/g~e": -1}]}, "/people/0/a~1g~0e", "equal to 0; got -1."),
        ({"name": "a", "people": [{"a/g~e": 10**30}]}, "/people/0/a~1g~0e", "got a large number."),
        ({"name": "a", "password": "hunter2"}, "/password", "got a string of 7 characters."),
    ],
)
def test_body_errors_have_json_pointers(body: JsonValue, pointer: str, words: str) -> None:
    answer = client.post("/api/bodies/1", json=body)
    assert answer.status_code == 422
    assert answer.json()["type"] == "/api/problems/invalid-request"
    (fault,) = answer.json()["errors"]
    assert fault["pointer"] == pointer
    assert fault["detail"].endswith(words)


def test_parameter_errors_have_the_name_of_the_parameter() -> None:
    answer = client.post("/api/bodies/one?limit=all", json={"name": "a"})
    assert {fault["parameter"] for fault in answer.json()["errors"]} == {"number", "limit"}


def test_number_of_reported_errors_is_limited() -> None:
    people = [{"a/g~e": -1}] * 1000
    problem = client.post("/api/bodies/1", json={"name": "", "people": people})
    assert len(problem.json()["errors"]) == 20
    assert "1000 errors" in problem.json()["detail"]


texts_router = api_router("notes")


class Draft(Model):
    """A note."""

    title: Annotated[str, line(longest=10, required=True)]
    text: Annotated[str, paragraphs(longest=20)] = ""


@texts_router.post("/notes/{note_id}")
def echo(note_id: ItemId, draft: Draft) -> list[str]:
    return [note_id, draft.title, draft.text]


texts = TestClient(
    make_app("Notes", "1.0", routers=[texts_router]), base_url="https://notes.example"
)


def test_texts_are_normalized() -> None:
    body = {"title": "  Green   tea ", "text": "Hot.\r\n\r\nSweet. "}
    answer = texts.post("/notes/a%2Fb", json=body)
    assert answer.json() == ["a/b", "Green tea", "Hot.\n\nSweet."]


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"title": " "}, 'Please fill this in; got " ".'),
        ({"title": "a" * 11}, "Use at most 10 characters; there are 11 now; got"),
        ({"title": "a", "text": "\x07"}, "Remove the invisible character U+0007"),
    ],
)
def test_invalid_text_is_rejected(body: dict[str, str], detail: str) -> None:
    answer = texts.post("/notes/1", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["detail"].startswith(detail)


# A longer one could not be a key of a table.
def test_long_id_is_rejected() -> None:
    assert texts.post(f"/notes/{'a' * 200}", json={"title": "Tea"}).status_code == 200
    assert texts.post(f"/notes/{'a' * 201}", json={"title": "Tea"}).status_code == 422
