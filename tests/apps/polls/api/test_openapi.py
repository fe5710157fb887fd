"""The OpenAPI description is complete."""

from __future__ import annotations

from typing import ClassVar

import pytest

from singletable_apps.polls.api import PREFIX
from tests.apps.polls.api.client import make_server
from tests.apps.support.openapi import ApiDocument, OpenApiTests

API_DOCUMENT = ApiDocument(make_server().new_visitor().get("/openapi.json").json(), PREFIX)
OPERATIONS = API_DOCUMENT.operations
POLL = "/{poll_id}"
MANAGED = {
    f"PATCH {POLL}",
    f"DELETE {POLL}",
    f"POST {POLL}/close",
    f"GET {POLL}/codes",
    f"POST {POLL}/codes",
    f"GET {POLL}/recount",
}


def test_description_has_all_operations() -> None:
    assert set(OPERATIONS) == MANAGED | {
        "POST ",
        "GET ",
        f"GET {POLL}",
        f"POST {POLL}/duplicate",
        f"GET {POLL}/vote",
        f"POST {POLL}/vote",
        f"GET {POLL}/results",
        f"GET {POLL}/export/{{format}}",
        f"GET {POLL}/qr.svg",
    }


class TestDocument(OpenApiTests):
    api = API_DOCUMENT
    security: ClassVar = {"admin key": "bearer", "browser cookie": "__Host-polls_browser"}


@pytest.mark.parametrize("address", OPERATIONS)
def test_every_operation_is_described(address: str) -> None:
    operation = OPERATIONS[address]
    statuses = set(operation["responses"])
    assert "503" in statuses
    assert ("404" in statuses) is (POLL in address)
    if address in MANAGED:
        assert operation["security"] == [{"admin key": []}]
        assert {"401", "403"} <= statuses
    else:
        assert {} in operation.get("security", [{}])
        assert "401" not in statuses
    if "if-match" in str(operation.get("parameters")):
        assert {"412", "428"} <= statuses


# Elections require a key; polls do not.
def test_idempotency_key_is_optional() -> None:
    (key,) = (
        one
        for one in OPERATIONS[f"POST {POLL}/vote"]["parameters"]
        if one["name"] == "idempotency-key"
    )
    assert not key["required"]
    assert key["schema"]["type"] == "string"


def test_fields_are_camel_case_and_never_null() -> None:
    schemas = API_DOCUMENT.schemas
    poll = schemas["PollSchema"]
    assert {"id", "title", "description", "candidates", "createdAt"} <= set(poll["required"])
    assert poll["properties"]["expiresAt"]["type"] == "string"
    assert "expiresAt" not in poll["required"]
    for name, schema in schemas.items():
        assert not any("_" in field for field in schema.get("properties", {})), name
        if name.endswith("Schema"):
            assert '"null"' not in str(schema).replace("'", '"'), name
