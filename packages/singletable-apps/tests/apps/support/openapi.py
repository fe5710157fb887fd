"""Tests of an OpenAPI document that hold for every app."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar


class ApiDocument:
    """A document; its operations by method and path, such as `GET /users`."""

    def __init__(self, document: dict[str, Any], prefix: str) -> None:
        self.document = document
        self.operations: dict[str, dict[str, Any]] = {
            f"{method.upper()} {path.removeprefix(prefix)}": operation
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        }
        self.schemas: dict[str, dict[str, Any]] = document["components"]["schemas"]


class OpenApiTests:
    """Tests of `api`; `security` has the scheme of each token and the name of each cookie.

    `uploads` are the operations whose bodies are not JSON.
    """

    api: ClassVar[ApiDocument]
    security: ClassVar[dict[str, str]] = {"access token": "bearer"}
    uploads: ClassVar[set[str]] = set()

    def test_document_is_openapi_3_1_with_security_schemes(self) -> None:
        assert self.api.document["openapi"].startswith("3.1")
        schemes = self.api.document["components"]["securitySchemes"]
        found = {name: one.get("scheme", one.get("name")) for name, one in schemes.items()}
        assert found.items() >= self.security.items()

    def test_operation_ids_are_unique(self) -> None:
        names = Counter(one["operationId"] for one in self.api.operations.values())
        assert names.most_common(1)[0][1] == 1

    def test_operations_are_described(self) -> None:
        for address, operation in self.api.operations.items():
            assert operation["tags"], address
            assert operation["description"].endswith("."), address

    # A field with a typing error would be ignored otherwise.
    def test_request_bodies_forbid_other_fields(self) -> None:
        for address, operation in self.api.operations.items():
            if "requestBody" in operation and address not in self.uploads:
                schema = operation["requestBody"]["content"]["application/json"]["schema"]
                # An optional body may be null.
                name = schema.get("anyOf", [schema])[0]["$ref"].rpartition("/")[2]
                assert self.api.schemas[name]["additionalProperties"] is False, address
                assert self.api.schemas[name]["description"], address


def check_examples_have_errors(api: ApiDocument) -> None:
    """Fail unless all problems have the member `error`, in examples too."""
    assert "error" in api.schemas["Problem"]["required"]
    for operation in api.operations.values():
        for status, answer in operation["responses"].items():
            for example in answer.get("content", {}).values():
                for value in example.get("examples", {}).values():
                    assert status < "400" or value["value"]["error"]
