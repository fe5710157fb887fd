"""Tests of an OpenAPI document that hold for every app."""

from __future__ import annotations

from typing import Any


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


def check_examples_have_errors(api: ApiDocument) -> None:
    """Fail unless all problems have the member `error`, in examples too."""
    assert "error" in api.schemas["Problem"]["required"]
    for operation in api.operations.values():
        for status, answer in operation["responses"].items():
            for example in answer.get("content", {}).values():
                for value in example.get("examples", {}).values():
                    assert status < "400" or value["value"]["error"]
