"""A DynamoDB endpoint in a thread of the test process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager

from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.operations import AsyncDriver
from dynamodb_engine.server import DynamoDBApp, Listener
from dynamodb_engine.server.guard import Guard


@contextmanager
def endpoint(driver: Engine | AsyncDriver, *, guard: Guard | None = None) -> Generator[str]:
    """Serve an engine on a free local port until the block ends; yield its URL for AWS SDKs."""
    served = AsyncEngine(driver) if isinstance(driver, Engine) else driver
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="endpoint", daemon=True)
    thread.start()
    listener = Listener(DynamoDBApp(served, guard=guard))
    start = asyncio.run_coroutine_threadsafe(listener.start("127.0.0.1", 0), loop)
    try:
        host, port = start.result()
        yield f"http://{host}:{port}"
    finally:
        asyncio.run_coroutine_threadsafe(listener.stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
