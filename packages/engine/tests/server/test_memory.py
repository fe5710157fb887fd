"""Requests leave nothing in memory, and the memory of all connections together is limited."""

from __future__ import annotations

import asyncio
import gc
import gzip
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import pytest
import uvloop
from msgspec import json

from dynamodb_engine import PutItem
from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.operations import Operation
from dynamodb_engine.server import DynamoDBApp, Guard, Limits, Listener, Metrics, Observer
from dynamodb_engine.server.connection import Connection
from dynamodb_engine.server.observe import Exchange
from dynamodb_engine.wire import HttpRequest, read_request
from tests.server.test_connection import Echo, post, read_response
from tools.testing.app_client import BALLOT, CONTENT_TYPE, VOTES

R = TypeVar("R")

PER_REQUEST = (Connection, HttpRequest, Exchange, PutItem)
LIMITS = Limits(max_body=100_000, max_head_bytes=2000, request_timeout=0.05)
OPERATION = [f"Content-Type: {CONTENT_TYPE}", "X-Amz-Target: DynamoDB_20120810.PutItem"]


def put(body: object, *headers: str) -> bytes:
    raw = body if isinstance(body, bytes) else json.encode(body)
    return post(raw, *OPERATION, *headers)


NEW = {"TableName": "votes", "Item": BALLOT}
TOO_LONG = gzip.compress(json.encode({"TableName": "votes", "Item": {"n": {"SS": ["x"] * 999}}}))
# Everything that a client may send before it goes away.
SENT = {
    "accepted": put(NEW),
    "accepted in pieces": put(NEW, "Expect: 100-continue"),
    "rejected by a constraint": put({"TableName": "v"}),
    "rejected by a rule": put({"TableName": "votes", "Item": {"pk": {"S": ""}}}),
    "rejected by a condition": put(NEW | {"ConditionExpression": "attribute_not_exists(pk)"}),
    "no such table": put(NEW | {"TableName": "none"}),
    "not JSON": put(b"{"),
    "compressed": put(TOO_LONG, "Content-Encoding: gzip"),
    "not compressed": put(b"x", "Content-Encoding: gzip"),
    "pipelined": put(NEW) * 5 + put({"TableName": "v"}) * 5,
    "body too large": put(b"x" * 100_001),
    "headers too large": put(NEW, "X: " + "y" * 2000),
    "not HTTP": b"\x16\x03\x01 \r\n\r\n",
    "unfinished header": put(NEW)[:20],
    "unfinished body": put(NEW)[:-1],
    "nothing": b"",
    "a bug": put({"TableName": "bug", "Item": {}}),
}


class BuggyDriver:
    """Fails as a bug would for the table `bug`, and otherwise uses an engine."""

    def __init__(self, driver: AsyncEngine) -> None:
        self._driver = driver

    async def execute(self, operation: Operation[R], /) -> R:
        if isinstance(operation, PutItem) and operation.table_name == "bug":
            raise RuntimeError("a bug")
        return await self._driver.execute(operation)


@asynccontextmanager
async def listening(
    metrics: Metrics, file: Path | None, guard: Guard | None
) -> AsyncGenerator[tuple[Listener, int]]:
    """Yield a listener that serves an engine as the endpoint does, and its port."""
    with Engine.in_memory() if file is None else Engine.on_file(file) as engine:
        engine.execute(read_request("DynamoDB_20120810.CreateTable", json.encode(VOTES)))
        observer = Observer(metrics)
        app = DynamoDBApp(BuggyDriver(AsyncEngine(engine)), observer=observer, guard=guard)
        listener = Listener(app, LIMITS, observer, eager=True)
        _, port = await listener.start("127.0.0.1", 0)
        try:
            yield listener, port
        finally:
            await listener.stop(timeout=1)


async def visit(listener: Listener, port: int, sent: bytes, *, abort: bool) -> None:
    """Send bytes and go away, at once or after the last response."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    await writer.drain()
    while not listener.connections:
        await asyncio.sleep(0)
    if abort:
        writer.transport.abort()
    else:
        writer.write_eof()
        await reader.read()
        writer.close()
    while listener.connections:
        await asyncio.sleep(0)


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
@pytest.mark.parametrize("guarded", [False, True])
def test_finished_requests_are_freed_without_garbage_collection(
    loop: Callable[[], asyncio.AbstractEventLoop],
    guarded: bool,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL)  # pytest would keep the errors that are logged

    async def run() -> dict[str, list[str]]:
        kept: dict[str, list[str]] = {}
        guard = Guard([]) if guarded else None
        file = None if guarded else tmp_path / "tables.db"
        metrics = Metrics()
        async with listening(metrics, file, guard) as (listener, port):
            for name, sent in SENT.items():
                for abort in (False, True):
                    await visit(listener, port, sent, abort=abort)
                while metrics.in_flight:
                    await asyncio.sleep(0)
                for _ in range(100):  # until tasks, threads and transports have ended
                    kept[name] = [
                        type(each).__name__
                        for each in gc.get_objects()
                        if type(each) in PER_REQUEST
                    ]
                    if not kept[name]:
                        break
                    await asyncio.sleep(0.01)
        return {name: kinds for name, kinds in kept.items() if kinds}

    gc.collect()
    gc.freeze()  # what exists already is not counted
    gc.disable()
    try:
        with asyncio.Runner(loop_factory=loop) as runner:
            assert runner.run(run()) == {}
    finally:
        gc.enable()
        gc.unfreeze()


def run_limited(script: Callable[[Echo, Listener, int], Awaitable[None]], limits: Limits) -> None:
    """Run a script against a listener that echoes bodies."""

    async def run() -> None:
        echo = Echo()
        listener = Listener(echo, limits, eager=True)
        _, port = await listener.start("127.0.0.1", 0)
        try:
            await asyncio.wait_for(script(echo, listener, port), 20)
        finally:
            echo.free.set()
            await listener.stop(timeout=1)
        assert listener.held == 0

    asyncio.run(run())


KILOBYTE = 1024


def test_unfinished_requests_share_one_limit() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        large = post(b"x" * 300 * KILOBYTE)
        writers: list[asyncio.StreamWriter] = []
        statuses: list[int] = []
        for _ in range(6):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writers.append(writer)
            writer.write(large[:-1])  # never complete
            await writer.drain()
            while len(listener.connections) < len(writers) or not (
                any(each.held + 1 >= 300 * KILOBYTE for each in listener.connections)
            ):
                await asyncio.sleep(0)
            status = asyncio.ensure_future(read_response(reader))
            if len(writers) > 4:
                statuses.append((await status)[0])
            else:
                status.cancel()
        assert statuses == [503, 503]
        assert listener.held <= 1000 * KILOBYTE
        # Small requests are served meanwhile.
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"small"))
        assert (await read_response(reader))[2] == b"small"
        for each in (*writers, writer):
            each.close()
        while listener.connections:
            await asyncio.sleep(0)

    run_limited(script, Limits(max_held=1000 * KILOBYTE))


def test_pipelined_requests_count_against_the_limit() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        echo.free.clear()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"") * 400)  # each takes more memory than it has bytes
        while not any(each.rejection for each in listener.connections):
            await asyncio.sleep(0)
        assert listener.held <= 100 * KILOBYTE
        echo.free.set()
        statuses = [(await read_response(reader))[0] for _ in range(50)]
        assert set(statuses) == {200}
        writer.close()

    run_limited(script, Limits(max_held=100 * KILOBYTE))


def test_clients_that_do_not_read_make_room_for_those_that_do() -> None:
    size = 6 * KILOBYTE * KILOBYTE

    async def script(echo: Echo, listener: Listener, port: int) -> None:
        lazy = [await asyncio.open_connection("127.0.0.1", port, limit=1) for _ in range(3)]
        for _, writer in lazy:
            writer.write(post(b"x" * size))
            await writer.drain()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"y" * size))
        assert len((await read_response(reader))[2]) == size
        assert listener.held <= 2 * size
        for _, each in (*lazy, (reader, writer)):
            each.close()

    run_limited(script, Limits(max_held=2 * size))
