"""The OpenAPI document of every app is complete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import Engine
from singletable_apps.elections.app import APP as ELECTIONS
from singletable_apps.shared.pages.api_docs import group_by_tag
from singletable_apps.shared.web import make_app
from tests.apps.elections.api import client as elections
from tests.apps.games.api import client as games
from tests.apps.games.support.world import World
from tests.apps.polls.api import client as polls
from tests.apps.portfolio.api import client as portfolio
from tests.apps.skills.api import client as skills
from tests.apps.support.openapi import ApiDocument

# OpenAPI is nested JSON of many shapes.
Json: TypeAlias = dict[str, Any]
ADDRESS = "https://apps.example"
APPS: dict[str, Callable[[], FastAPI]] = {
    "elections": lambda: elections.make_api().app,
    "games": lambda: games.Server(World(Engine.in_memory())).app,
    "polls": lambda: polls.make_server().app,
    "portfolio": lambda: portfolio.make_server().app,
    "skills": lambda: skills.Server(skills.filled_world()).app,
}


# Operations whose bodies are files.
UPLOADS = {"portfolio": {"POST /media"}, "skills": {"POST /imports"}}


@cache
def describe(app: str) -> ApiDocument:
    """Return the document of an app. Making an app takes a tenth of a second."""
    return ApiDocument(APPS[app]().openapi(), f"/api/{app}")


def _schema_of(api: ApiDocument, content: Json) -> Json:
    """Return the schema of a JSON body. An optional body may be null."""
    schema = content["application/json"]["schema"]
    return api.schemas[schema.get("anyOf", [schema])[0]["$ref"].rpartition("/")[2]]


def _parameter(operation: Json, name: str) -> Json | None:
    return next((each for each in operation.get("parameters", []) if each["name"] == name), None)


def _needs_token(operation: Json) -> bool:
    return {} not in operation.get("security", [{}])


@pytest.mark.parametrize(
    ("app", "scheme", "value"),
    [
        ("elections", "access token", ("scheme", "bearer")),
        ("elections", "refresh cookie", ("name", "__Host-elections_refresh")),
        ("polls", "admin key", ("scheme", "bearer")),
        ("polls", "browser cookie", ("name", "__Host-polls_browser")),
        ("portfolio", "access token", ("scheme", "bearer")),
        ("skills", "access token", ("scheme", "bearer")),
    ],
)
def test_security_schemes_are_described(app: str, scheme: str, value: tuple[str, str]) -> None:
    assert value in describe(app).document["components"]["securitySchemes"][scheme].items()


@pytest.mark.parametrize("app", APPS)
def test_operations_are_described_under_unique_names(app: str) -> None:
    api = describe(app)
    assert api.document["openapi"].startswith("3.1")
    names = Counter(operation["operationId"] for operation in api.operations.values())
    assert names.most_common(1)[0][1] == 1
    for address, operation in api.operations.items():
        assert "/api/" not in address
        assert operation["tags"], address
        assert operation["description"].endswith("."), address


# A field with a typing error would be ignored otherwise.
@pytest.mark.parametrize("app", APPS)
def test_request_bodies_forbid_other_fields(app: str) -> None:
    api = describe(app)
    for address, operation in api.operations.items():
        if "requestBody" in operation and address not in UPLOADS.get(app, ()):
            schema = _schema_of(api, operation["requestBody"]["content"])
            assert schema["additionalProperties"] is False, address
            assert schema["description"], address


# What is created has a URL of its own, or is part of what has one.
CREATED_WITHOUT_URL = {
    *("POST /register", "POST /users", "POST /auth/setup", "POST /media", "POST /imports"),
    *("POST /elections/{name}/ballot", "POST /games/{game_id}/players"),
    *("POST /games/{game_id}/audience-questions", "POST /{poll_id}/comments"),
    *("POST /{poll_id}/codes", "POST /{poll_id}/options"),
}


@pytest.mark.parametrize("app", APPS)
def test_headers_of_responses_are_described(app: str) -> None:
    operations = describe(app).operations
    for address, operation in operations.items():
        method, _, path = address.partition(" ")
        for status, answer in operation["responses"].items():
            headers, content = set(answer.get("headers", {})), set(answer.get("content", {}))
            if status == "201":
                assert ("Location" in headers) is (address not in CREATED_WITHOUT_URL), address
            if status == "429":
                assert {"Retry-After", "RateLimit", "RateLimit-Policy"} <= headers, address
            if status.startswith("2") and content - {"application/json"}:
                assert "Content-Disposition" in headers, address
            if status[0] in "45":
                assert content == {"application/problem+json"}, address
        tagged = "ETag" in operation["responses"].get("200", {}).get("headers", {})
        if _parameter(operation, "if-match"):
            # What is gone has no version.
            assert tagged is (method != "DELETE"), address
            read = operations.get(f"GET {path}")
            assert read is None or "ETag" in read["responses"]["200"]["headers"], address
        if _parameter(operation, "cursor"):
            assert "Link" in operation["responses"]["200"]["headers"], address
            page = _schema_of(describe(app), operation["responses"]["200"]["content"])
            assert {"items", "next"} <= set(page["required"]), address


@pytest.mark.parametrize("app", APPS)
def test_examples_of_requests_have_a_body_where_one_is_expected(app: str) -> None:
    api = describe(app)
    groups = group_by_tag(api.document, ADDRESS).values()
    curl = {f"{each.method} {each.path}": each.curl for group in groups for each in group}
    for path, methods in api.document["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {})
            has_body = "--json" in curl[f"{method.upper()} {path}"]
            assert has_body is ("application/json" in content), path


@pytest.mark.parametrize(
    ("app", "names"),
    [
        ("portfolio", "invalid-request taken switched-off"),
        ("skills", "invalid-request already-exists not-allowed"),
    ],
)
def test_problem_types_have_pages(app: str, names: str) -> None:
    visitor = TestClient(APPS[app]())
    for name in names.split():
        assert visitor.get(f"/api/{app}/problems/{name}").json()["about"]


# ------------------------------------------------------------------------------ elections

# What everyone may request, and what needs no token because it returns one.
PUBLIC = {
    *("register", "confirm_registration", "sign_in", "request_password_reset", "read_version"),
    *("confirm_password_reset", "confirm_email", "download_checker", "read_keys"),
}


def test_elections_list_statuses_and_require_tokens() -> None:
    for address, operation in describe("elections").operations.items():
        statuses = set(operation["responses"])
        if operation["operationId"] in PUBLIC:
            assert "security" not in operation, address
        elif operation["operationId"] not in ("refresh", "sign_out"):
            assert operation["security"] == [{"access token": []}], address
            assert {"401", "429", "503"} <= statuses, address
        if _parameter(operation, "if-match"):
            assert {"412", "428"} <= statuses, address


def test_elections_work_under_another_prefix() -> None:
    app = make_app(
        "Elections",
        "1",
        routers=ELECTIONS.routers,
        prefix="/apps/elections",
        problem_types=ELECTIONS.problems.own_types,
        errors=ELECTIONS.problems.handlers(),
    )
    api = elections.make_api()
    api.activate()
    api.app.state.frame.attach(app)
    client = TestClient(app)
    assert client.get("/apps/elections/version").json() == {"version": 0, "rebuilding": False}
    refusal = client.get("/apps/elections/me").json()
    assert refusal["type"] == "/apps/elections/problems/not-signed-in"
    assert client.get("/apps/elections/problems/wrong-state").status_code == 200


# ------------------------------------------------------------------------------ polls

POLL = "/{poll_id}"
MANAGED = {
    *(f"PATCH {POLL}", f"DELETE {POLL}", f"POST {POLL}/close"),
    *(f"GET {POLL}/codes", f"POST {POLL}/codes"),
    *(f"DELETE {POLL}/options/{{name}}", f"DELETE {POLL}/comments/{{comment_id}}"),
    f"PUT {POLL}/options/{{name}}/picture",
}
OPEN = {
    *("POST ", "GET ", f"GET {POLL}", f"GET {POLL}/vote"),
    *(f"POST {POLL}/vote", f"GET {POLL}/results", f"GET {POLL}/export/{{format}}"),
    f"POST {POLL}/options",
    *(f"GET {POLL}/comments", f"POST {POLL}/comments"),
}


def test_polls_list_statuses_and_require_admin_keys() -> None:
    operations = describe("polls").operations
    assert set(operations) == MANAGED | OPEN
    for address, operation in operations.items():
        statuses = set(operation["responses"])
        assert "503" in statuses, address
        assert ("404" in statuses) is (POLL in address), address
        if address in MANAGED:
            assert operation["security"] == [{"admin key": []}], address
            assert {"401", "403"} <= statuses, address
        else:
            assert not _needs_token(operation), address
            assert "401" not in statuses, address
        if _parameter(operation, "if-match"):
            assert {"412", "428"} <= statuses, address


# Elections require a key; polls do not.
def test_polls_have_an_optional_idempotency_key() -> None:
    key = _parameter(describe("polls").operations[f"POST {POLL}/vote"], "idempotency-key")
    assert key is not None
    assert not key["required"]
    assert key["schema"]["type"] == "string"


def test_polls_have_fields_in_camel_case_that_are_never_null() -> None:
    schemas = describe("polls").schemas
    poll = schemas["PollSchema"]
    assert {"id", "title", "description", "candidates", "createdAt"} <= set(poll["required"])
    assert poll["properties"]["expiresAt"]["type"] == "string"
    assert "expiresAt" not in poll["required"]
    for name, schema in schemas.items():
        assert not any("_" in field for field in schema.get("properties", {})), name
        if name.endswith("Schema"):
            assert '"null"' not in str(schema).replace("'", '"'), name


# ------------------------------------------------------------------------------ portfolio, skills

TAGGED = {
    *("PUT /portfolio", "PUT /blogs/{blog_id}", "DELETE /blogs/{blog_id}"),
    *("PUT /settings", "PUT /users/{user_id}", "DELETE /users/{user_id}"),
    "POST /blogs/{blog_id}/history/{number}/restore",
}
SKILL = "/users/{username}/skills/{skill}"


@pytest.mark.parametrize("app", ["portfolio", "skills"])
def test_operations_list_statuses(app: str) -> None:
    for address, operation in describe(app).operations.items():
        statuses, has_tag = set(operation["responses"]), bool(_parameter(operation, "if-match"))
        assert {"500", "503"} <= statuses, address
        assert not _needs_token(operation) or {"401", "429"} <= statuses, address
        assert "404" in statuses or "{" not in address
        assert ("412" in statuses) is ("428" in statuses) is has_tag, address
        if app == "portfolio":
            assert ("404" in statuses) is ("{" in address), address
            assert has_tag is (address in TAGGED), address


def test_skills_have_the_fields_of_the_original() -> None:
    assert {
        *("username", "skill_name", "proficiency_level", "years_of_experience", "endorsements"),
        *("last_used_date", "notes", "created_at", "updated_at"),
    } <= set(describe("skills").schemas["UserSkillBody"]["required"])


def test_skills_have_the_operations_of_the_original() -> None:
    api = describe("skills")
    assert {
        *("POST /register", "POST /login", "GET /me", "GET /skills/{skill}/users"),
        *("POST /users/{username}/skills", "GET /users/{username}/skills"),
        *(f"{method} {SKILL}" for method in ("GET", "PUT", "DELETE")),
    } <= set(api.operations)
    answers = api.operations["POST /users/{username}/skills"]["responses"]
    assert {"201", "409", "422"} <= set(answers)
    assert set(api.schemas["NewUserSkill"]["required"]) == {"skill_name", "proficiency_level"}


@pytest.mark.parametrize(
    ("app", "address", "part"),
    [
        ("portfolio", "GET /blogs", f"curl '{ADDRESS}/api/portfolio/blogs'"),
        ("portfolio", "GET /search", f"curl '{ADDRESS}/api/portfolio/search?q={{q}}'"),
        ("portfolio", "POST /media", "-F 'file=@image.jpg' \\\n  -F 'alt=…'"),
        ("portfolio", "POST /media", "Bearer $TOKEN"),
        ("skills", f"GET {SKILL}", "Bearer $TOKEN"),
        ("skills", "POST /users/{username}/skills", '"skill_name": "Go"'),
    ],
)
def test_examples_of_requests_can_be_sent_as_they_are(app: str, address: str, part: str) -> None:
    groups = group_by_tag(describe(app).document, ADDRESS).values()
    address = address.replace(" ", f" /api/{app}")
    curl = {f"{each.method} {each.path}": each.curl for group in groups for each in group}
    assert part in curl[address]
    assert curl[address] == part or not part.startswith("curl")
