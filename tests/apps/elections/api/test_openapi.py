"""The OpenAPI document is complete, and the routers work under any prefix."""

from __future__ import annotations

from typing import ClassVar

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
from tests.apps.support.openapi import ApiDocument, OpenApiTests

api = make_api()
API_DOCUMENT = ApiDocument(api.anonymous().get("/openapi.json").json(), "")
OPERATIONS = API_DOCUMENT.operations
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


class TestDocument(OpenApiTests):
    api = API_DOCUMENT
    security: ClassVar = {"access token": "bearer", "refresh cookie": "__Host-elections_refresh"}


def test_operations_are_under_the_prefix() -> None:
    assert all(PREFIX in address for address in OPERATIONS)


@pytest.mark.parametrize("address", OPERATIONS)
def test_operation_is_described(address: str) -> None:
    operation = OPERATIONS[address]
    statuses = set(operation["responses"])
    if operation["operationId"] in PUBLIC:
        assert "security" not in operation
    elif operation["operationId"] not in ("refresh", "sign_out"):
        assert operation["security"] == [{"access token": []}]
        assert {"401", "429", "503"} <= statuses
    if "if-match" in str(operation.get("parameters")):
        assert {"412", "428"} <= statuses


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
