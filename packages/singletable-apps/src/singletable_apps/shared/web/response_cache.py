"""Keep public responses for a moment, so that a popular page is rendered once for many readers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Any, TypeAlias

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from singletable import Call
from singletable_apps.shared.web.public_responses import current_response

_Key: TypeAlias = tuple[str, bytes, bool, int]
_Handler: TypeAlias = Callable[[Request], Coroutine[Any, Any, Response]]
MAX_AGE = timedelta(seconds=1)
# Any query string makes another entry, and feeds are large.
MAX_ENTRIES, MAX_BYTES = 200, 32_000_000


class WriteCounter:
    """Counts the writes of a store: `Store(driver, observers=[counter])`."""

    def __init__(self) -> None:
        self.count = 0
        self._lock = Lock()

    def __call__(self, call: Call) -> None:
        """Count the call if it may have written something."""
        if any(not request.is_read for request in call.requests):
            self.increment()

    def increment(self) -> None:
        """Count something else that pages depend on, such as data in memory that has expired."""
        with self._lock:
            self.count += 1


@dataclass(frozen=True, slots=True)
class _Entry:
    response: Response
    rendered_at: datetime


class ResponseCache:
    """The latest public responses: those with `s-maxage`, which do not depend on cookies.

    A write of this process voids them all at once; what other processes write shows after
    `MAX_AGE`. Set `app.state.response_cache`, and use the route class `CachedRoute`.
    """

    def __init__(
        self,
        writes: WriteCounter,
        clock: Callable[[], datetime],
    ) -> None:
        self._writes = writes
        self._clock = clock
        self._bytes = 0
        self._entries: OrderedDict[_Key, _Entry] = OrderedDict()

    async def respond(self, request: Request, handle: _Handler) -> Response:
        """Return the response that is kept, or that of `handle`."""
        now = self._clock()
        accepts_gzip = "gzip" in request.headers.get("accept-encoding", "")
        # request.url is built from the decoded path: `/tags/c%23` would have the key of `/tags/c`.
        path, query = request.scope["path"], request.scope["query_string"]
        key = (path, query, accepts_gzip, self._writes.count)
        entry = self._entries.get(key)
        if entry is not None and timedelta() <= now - entry.rendered_at < MAX_AGE:
            return current_response(request, entry.response)
        response = await handle(request)
        if response.status_code == 200 and "s-maxage" in response.headers.get("cache-control", ""):
            self._keep(key, _Entry(response, now))
        return response

    def _keep(self, key: _Key, entry: _Entry) -> None:
        replaced = self._entries.pop(key, None)
        self._bytes += len(entry.response.body) - (len(replaced.response.body) if replaced else 0)
        self._entries[key] = entry
        while len(self._entries) > MAX_ENTRIES or self._bytes > MAX_BYTES:
            _, oldest = self._entries.popitem(last=False)
            self._bytes -= len(oldest.response.body)


class CachedRoute(APIRoute):
    """A route that keeps public responses: `APIRouter(route_class=CachedRoute)`."""

    def get_route_handler(self) -> _Handler:
        """Return the handler, which asks the cache first."""
        handle = super().get_route_handler()

        async def respond(request: Request) -> Response:
            cache: ResponseCache | None = getattr(request.app.state, "response_cache", None)
            if cache is None or request.method != "GET":
                return await handle(request)
            return await cache.respond(request, handle)

        return respond
