"""Run clients over HTTP, each with a connection of its own to one endpoint."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from functools import partial
from http.client import HTTPConnection
from queue import SimpleQueue

from drills.faces.client import Client, answer_of
from drills.faces.threads import side_by_side
from singletable import AsyncEngine, Engine
from singletable.server import DynamoDBApp, Listener
from singletable.wire import write_request

_KIND = "application/x-amz-json-1.0"


def on_endpoint(engine: Engine, clients: Sequence[Client]) -> None:
    """Every client has a thread and a connection of its own; the endpoint has a loop of its own."""
    addresses: SimpleQueue[tuple[str, int]] = SimpleQueue()
    loop = asyncio.new_event_loop()
    done = asyncio.Event()

    async def serve() -> None:
        listener = Listener(DynamoDBApp(AsyncEngine(engine)))
        addresses.put(await listener.start("127.0.0.1", 0))
        await done.wait()
        await listener.stop()

    serving = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    serving.start()
    address = addresses.get(timeout=10)
    try:
        side_by_side([partial(_ask, address, client) for client in clients])
    finally:
        loop.call_soon_threadsafe(done.set)
        serving.join()
        loop.close()


def _ask(address: tuple[str, int], client: Client) -> None:
    connection = HTTPConnection(*address, timeout=60)
    try:
        operation = next(client)
        while True:
            target, body = write_request(operation)
            headers = {"content-type": _KIND, "x-amz-target": target}
            connection.request("POST", "/", body, headers)
            response = connection.getresponse()
            operation = client.send(answer_of(response.status, response.read()))
    except StopIteration:
        connection.close()
