"""Invalid values are reported with their place and a reason."""

from __future__ import annotations

import pytest
from fastapi import APIRouter
from pydantic import BaseModel, Field, JsonValue

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
