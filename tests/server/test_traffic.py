"""What passes a listener is counted, and what it refuses is told."""

from __future__ import annotations

import asyncio
from pathlib import Path

from msgspec import json

from singletable.engine import AsyncEngine, Engine
from singletable.server import AccessLog, DynamoDBApp, Limits, Listener, Metrics, Observer
from tests.server.prometheus import Family, read_page

HEALTH = b"GET / HTTP/1.1\r\n\r\n"
METRICS = b"GET /metrics HTTP/1.1\r\n\r\n"
NONSENSE = b"This is no HTTP\r\n\r\n"
TOO_LARGE = b"POST / HTTP/1.1\r\nContent-Length: 1000\r\n\r\n"


async def said(port: int, sent: bytes) -> bytes:
    """Everything that a connection says in answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    writer.write_eof()
    heard = await reader.read()
    writer.close()
    return heard


def observed(observer: Observer, *each_sent: bytes) -> list[bytes]:
    """What a listener that is observed says to each of these, one connection each."""

    async def run() -> list[bytes]:
        with Engine.in_memory() as engine:
            app = DynamoDBApp(AsyncEngine(engine), observer=observer)
            listener = Listener(app, Limits(body=999), observer)
            _, port = await listener.start("127.0.0.1", 0)
            heard = [await said(port, sent) for sent in each_sent]
            await listener.stop()
            return heard

    return asyncio.run(run())


def page_of(response: bytes) -> dict[str, Family]:
    return read_page(response.partition(b"\r\n\r\n")[2].decode())


def test_connections_and_bytes_are_counted() -> None:
    health, metrics = observed(Observer(Metrics()), HEALTH, METRICS)
    page = page_of(metrics)
    assert page["singletable_connections"].value() == 1
    assert page["singletable_connections_total"].value() == 2
    assert page["singletable_received_bytes_total"].value() == len(HEALTH) + len(METRICS)
    assert page["singletable_sent_bytes_total"].value() == len(health)


# They never become requests, and whoever looks for what goes wrong looks here.
def test_refusals_are_counted_by_status() -> None:
    *_, metrics = observed(Observer(Metrics()), NONSENSE, TOO_LARGE, NONSENSE, METRICS)
    responses = page_of(metrics)["singletable_responses_total"]
    assert responses.value(status="400") == 2
    assert responses.value(status="413") == 1


def test_refusals_are_logged(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    with AccessLog(str(path)) as log:
        observed(Observer(log=log), TOO_LARGE, HEALTH)
    refused, health = [json.decode(line) for line in path.read_bytes().splitlines()]
    assert (refused["status"], refused["client"]) == (413, "127.0.0.1")
    assert refused["operation"] is None
    assert (health["status"], health["client"]) == (200, "127.0.0.1")
