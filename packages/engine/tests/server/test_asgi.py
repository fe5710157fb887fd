"""The app follows the ASGI specification, so that any ASGI server can run it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.server import AccessLog, DynamoDBApp, Metrics, Observer
from dynamodb_engine.server.app import MAX_BODY
from dynamodb_engine.wire import HttpRequest, HttpResponse
from tools.testing.app_client import CONTENT_TYPE

LIST_TABLES = {"X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Type": CONTENT_TYPE}


@dataclass
class Server:
    """A fake ASGI server: the events to receive, and the messages that were sent."""

    events: list[dict[str, Any]]
    sent: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    async def receive(self) -> dict[str, Any]:
        return self.events.pop(0)

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    def run(self, app: DynamoDBApp, scope: dict[str, Any]) -> list[dict[str, Any]]:
        asyncio.run(app(scope, self.receive, self.send))
        return self.sent


def scope(method: str = "POST", path: str = "/", **more: object) -> dict[str, Any]:
    headers = [(name.encode(), value.encode()) for name, value in LIST_TABLES.items()]
    about = {"type": "http", "method": method, "path": path, "headers": headers}
    return {**about, "query_string": b"", "client": ("127.0.0.1", 50000), **more}


def body_events(*chunks: bytes) -> list[dict[str, Any]]:
    """Return the events of a body that arrives in pieces."""
    return [
        {"type": "http.request", "body": chunk, "more_body": n + 1 < len(chunks)}
        for n, chunk in enumerate(chunks)
    ]


def respond(
    events: Iterable[dict[str, Any]],
    of: dict[str, Any],
    *,
    max_body: int = MAX_BODY,
    observer: Observer | None = None,
) -> HttpResponse:
    """Return the response of an app with an engine in memory."""
    with Engine.in_memory() as engine:
        app = DynamoDBApp(AsyncEngine(engine), observer=observer)
        app.max_body = max_body
        start, body = Server(list(events)).run(app, of)
    assert (start["type"], body["type"]) == ("http.response.start", "http.response.body")
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return HttpResponse(start["status"], headers, body["body"])


def test_lifespan_startup_and_shutdown_are_acknowledged() -> None:
    with Engine.in_memory() as engine:
        server = Server([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])
        sent = server.run(DynamoDBApp(AsyncEngine(engine)), {"type": "lifespan"})
    assert sent == [
        {"type": "lifespan.startup.complete"},
        {"type": "lifespan.shutdown.complete"},
    ]


@pytest.mark.parametrize("chunks", [[b"{}"], [b"{", b"", b"}"]], ids=["whole", "pieces"])
def test_request_in_one_or_more_pieces_gets_response(chunks: list[bytes]) -> None:
    response = respond(body_events(*chunks), scope())
    assert (response.status, response.body) == (200, b'{"TableNames":[]}')
    assert response.headers["content-type"] == CONTENT_TYPE
    assert response.headers["content-length"] == str(len(response.body))


def test_event_without_body_means_empty_body() -> None:
    response = respond([{"type": "http.request"}], scope())
    assert json.decode(response.body)["__type"].endswith("#SerializationException")


def test_response_to_head_has_no_body() -> None:
    response = respond(body_events(b""), scope("HEAD"))
    assert (response.status, response.body) == (200, b"")
    assert response.headers["content-length"] == "42"


# Half a request must not be executed.
def test_disconnect_before_end_of_body_sends_nothing() -> None:
    events = [*body_events(b"{", b"")[:1], {"type": "http.disconnect"}]
    with Engine.in_memory() as engine:
        assert Server(events).run(DynamoDBApp(AsyncEngine(engine)), scope()) == []


# The rest is not received.
def test_too_large_body_is_rejected_before_its_end() -> None:
    endless = [{"type": "http.request", "body": b" " * 30, "more_body": True}] * 2
    assert respond(endless, scope(), max_body=50).status == 413


@pytest.mark.parametrize(
    ("about", "target"),
    [
        ({"path": "/"}, "/"),
        ({"path": "/a b", "raw_path": b"/a%20b"}, "/a%20b"),
        ({"path": "/ä", "raw_path": None}, "/%C3%A4"),
        ({"path": "/", "query_string": b"X-Amz-Date=1&b=%2F"}, "/?X-Amz-Date=1&b=%2F"),
    ],
    ids=["root", "raw", "decoded", "query"],
)
def test_target_keeps_its_encoding_and_query(about: dict[str, object], target: str) -> None:
    requests: list[HttpRequest] = []

    class RecordingApp(DynamoDBApp):
        async def handle(self, request: HttpRequest) -> HttpResponse:
            requests.append(request)
            return HttpResponse(200)

    with Engine.in_memory() as engine:
        Server(body_events(b"")).run(RecordingApp(AsyncEngine(engine)), scope() | about)
    assert requests[0].target == target
    assert requests[0].headers["x-amz-target"] == LIST_TABLES["X-Amz-Target"]


# Behind a proxy or a Unix socket the client is unknown, so it does not count as local.
@pytest.mark.parametrize(("client", "status"), [(("127.0.0.1", 1), 200), (None, 403)])
def test_metrics_need_a_loopback_client(client: object, status: int) -> None:
    observer = Observer(Metrics())
    page = respond(body_events(b""), scope("GET", "/metrics", client=client), observer=observer)
    assert page.status == status


def test_access_log_contains_client_address(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    with AccessLog(str(path)) as log:
        respond(body_events(b"{}"), scope(client=("192.0.2.7", 1)), observer=Observer(log=log))
    assert json.decode(path.read_bytes())["client"] == "192.0.2.7"


def test_scope_other_than_http_is_rejected() -> None:
    with Engine.in_memory() as engine, pytest.raises(ValueError, match="websocket"):
        Server([]).run(DynamoDBApp(AsyncEngine(engine)), {"type": "websocket"})
