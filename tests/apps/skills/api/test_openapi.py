"""The description says enough to write a client by."""

from __future__ import annotations

from typing import ClassVar

import pytest

from singletable_apps.shared.pages.api_docs import group_by_tag
from singletable_apps.skills.api import API
from tests.apps.skills.api.client import Server, filled_world
from tests.apps.support.openapi import ApiDocument, OpenApiTests, check_examples_have_errors

API_DOCUMENT = ApiDocument(Server(filled_world()).visitor().get("/openapi.json").json(), API)
OPERATIONS = API_DOCUMENT.operations
SCHEMAS = API_DOCUMENT.schemas
SKILL = "/users/{username}/skills/{skill}"


class TestDocument(OpenApiTests):
    api = API_DOCUMENT
    uploads: ClassVar = {"POST /imports"}


@pytest.mark.parametrize("address", OPERATIONS)
def test_every_operation_is_described(address: str) -> None:
    operation = OPERATIONS[address]
    answers = operation["responses"]
    assert "422" not in answers
    assert {"500", "503"} <= set(answers)
    assert "404" in answers or "{" not in address
    needs_token = {} not in operation.get("security", [{}])
    assert not needs_token or {"401", "429"} <= set(answers)
    tags = [each for each in operation.get("parameters", []) if each["name"] == "if-match"]
    assert ("412" in answers) is bool(tags)


def test_problems_have_the_error_of_the_original() -> None:
    check_examples_have_errors(API_DOCUMENT)


def test_operations_of_the_original_exist() -> None:
    original = {
        "POST /register",
        "POST /login",
        "GET /me",
        "POST /users/{username}/skills",
        "GET /users/{username}/skills",
        *(f"{method} {SKILL}" for method in ("GET", "PUT", "DELETE")),
        "GET /skills/{skill}/users",
    }
    assert original <= set(OPERATIONS)
    assert set(OPERATIONS["POST /users/{username}/skills"]["responses"]) >= {"201", "400", "409"}


def test_skills_have_the_attributes_of_the_original() -> None:
    original = (
        "username skill_name proficiency_level years_of_experience endorsements last_used_date "
        "notes created_at updated_at"
    )
    assert set(original.split()) <= set(SCHEMAS["UserSkillBody"]["required"])
    assert set(SCHEMAS["NewUserSkill"]["required"]) == {"skill_name", "proficiency_level"}


def test_problem_types_have_pages() -> None:
    visitor = Server(filled_world()).visitor()
    for name in ("invalid-request", "already-exists", "not-allowed"):
        assert visitor.get(f"/problems/{name}").json()["about"]


def test_examples_of_requests_can_be_sent_as_they_are() -> None:
    operations = [
        each
        for group in group_by_tag(API_DOCUMENT.document, "https://skills.example").values()
        for each in group
    ]
    curl = {f"{each.method} {each.path.removeprefix(API)}": each.curl for each in operations}
    assert "Bearer $TOKEN" in curl[f"GET {SKILL}"]
    assert '"skill_name":"Go"' in curl["POST /users/{username}/skills"].replace(" ", "")
    for address, operation in OPERATIONS.items():
        content = operation.get("requestBody", {}).get("content", {})
        assert ("--json" in curl[address]) is ("application/json" in content)
