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
