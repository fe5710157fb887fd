"""Requests that a page of another site makes in somebody's browser change nothing here."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from singletable_apps.shared.web.kinds import CROSS_ORIGIN
from singletable_apps.shared.web.problems import Problem, problem_answer
from singletable_apps.shared.web.settings import site_of

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class CrossOriginProtection:
    """Middleware that refuses unsafe requests of other sites, by what browsers say about them.

    The rules are those of Go 1.25. There are no tokens: every browser since 2023 sends
    Sec-Fetch-Site, those before send Origin, and programs send neither. A WebSocket is opened with
    a GET, and what is done through it is not safe: it is treated as an unsafe request.
    """

    def __init__(self, app: ASGIApp, trusted_origins: Iterable[str] = ()) -> None:
        self.app = app
        self.trusted = frozenset(trusted_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let through what comes from our own pages, from trusted ones, or from a program."""
        if scope["type"] == "lifespan" or self._is_ours(scope):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            refusal = problem_answer(Problem(CROSS_ORIGIN), scope, site_of(scope).prefix)
            await refusal(scope, receive, send)

    def _is_ours(self, scope: Scope) -> bool:
        if scope["type"] == "http" and scope["method"] in SAFE:
            return True
        headers = Headers(scope=scope)
        origin = headers.get("origin", "")
        if origin in self.trusted:
            return True
        if site := headers.get("sec-fetch-site", ""):
            return site in ("same-origin", "none")
        return not origin or _host_of(origin) == headers.get("host", "")


def _host_of(origin: str) -> str | None:
    """The host and port of an origin; None if it has none, as `null`."""
    try:
        return urlsplit(origin).netloc or None
    except ValueError:
        return None
