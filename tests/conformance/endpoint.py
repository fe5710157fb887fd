"""An endpoint in a thread of this process; each test gives it another driver."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import TypeVar

from singletable.operations import AsyncDriver, Operation
from singletable.server import DynamoDBApp, Listener
from singletable.server.guard import Guard

R = TypeVar("R")


class Exchangeable:
    """The driver behind the endpoint, replaced for each test."""

    def __init__(self) -> None:
        self.engine: AsyncDriver | None = None

    async def execute(self, operation: Operation[R], /) -> R:
        """Execute the operation on the current driver."""
        assert self.engine is not None, "no engine was given to the endpoint"
        return await self.engine.execute(operation)


@contextmanager
def endpoint(guard: Guard | None = None) -> Generator[tuple[Exchangeable, str, int]]:
    """Serve on a free local port; yield the replaceable driver, the host and the port."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="endpoint", daemon=True)
    thread.start()
    behind = Exchangeable()
    listener = Listener(DynamoDBApp(behind, guard=guard))
    start = asyncio.run_coroutine_threadsafe(listener.start("127.0.0.1", 0), loop)
    try:
        yield behind, *start.result()
    finally:
        asyncio.run_coroutine_threadsafe(listener.stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
