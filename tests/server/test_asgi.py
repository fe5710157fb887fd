"""The application under any ASGI server: it starts, answers, and ends with it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from singletable.engine import AsyncEngine, Engine
from singletable.server import AccessLog, DynamoDBApp, Metrics, Observer
from singletable.wire import HttpRequest, HttpResponse
from tests.server.asking import KIND

LIST_TABLES = {"X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Type": KIND}


@dataclass
class Server:
    """The other side of ASGI: what the application receives, and what it has sent."""

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


def parts(*chunks: bytes) -> list[dict[str, Any]]:
    """A body that comes in pieces."""
    return [
        {"type": "http.request", "body": chunk, "more_body": n + 1 < len(chunks)}
        for n, chunk in enumerate(chunks)
    ]


def asked(events: Iterable[dict[str, Any]], of: dict[str, Any], **options: Any) -> HttpResponse:
    """The response that an application in memory sends."""
    with Engine.in_memory() as engine:
        app = DynamoDBApp(AsyncEngine(engine), **options)
        start, body = Server(list(events)).run(app, of)
    assert (start["type"], body["type"]) == ("http.response.start", "http.response.body")
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return HttpResponse(start["status"], headers, body["body"])


def test_the_application_starts_and_ends_with_the_server() -> None:
    with Engine.in_memory() as engine:
        server = Server([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])
        sent = server.run(DynamoDBApp(AsyncEngine(engine)), {"type": "lifespan"})
    assert sent == [
        {"type": "lifespan.startup.complete"},
        {"type": "lifespan.shutdown.complete"},
    ]


@pytest.mark.parametrize("chunks", [[b"{}"], [b"{", b"", b"}"]], ids=["whole", "pieces"])
def test_a_request_is_answered(chunks: list[bytes]) -> None:
    response = asked(parts(*chunks), scope())
    assert (response.status, response.body) == (200, b'{"TableNames":[]}')
    assert response.headers["content-type"] == KIND
    assert response.headers["content-length"] == str(len(response.body))


def test_an_event_without_a_body_is_an_empty_one() -> None:
    response = asked([{"type": "http.request"}], scope())
    assert json.decode(response.body)["__type"].endswith("#SerializationException")


def test_an_answer_to_head_has_no_body() -> None:
    response = asked(parts(b""), scope("HEAD"))
    assert (response.status, response.body) == (200, b"")
    assert response.headers["content-length"] == "42"


# Nobody is there to be answered, and nothing may be done of half a request.
def test_who_goes_away_before_the_end_is_not_answered() -> None:
    events = [*parts(b"{", b"")[:1], {"type": "http.disconnect"}]
    with Engine.in_memory() as engine:
        assert Server(events).run(DynamoDBApp(AsyncEngine(engine)), scope()) == []


# The rest is not even asked for.
def test_a_body_that_is_too_large_is_refused_as_soon_as_it_is() -> None:
    endless = [{"type": "http.request", "body": b" " * 30, "more_body": True}] * 2
    assert asked(endless, scope(), max_body=50).status == 413


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
def test_the_target_is_as_it_was_sent(about: dict[str, object], target: str) -> None:
    heard: list[HttpRequest] = []

    class Listening(DynamoDBApp):
        async def answer(self, request: HttpRequest) -> HttpResponse:
            heard.append(request)
            return HttpResponse(200)

    with Engine.in_memory() as engine:
        Server(parts(b"")).run(Listening(AsyncEngine(engine)), scope() | about)
    assert heard[0].target == target
    assert heard[0].headers["x-amz-target"] == LIST_TABLES["X-Amz-Target"]


# One that a proxy or a socket file hides is nobody's.
@pytest.mark.parametrize(("client", "status"), [(("127.0.0.1", 1), 200), (None, 403)])
def test_metrics_are_told_to_this_machine(client: object, status: int) -> None:
    observer = Observer(Metrics())
    page = asked(parts(b""), scope("GET", "/metrics", client=client), observer=observer)
    assert page.status == status


def test_the_log_knows_the_client(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    with AccessLog(str(path)) as log:
        asked(parts(b"{}"), scope(client=("192.0.2.7", 1)), observer=Observer(log=log))
    assert json.decode(path.read_bytes())["client"] == "192.0.2.7"


def test_what_is_not_http_is_refused() -> None:
    with Engine.in_memory() as engine, pytest.raises(ValueError, match="websocket"):
        Server([]).run(DynamoDBApp(AsyncEngine(engine)), {"type": "websocket"})
