"""The OpenAPI description is complete."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from singletable_apps.polls.api import PREFIX
from tests.apps.polls.api.client import make_server

DOCUMENT: dict[str, Any] = make_server().new_visitor().get("/openapi.json").json()
OPERATIONS: dict[str, dict[str, Any]] = {
    f"{method.upper()} {path.removeprefix(PREFIX)}": operation
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
}
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


def test_description_is_openapi_3_1_with_two_security_schemes() -> None:
    assert DOCUMENT["openapi"].startswith("3.1")
    schemes = DOCUMENT["components"]["securitySchemes"]
    assert schemes["admin key"]["scheme"] == "bearer"
    assert schemes["browser cookie"]["name"] == "__Host-polls_browser"


def test_operation_ids_are_unique() -> None:
    names = Counter(operation["operationId"] for operation in OPERATIONS.values())
    assert names.most_common(1)[0][1] == 1


@pytest.mark.parametrize("address", OPERATIONS)
def test_every_operation_is_described(address: str) -> None:
    operation = OPERATIONS[address]
    assert operation["tags"]
    assert operation["description"].endswith(".")
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


def test_request_bodies_forbid_other_fields() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    for address, operation in OPERATIONS.items():
        if "requestBody" in operation:
            sent = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
            schema = schemas[sent.rpartition("/")[2]]
            assert schema["additionalProperties"] is False, address
            assert schema["description"], address


def test_fields_are_camel_case_and_never_null() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    poll = schemas["PollSchema"]
    assert {"id", "title", "description", "candidates", "createdAt"} <= set(poll["required"])
    assert poll["properties"]["expiresAt"]["type"] == "string"
    assert "expiresAt" not in poll["required"]
    for name, schema in schemas.items():
        assert not any("_" in field for field in schema.get("properties", {})), name
        if name.endswith("Schema"):
            assert '"null"' not in str(schema).replace("'", '"'), name
