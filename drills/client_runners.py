"""Clients written once, and the ways to run them: threads, tasks, HTTP, or one after the other.

A client is a generator that yields operations and is sent responses in their wire form, so the same
client runs in a thread, in a task, or at the other end of a socket.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection, HTTPException
from queue import SimpleQueue
from typing import Any, TypeAlias, cast

from msgspec import json

from dynamodb_engine.operations import Operation
from dynamodb_engine.server import DynamoDBApp, Listener
from dynamodb_engine.wire import write_error, write_request, write_result
from singletable import AsyncDriver, AsyncEngine, Driver, Engine, OperationError

CONNECTION_LOST = "ConnectionLost"
_CONTENT_TYPE = "application/x-amz-json-1.0"


@dataclass(frozen=True, slots=True)
class Response:
    """A response; `code` is DynamoDB's error code, and empty if there was no error."""

    code: str
    body: dict[str, Any]


Client: TypeAlias = Generator[Operation[Any], Response, None]
Runner: TypeAlias = Callable[[Engine, Sequence[Client]], None]


def run_in_threads(engine: Driver, clients: Sequence[Client]) -> None:
    """Run every client in its own thread."""
    run_concurrently([partial(_run_client, engine, client) for client in clients])


def run_in_tasks(engine: Engine, clients: Sequence[Client]) -> None:
    """Run every client as a task of one event loop."""

    async def run_client(driver: AsyncEngine, client: Client) -> None:
        try:
            operation = next(client)
            while True:
                try:
                    response = _success(await driver.execute(operation))
                except OperationError as error:
                    response = _failure(error)
                operation = client.send(response)
        except StopIteration:
            return

    async def run_all() -> None:
        await asyncio.gather(*[run_client(AsyncEngine(engine), client) for client in clients])

    asyncio.run(run_all())


def run_over_http(engine: Engine, clients: Sequence[Client]) -> None:
    """Run every client in a thread with its own connection to an endpoint."""
    addresses: SimpleQueue[tuple[str, int]] = SimpleQueue()
    loop = asyncio.new_event_loop()
    done = asyncio.Event()

    async def serve() -> None:
        listener = Listener(DynamoDBApp(AsyncEngine(engine)))
        addresses.put(await listener.start("127.0.0.1", 0))
        await done.wait()
        await listener.stop()

    server = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    server.start()
    address = addresses.get(timeout=10)
    try:
        run_concurrently([partial(send_requests, address, client) for client in clients])
    finally:
        loop.call_soon_threadsafe(done.set)
        server.join()
        loop.close()


def run_sequentially(engine: Driver, clients: Sequence[Client]) -> None:
    """Run one client after the other."""
    for client in clients:
        _run_client(engine, client)


@contextmanager
def serve(driver: AsyncDriver) -> Generator[str]:
    """Serve a driver over HTTP within the block, in a thread, and yield its address."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    listener = Listener(DynamoDBApp(driver))
    start = asyncio.run_coroutine_threadsafe(listener.start("127.0.0.1", 0), loop)
    try:
        host, port = start.result()
        yield f"dynamodb+http://{host}:{port}"
    finally:
        asyncio.run_coroutine_threadsafe(listener.stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


RUNNERS: dict[str, Runner] = {
    "threads": run_in_threads,
    "tasks": run_in_tasks,
    "endpoint": run_over_http,
}


def _run_client(engine: Driver, client: Client) -> None:
    try:
        operation = next(client)
        while True:
            try:
                response = _success(engine.execute(operation))
            except OperationError as error:
                response = _failure(error)
            operation = client.send(response)
    except StopIteration:
        return


def send_requests(address: tuple[str, int], client: Client, *, survives_loss: bool = False) -> None:
    """Run a client with its own connection to an endpoint.

    With `survives_loss`, the response to a request whose connection was lost is CONNECTION_LOST.
    """
    connection = HTTPConnection(*address, timeout=60)
    try:
        operation = next(client)
        while True:
            target, body = write_request(operation)
            headers = {"content-type": _CONTENT_TYPE, "x-amz-target": target}
            try:
                connection.request("POST", "/", body, headers)
                reply = connection.getresponse()
                response = _parse_response(reply.status, reply.read())
            except (OSError, HTTPException):
                if not survives_loss:
                    raise
                connection.close()
                time.sleep(0.05)
                response = Response(CONNECTION_LOST, {})
            operation = client.send(response)
    except StopIteration:
        connection.close()


def _success(output: object) -> Response:
    return _parse_response(200, write_result(output))


def _failure(error: OperationError) -> Response:
    return _parse_response(*write_error(error))


def _parse_response(status: int, body: bytes) -> Response:
    content = cast("dict[str, Any]", json.decode(body or b"{}"))
    code = "" if status == 200 else str(content["__type"]).rpartition("#")[2]
    return Response(code, content)


def run_concurrently(works: Sequence[Callable[[], None]]) -> None:
    """Run each work in its own thread; when all have ended, raise the first error."""
    errors: list[BaseException] = []

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
