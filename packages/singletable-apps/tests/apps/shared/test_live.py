"""Live updates: one watcher per topic, resumable, bounded, and closed on shutdown."""

from __future__ import annotations

import asyncio
import http.client
import socket
import threading
from collections.abc import AsyncGenerator, Callable
from typing import cast

import pytest
import uvicorn
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.testclient import TestClient
from starlette.responses import StreamingResponse

from singletable_apps.shared import live as live_updates
from singletable_apps.shared.live import LiveUpdates
from singletable_apps.shared.serve import Server
from singletable_apps.shared.web import Problem, make_app
from tests.apps.shared.rooms.clients import in_event_loop

STREAM = {"Accept": "text/event-stream"}


class Counter:
    """A version that can be changed, and how often it was read."""

    def __init__(self) -> None:
        self.version = "v1"
        self.reads = 0

    def read(self) -> str:
        """Return the version."""
        self.reads += 1
        return self.version


async def next_event(stream: AsyncGenerator[str]) -> str:
    """Return the version of the next event, without comments and settings."""
    async for text in stream:
        if text.startswith("id:"):
            assert "event: change" in text
            return text.partition("data: ")[2].strip()
    return "end"


@in_event_loop
async def test_clients_receive_each_new_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_updates, "INTERVAL", 0.001)
    counter, live = Counter(), LiveUpdates()
    stream = live.events("poll", counter.read, "v1")
    waiting = asyncio.ensure_future(next_event(stream))
    while not counter.reads:
        await asyncio.sleep(0.001)
    assert not waiting.done()
    counter.version = "v2"
    assert await waiting == "v2"
    counter.version = "v3"
    assert await next_event(stream) == "v3"
    await stream.aclose()


@in_event_loop
async def test_client_with_an_older_version_receives_the_current_one_at_once() -> None:
    stream = LiveUpdates().events("poll", Counter().read, "v0")
    assert await next_event(stream) == "v1"
    await stream.aclose()


@in_event_loop
async def test_all_clients_of_a_topic_share_one_watcher(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_updates, "INTERVAL", 3600)
    counter, live = Counter(), LiveUpdates()
    streams = [live.events("poll", counter.read, "v0") for _ in range(20)]
    assert [await next_event(stream) for stream in streams] == ["v1"] * 20
    assert (live.clients, counter.reads) == (20, 1)
    for stream in streams:
        await stream.aclose()
    assert live.clients == 0


@in_event_loop
async def test_watching_stops_without_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_updates, "INTERVAL", 0.001)
    counter, live = Counter(), LiveUpdates()
    stream = live.events("poll", counter.read, "v0")
    assert await next_event(stream) == "v1"
    await stream.aclose()
    await asyncio.sleep(0.01)
    reads = counter.reads
    await asyncio.sleep(0.02)
    assert counter.reads == reads


# A page whose request for the new version has failed asks again.
@in_event_loop
async def test_heartbeats_repeat_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_updates, "HEARTBEAT", 0.001)
    stream = LiveUpdates().events("poll", Counter().read, "v1")
    assert (await anext(stream)).startswith("retry:")
    assert [await next_event(stream) for _ in range(3)] == ["v1"] * 3
    await stream.aclose()


@in_event_loop
async def test_stream_ends_after_its_maximum_age(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_updates, "HEARTBEAT", 0.001)
    monkeypatch.setattr(live_updates, "MAX_AGE", 0.005)
    live = LiveUpdates()
    events = live.events("poll", Counter().read, "v1")
    while await next_event(events) != "end":
        pass
    assert live.clients == 0


# A deleted poll, for example: the browser reconnects, and the route answers 404.
@in_event_loop
async def test_error_while_reading_the_version_ends_the_stream() -> None:
    def fail() -> str:
        raise LookupError

    live = LiveUpdates()
    assert await next_event(live.events("poll", fail, "v1")) == "end"
    assert live.clients == 0


def _app(live: LiveUpdates, read_version: Callable[[], str]) -> FastAPI:
    router = APIRouter()

    @router.get("/events")
    def events(request: Request) -> Response:
        return live.respond(request, "poll", read_version)

    return make_app("Live", "1", routers=[router])


def test_last_event_id_wins_over_the_version_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_updates, "INTERVAL", 0.001)
    # The stream ends when no version is left to read: a maximum age may pass before the first read.
    versions = ["v1", "v1"]
    client = TestClient(_app(LiveUpdates(), versions.pop))
    old = client.get("/events?version=v0", headers=STREAM)
    assert "data: v1" in old.text
    assert old.headers["content-type"].startswith("text/event-stream")
    assert old.headers["cache-control"] == "no-store"
    versions += ["v1", "v1"]
    current = client.get("/events?version=v0", headers={**STREAM, "Last-Event-ID": "v1"})
    assert "data:" not in current.text


def test_too_many_clients_get_a_retry_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_updates, "MAX_CLIENTS", 0)
    client = TestClient(_app(LiveUpdates(), Counter().read))
    answer = client.get("/events", headers=STREAM)
    assert answer.status_code == 503
    assert answer.headers["retry-after"]


@in_event_loop
async def test_one_address_cannot_use_up_all_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_updates, "PER_ADDRESS", 1)
    live = LiveUpdates()

    def listen(address: str) -> AsyncGenerator[str]:
        headers = [(b"accept", b"text/event-stream")]
        scope = {
            "type": "http",
            "headers": headers,
            "query_string": b"",
            "client": (address, 1),
        }
        response = live.respond(Request(scope), "poll", Counter().read)
        assert isinstance(response, StreamingResponse)
        return cast(AsyncGenerator[str], response.body_iterator)

    first = listen("192.0.2.1")
    await anext(first)
    with pytest.raises(Problem, match="Too many live pages"):
        listen("192.0.2.1")
    listen("192.0.2.2")
    await first.aclose()
    listen("192.0.2.1")


def test_request_that_does_not_accept_events_gets_406() -> None:
    client = TestClient(_app(LiveUpdates(), Counter().read))
    assert client.get("/events").status_code == 406


# Without a limit for a graceful shutdown, the server waits for its streams forever.
def test_server_stops_while_streams_are_open() -> None:
    live = LiveUpdates()
    app = _app(live, Counter().read)
    config = uvicorn.Config(app, log_level="warning", lifespan="off")
    server = Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        connection = http.client.HTTPConnection(*listener.getsockname())
        connection.request("GET", "/events?version=v0", headers=STREAM)
        response = connection.getresponse()
        assert response.readline().startswith(b"retry:")
        server.should_exit = True
        rest = response.read()
        thread.join(60)
    assert rest.endswith(b"\n\n")
    assert not thread.is_alive()
    connection.close()
