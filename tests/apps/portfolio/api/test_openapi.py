"""The OpenAPI description is complete."""

from __future__ import annotations

from typing import ClassVar

import pytest

from singletable_apps.portfolio.api import API
from singletable_apps.shared.pages.api_docs import group_by_tag
from tests.apps.portfolio.api.client import ADDRESS, make_server
from tests.apps.support.openapi import ApiDocument, OpenApiTests, check_examples_have_errors

API_DOCUMENT = ApiDocument(make_server().visitor().get("/openapi.json").json(), API)
OPERATIONS = API_DOCUMENT.operations
SCHEMAS = API_DOCUMENT.schemas
# If-Match is optional where the original had none.
OPTIONAL_TAG = {"PUT /portfolio", "PUT /blogs/{blog_id}", "DELETE /blogs/{blog_id}"}
REQUIRED_TAG = {
    "PUT /settings",
    "POST /blogs/{blog_id}/history/{number}/restore",
    "PUT /users/{user_id}",
    "DELETE /users/{user_id}",
}


class TestDocument(OpenApiTests):
    api = API_DOCUMENT
    uploads: ClassVar = {"POST /media"}


@pytest.mark.parametrize("address", OPERATIONS)
def test_every_operation_is_described(address: str) -> None:
    operation = OPERATIONS[address]
    answers = operation["responses"]
    assert "422" not in answers
    assert {"500", "503"} <= set(answers)
    assert ("404" in answers) is ("{" in address)
    needs_token = {} not in operation.get("security", [{}])
    assert not needs_token or {"401", "429"} <= set(answers)
    tags = [each for each in operation.get("parameters", []) if each["name"] == "if-match"]
    assert bool(tags) is (address in OPTIONAL_TAG | REQUIRED_TAG)
    assert ("412" in answers) is bool(tags)
    assert ("428" in answers) is (address in REQUIRED_TAG)


@pytest.mark.parametrize("address", OPERATIONS)
def test_every_success_has_the_envelope_of_the_original(address: str) -> None:
    (success,) = (
        answer for status, answer in OPERATIONS[address]["responses"].items() if status < "300"
    )
    name = success["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    assert set(SCHEMAS[name]["required"]) == {"success", "data"}
    assert SCHEMAS[name]["properties"]["success"]["const"] is True


def test_problems_have_the_error_of_the_original() -> None:
    check_examples_have_errors(API_DOCUMENT)


def test_posts_have_the_attributes_of_the_original() -> None:
    original = (
        "blogId title slug featured_image_url tags category author reading_time likes_count "
        "seo_description created_at published_at"
    )
    assert set(original.split()) <= set(SCHEMAS["BlogBody"]["required"])
    assert SCHEMAS["BlogBody"]["properties"]["created_at"]["type"] == "integer"


def test_problem_types_have_pages() -> None:
    visitor = make_server().visitor()
    for name in ("invalid-request", "taken", "switched-off"):
        assert visitor.get(f"/problems/{name}").json()["about"]


def test_examples_of_requests_can_be_sent_as_they_are() -> None:
    operations = [
        each for group in group_by_tag(API_DOCUMENT.document, ADDRESS).values() for each in group
    ]
    curl = {f"{each.method} {each.path.removeprefix(API)}": each.curl for each in operations}
    assert curl["GET /blogs"] == f"curl '{ADDRESS}{API}/blogs'"
    assert curl["GET /search"] == f"curl '{ADDRESS}{API}/search?q={{q}}'"
    assert "-F 'file=@image.jpg' \\\n  -F 'alt=…'" in curl["POST /media"]
    assert "Bearer $TOKEN" in curl["POST /media"]
    for address, operation in OPERATIONS.items():
        content = operation.get("requestBody", {}).get("content", {})
        assert ("--json" in curl[address]) is ("application/json" in content)
