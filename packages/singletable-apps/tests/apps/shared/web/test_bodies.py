"""Bodies must be JSON of a limited size; everything else is rejected."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Annotated

import httpx2
import pytest
from fastapi import APIRouter, Body, Request
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from singletable_apps.shared.web import Settings
from singletable_apps.shared.web.bodies import Bodies, BodyMemory
from tests.apps.shared.web.notes import make_client

router = APIRouter()


@router.post("/echo")
def echo(body: Annotated[JsonValue, Body()]) -> JsonValue:
    """Return the body."""
    return body


@router.put("/files/{name}")
async def take_file(name: str, request: Request) -> int:
    """Return the size of a file."""
    return len(await request.body())


@router.put("/filesystem")
def take_json(body: Annotated[JsonValue, Body()]) -> None:
    """Accept JSON."""


client = make_client(
    settings=Settings(body_limit=20_000, uploads={"/api/files": 50_000}), more=[router]
)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


JSON = {"Content-Type": "application/json"}


def post(body: bytes, content_type: str | None = "application/json") -> httpx2.Response:
    headers = {} if content_type is None else {"Content-Type": content_type}
    return client.post("/api/echo", content=body, headers=headers)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "line 1, column 2"),
        (b'{"a": 1}}', "line 1, column 9"),
        (b"\xff", "Expected UTF-8, but byte 0 is invalid."),
        ("1".encode("utf-16"), "UTF-8"),
        (b"\xef\xbb\xbf1", "BOM"),
        (b"NaN", "which has no NaN"),
        (b"[-Infinity]", "which has no -Infinity"),
        (b"1e400", "a number that fits a double, but got '1e400'"),
        (b"9" * 400, "a number that fits a double"),
        (b"9" * 10_000, "a number that fits a double"),
        (b'{"a": 1, "b": {"a": 1, "a": 2}}', "but 'a' is there twice"),
        (b'["\\ud800"]', "but \\ud800 is a lone surrogate"),
        (b'{"\\udc00x": 1}', "but \\udc00 is a lone surrogate"),
        (b"[" * 65 + b"]" * 65, "at most 64 levels"),
        (b"[" * 10_000 + b"]" * 10_000, "at most 64 levels"),
        (b'{"a":' * 900 + b"1" + b"}" * 900, "at most 64 levels"),
    ],
    ids=range(16),
)
def test_malformed_json_is_rejected_with_the_reason(body: bytes, words: str) -> None:
    answer = post(body)
    assert answer.status_code == 400
    assert answer.json()["type"] == "/api/problems/malformed-body"
    assert words in answer.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [
        b"null",
        b"[" + b"1," * 9_000 + b"1]",
        b'"\\ud83d\\ude00 \\u0000"',
        b"[" * 64 + b"]" * 64,
        b'{"a": [1.5e300, -0.0, ' + b"9" * 308 + b"]}",
    ],
    ids=range(5),
)
def test_valid_json_is_accepted(body: bytes) -> None:
    answer = post(body)
    assert answer.status_code == 200
    assert answer.json() == httpx2.Response(200, content=body).json()


@given(st.binary(max_size=30) | st.text('[]{}":,0e-\\u\ud800x', max_size=30).map(_bytes))
def test_random_bodies_never_cause_a_server_error(body: bytes) -> None:
    assert post(body).status_code in (200, 400, 422)


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "json",
        "/",
        ";;",
    ],
)
def test_other_content_types_are_rejected(content_type: str | None) -> None:
    answer = post(b"{}", content_type)
    assert answer.status_code == 415
    assert answer.headers["accept"] == "application/json"


@pytest.mark.parametrize(
    "content_type",
    ["application/json; charset=utf-8", "Application/JSON", "application/merge-patch+json"],
)
def test_json_content_types_are_accepted(content_type: str) -> None:
    assert post(b"{}", content_type).status_code == 200


def in_pieces() -> Iterator[bytes]:
    """Yield a body without a Content-Length."""
    for _ in range(30):
        yield b" " * 1000


@pytest.mark.parametrize("body", [b" " * 20_001, in_pieces()], ids=["announced", "in pieces"])
def test_large_bodies_are_rejected(body: bytes | Iterator[bytes]) -> None:
    answer = client.post("/api/echo", content=body, headers=JSON)
    assert answer.status_code == 413
    assert "at most 20000 bytes" in answer.json()["detail"]


def test_upload_paths_accept_larger_bodies_of_any_type() -> None:
    assert client.put("/api/files/a", content=b"\xff" * 30_000).json() == 30_000
    assert client.put("/api/files/a", content=b"\xff" * 50_001).status_code == 413
    assert client.put("/api/filesystem", content=b"\xff").status_code == 415


def test_body_is_ignored_without_a_handler() -> None:
    assert client.delete("/api/echo").status_code == 405
    answer = client.request("DELETE", "/api/echo", content=b"\xff" * 30_000)
    assert answer.status_code == 405


# A thousand slow uploads of a mebibyte each, none of them too large, would need a gibibyte.
def test_bodies_of_all_requests_together_are_limited() -> None:
    memory = BodyMemory(limit=100, per_client=60)
    handled: list[int] = []

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        handled.append(memory.used)
        if len(handled) == 1:
            assert await upload("192.0.2.1", 20) == 503  # this client has 50 already
            assert await upload("192.0.2.2", 60) == 503  # and all together would have 110
            assert await upload("192.0.2.2", 50) == 200
        await Response()(scope, receive, send)

    app = Bodies(handle, uploads={"/": 80}, memory=memory)

    async def upload(client: str, size: int) -> int:
        statuses: list[int] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b"x" * size}

        async def send(message: Message) -> None:
            statuses.append(message.get("status", 0))

        scope = {"type": "http", "method": "PUT", "path": "/", "headers": [], "client": (client, 1)}
        await app({**scope, "state": {"request_id": "1"}, "query_string": b""}, receive, send)
        return statuses[0]

    assert asyncio.run(upload("192.0.2.1", 50)) == 200
    assert handled == [50, 100]
    assert memory.used == 0
