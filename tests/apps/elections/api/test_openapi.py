"""The OpenAPI document is complete, and the routers work under any prefix."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from fastapi.testclient import TestClient

from singletable_apps.elections.api import (
    ERRORS,
    PREFIX,
    PROBLEM_TYPES,
    ROUTERS,
    ApiSettings,
    Limits,
    attach,
)
from singletable_apps.shared.web import make_app
from tests.apps.elections.api.client import make_api

api = make_api()
DOCUMENT: dict[str, Any] = api.anonymous().get("/openapi.json").json()
OPERATIONS: dict[str, dict[str, Any]] = {
    f"{method.upper()} {path}": operation
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
}
# What everybody may ask, and what needs no token because it gives one.
PUBLIC = {
    "register",
    "confirm_registration",
    "sign_in",
    "request_password_reset",
    "confirm_password_reset",
    "confirm_email",
    "read_version",
    "download_checker",
    "read_keys",
}


def test_document_is_openapi_3_1_with_two_security_schemes() -> None:
    assert DOCUMENT["openapi"].startswith("3.1")
    schemes = DOCUMENT["components"]["securitySchemes"]
    assert schemes["access token"]["scheme"] == "bearer"
    assert schemes["refresh cookie"]["name"] == "__Host-elections_refresh"


def test_operation_ids_are_unique() -> None:
    names = Counter(operation["operationId"] for operation in OPERATIONS.values())
    assert names.most_common(1)[0][1] == 1
    assert all(PREFIX in address for address in OPERATIONS)


@pytest.mark.parametrize("address", OPERATIONS)
def test_operation_is_described(address: str) -> None:
    operation = OPERATIONS[address]
    assert operation["tags"]
    assert operation["description"].endswith(".")
    statuses = set(operation["responses"])
    if operation["operationId"] in PUBLIC:
        assert "security" not in operation
    elif operation["operationId"] not in ("refresh", "sign_out"):
        assert operation["security"] == [{"access token": []}]
        assert {"401", "429", "503"} <= statuses
    if "if-match" in str(operation.get("parameters")):
        assert {"412", "428"} <= statuses


# A field with a typing error would be left out in silence otherwise.
def test_request_bodies_reject_unknown_fields() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    for address, operation in OPERATIONS.items():
        if "requestBody" in operation:
            sent = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
            schema = schemas[sent.rpartition("/")[2]]
            assert schema["additionalProperties"] is False, address
            assert schema["description"], address


def test_routers_work_under_another_prefix() -> None:
    app = make_app(
        "Elections",
        "1",
        routers=ROUTERS,
        prefix="/apps/elections",
        problem_types=PROBLEM_TYPES,
        errors=ERRORS,
    )
    attach(app, api.elections, ApiSettings(limits=Limits.off()))
    client = TestClient(app)
    assert client.get("/apps/elections/version").json() == {"version": 0, "rebuilding": False}
    refusal = client.get("/apps/elections/me").json()
    assert refusal["type"] == "/apps/elections/problems/not-signed-in"
    assert client.get("/apps/elections/problems/wrong-state").status_code == 200
