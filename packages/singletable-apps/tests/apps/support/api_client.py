"""A client of an API, with or without a token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx2
from fastapi.testclient import TestClient


@dataclass
class Caller:
    """Someone who calls the API under `prefix`.

    `activate` lets the shared app serve the database of the test.
    """

    client: TestClient
    prefix: str
    activate: Callable[[], None]
    token: str = ""

    def ask(self, method: str, path: str, tag: str | None = None, **more: Any) -> httpx2.Response:
        """Send a request with the token; `tag` is the version that it changes."""
        self.activate()
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        headers |= {"If-Match": tag} if tag else {}
        headers |= more.pop("headers", {})
        return self.client.request(method, f"{self.prefix}{path}", headers=headers, **more)

    def get(self, path: str, **more: Any) -> httpx2.Response:
        return self.ask("GET", path, **more)

    def post(
        self, path: str, body: object = None, tag: str | None = None, **more: Any
    ) -> httpx2.Response:
        return self.ask("POST", path, tag, json=body, **more)

    def put(
        self, path: str, body: object = None, tag: str | None = None, **more: Any
    ) -> httpx2.Response:
        return self.ask("PUT", path, tag, json=body, **more)

    def delete(self, path: str, tag: str | None = None, **more: Any) -> httpx2.Response:
        return self.ask("DELETE", path, tag, **more)


def type_of(answer: httpx2.Response) -> str:
    """Return the status and the problem type, such as `404 not-found`."""
    return f"{answer.status_code} {answer.json()['type'].rpartition('/')[2]}"


def places(answer: httpx2.Response) -> list[str]:
    """Return the places of the errors in a problem."""
    return [
        fault.get("pointer", fault.get("parameter", fault.get("header")))
        for fault in answer.json().get("errors", [])
    ]


def problem(answer: httpx2.Response) -> tuple[int, str, list[str]]:
    """Return the status of a problem, its type and the places that it names."""
    body = answer.json()
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    assert body["status"] == answer.status_code
    return answer.status_code, body["type"].rpartition("/")[2], places(answer)
