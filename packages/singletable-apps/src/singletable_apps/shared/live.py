"""Live updates: server-sent events that tell open pages when something has changed.

The stream carries only version numbers. A page that sees another version than its own fetches the
new content from its usual URL, where permissions are checked and an ETag saves work. If the stream
fails, the script (`live.js`) polls that URL instead.
"""

from __future__ import annotations

import asyncio
import logging
import random
import re
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Hashable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Protocol
from weakref import WeakSet

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse, StreamingResponse

from singletable_apps.shared.web import UNAVAILABLE, Problem, client_address, client_network

_LOG = logging.getLogger("singletable_apps.live")
_MEDIA_TYPE = "text/event-stream"
_VERSION = re.compile(r"[!-~]{1,200}")
_RETRY_MILLISECONDS = 3000


class Closable(Protocol):
    """Something with streams or sockets that do not end by themselves."""

    def close(self) -> None:
        """End all of them that belong to the running event loop."""


# Times are in seconds.
INTERVAL, HEARTBEAT, MAX_AGE = 1.0, 15.0, 300.0
MAX_CLIENTS, PER_ADDRESS = 1000, 200
_open: WeakSet[Closable] = WeakSet()


def close_at_shutdown(streams: Closable) -> None:
    """Close these when the server stops."""
    _open.add(streams)


def close_streams() -> None:
    """End all streams of the running event loop, so that its server can shut down.

    Another server of this process has a loop of its own, in another thread.
    """
    for streams in list(_open):
        streams.close()


class _Topic:
    """One watched version, shared by all clients that listen to it."""

    def __init__(self) -> None:
        self.version: str | None = None
        self.clients = 0
        self.is_closed = False
        self.loop = asyncio.get_running_loop()
        self.changed = asyncio.Event()
        self.watcher: asyncio.Task[None] | None = None

    def publish(self, version: str) -> None:
        """Wake all clients if the version is new."""
        if version != self.version:
            self.version = version
            self._wake()

    def close(self) -> None:
        """End the streams of all clients."""
        self.is_closed = True
        self._wake()

    def _wake(self) -> None:
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()


class LiveUpdates:
    """Streams of version changes, by topic.

    The version of a topic is read once per `INTERVAL` for all its clients. At most `MAX_CLIENTS`
    may listen, `PER_ADDRESS` of them from one address; others get a 503 and poll. A stream ends
    after `MAX_AGE`, so that the browser reconnects and permissions are checked again.
    """

    def __init__(self) -> None:
        self._by_address: Counter[str] = Counter()
        self._topics: dict[Hashable, _Topic] = {}
        close_at_shutdown(self)

    @property
    def clients(self) -> int:
        """Return the number of open streams."""
        return sum(topic.clients for topic in self._topics.values())

    def respond(
        self, request: Request, topic: Hashable, read_version: Callable[[], str]
    ) -> Response:
        """Return a stream of the versions of `topic`, which `read_version` reads in a thread.

        A version is visible ASCII, such as an ETag. The client names the version it has in
        `?version=`, or in Last-Event-ID when it reconnects.
        """
        if _MEDIA_TYPE not in request.headers.get("accept", ""):
            return PlainTextResponse("This is a stream of events.\n", 406)
        address = client_network(client_address(request))
        if self.clients >= MAX_CLIENTS or self._by_address[address] >= PER_ADDRESS:
            raise Problem(
                UNAVAILABLE, "Too many live pages are open.", headers={"Retry-After": "30"}
            )
        known = request.headers.get("last-event-id") or request.query_params.get("version", "")
        events = self._counted(address, self.events(topic, read_version, known))
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(events, media_type=_MEDIA_TYPE, headers=headers)

    async def events(
        self, topic: Hashable, read_version: Callable[[], str], known: str
    ) -> AsyncGenerator[str]:
        """Yield an event for each new version, and again now and then as a heartbeat."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + MAX_AGE
        yield f"retry: {_RETRY_MILLISECONDS}\n\n"
        async with self._joined(topic, read_version) as joined:
            while not joined.is_closed and loop.time() < ends:
                changed = joined.changed
                if joined.version in (None, known):
                    with suppress(TimeoutError):
                        async with asyncio.timeout(HEARTBEAT):
                            await changed.wait()
                        continue
                if joined.version is None:
                    yield ": still here\n\n"
                    continue
                # A heartbeat repeats the version, for a page that could not fetch it.
                known = joined.version
                yield f"id: {known}\nevent: change\ndata: {known}\n\n"

    async def _counted(self, address: str, events: AsyncGenerator[str]) -> AsyncGenerator[str]:
        """Yield the events of a stream, and count it for its address until it ends."""
        self._by_address[address] += 1
        try:
            async with aclosing(events):
                async for event in events:
                    yield event
        finally:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]

    def close(self) -> None:
        """End all streams of the running event loop."""
        for topic in list(self._topics.values()):
            if topic.loop is asyncio.get_running_loop():
                topic.close()

    @asynccontextmanager
    async def _joined(
        self, key: Hashable, read_version: Callable[[], str]
    ) -> AsyncGenerator[_Topic]:
        topic = self._topics.get(key)
        if topic is None or topic.is_closed:
            topic = self._topics[key] = _Topic()
            topic.watcher = asyncio.create_task(self._watch(topic, read_version))
        topic.clients += 1
        try:
            yield topic
        finally:
            topic.clients -= 1
            if not topic.clients:
                if topic.watcher is not None:
                    topic.watcher.cancel()
                if self._topics.get(key) is topic:
                    del self._topics[key]

    async def _watch(self, topic: _Topic, read_version: Callable[[], str]) -> None:
        """Read the version until nobody listens. An error ends all streams of the topic."""
        with suppress(asyncio.CancelledError):
            while not topic.is_closed:
                try:
                    version = await run_in_threadpool(read_version)
                    if not _VERSION.fullmatch(version):
                        raise ValueError(
                            f"Expected a version of visible ASCII, but got {version!a}."
                        )
                except Exception:
                    # The browser reconnects, and the route answers with the same error.
                    _LOG.info("The version of a topic cannot be read.", exc_info=True)
                    topic.close()
                    return
                topic.publish(version)
                await asyncio.sleep(INTERVAL * random.uniform(0.8, 1.2))
