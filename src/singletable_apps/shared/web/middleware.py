"""One line of JSON for each request, and an answer when a handler broke."""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Iterable, Mapping
from secrets import token_hex
from types import MappingProxyType
from urllib.parse import unquote_to_bytes, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from singletable_apps.shared.web.clients import key_of
from singletable_apps.shared.web.cookies import add_pending_headers
from singletable_apps.shared.web.paths import SLASH, longest_prefix_value
from singletable_apps.shared.web.problems import (
    CROSS_ORIGIN,
    INTERNAL_ERROR,
    MALFORMED_PATH,
    METHOD_NOT_ALLOWED,
    NOT_FOUND,
    Problem,
    problem_response,
)
from singletable_apps.shared.web.settings import site_of

ACCESS = logging.getLogger("singletable_apps.access")
ERRORS = logging.getLogger("singletable_apps.errors")


class AccessLog:
    """Middleware that writes down what was asked, how it ended and how long it took.

    Queries are left out, for they may hold what is nobody's business. What nobody foresaw is
    written down with its traceback, and the caller learns nothing but the number of the request.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, whatever happens, and write it down."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 0

        async def send_and_see(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_and_see)
        except Exception:
            ERRORS.exception("Request %s broke.", scope["state"]["request_id"])
            if status:
                # Half an answer is out; only a broken connection tells that it is not whole.
                raise
            broken = problem_response(Problem(INTERNAL_ERROR), scope, site_of(scope).prefix)
            await broken(scope, receive, send_and_see)
        finally:
            ACCESS.info("%s", _line(scope, status, time.perf_counter() - began))


def _line(scope: Scope, status: int, seconds: float) -> str:
    raw: bytes = scope.get("raw_path") or scope["path"].encode("utf-8", "backslashreplace")
    return json.dumps(
        {
            "request": scope["state"]["request_id"],
            "client": key_of(scope, site_of(scope).settings.proxies),
            "method": scope["method"],
            "path": raw.decode("ascii", "backslashreplace"),
            "status": status,
            "ms": round(seconds * 1000, 1),
        }
    )


# What could be mistaken for something else in a record is not echoed.
_SANE = re.compile(r"[A-Za-z0-9._-]{1,64}")


def request_id(request: Request) -> str:
    """The number of the request."""
    return str(request.state.request_id)


class RequestIds:
    """Middleware that numbers requests: as X-Request-Id says if it is sane, or at random."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through with its number, and answer with it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        sent = Headers(scope=scope).get("x-request-id", "")
        number = sent if _SANE.fullmatch(sent) else token_hex(8)

        inner = {
            **scope,
            "state": {**scope.get("state", {}), "request_id": number, "response_headers": []},
        }

        async def send_with_number(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = number
                add_pending_headers(inner, headers)
            await send(message)

        await self.app(inner, receive, send_with_number)


JSON_POLICY = "default-src 'none'; frame-ancestors 'none'"
# For pages that have their scripts and styles from this server, and no other.
PAGE_POLICY = (
    "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_TWO_YEARS = "max-age=63072000; includeSubDomains"


class SecurityHeaders:
    """Middleware that adds what an answer does not say itself."""

    def __init__(
        self, app: ASGIApp, page_policies: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.app = app
        self.policies = page_policies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the headers added."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        page_policy = longest_prefix_value(scope["path"], self.policies)
        added = {
            **_ALWAYS,
            "Content-Security-Policy": page_policy or JSON_POLICY,
            "Cache-Control": "private, no-cache" if page_policy else "no-store",
        }
        if scope.get("scheme") == "https":
            added["Strict-Transport-Security"] = _TWO_YEARS

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in added.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers)


_KNOWN = ("GET", "POST", "PUT", "PATCH", "DELETE")


class Methods:
    """Middleware that answers HEAD by GET without a body, OPTIONS by Allow, and refuses the rest.

    It does so before a body is looked at: there is nothing to say about the body of a request
    that has no handler.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through if there is a handler for its method."""
        if scope["type"] != "http" or scope["method"] == "GET":
            await self.app(scope, receive, send)
            return
        if scope["method"] == "HEAD":
            await self.app({**scope, "method": "GET"}, receive, _without_body(send))
            return
        methods = allowed(scope)
        if scope["method"] in methods and scope["method"] != "OPTIONS":
            await self.app(scope, receive, send)
        elif scope["method"] == "OPTIONS" and methods:
            await Response(status_code=204, headers={"Allow": ", ".join(methods)})(
                scope, receive, send
            )
        else:
            refusal = no_handler(scope, methods)
            await problem_response(refusal, scope, site_of(scope).prefix)(scope, receive, send)


def no_handler(scope: Scope, methods: list[str]) -> Problem:
    """The problem of a request that no route takes: 404 or 405."""
    if not methods:
        return Problem(NOT_FOUND, "There is nothing at this address.")
    allow = ", ".join(methods)
    detail = f"Expected one of {allow} at this address, but got {scope['method'][:40]}."
    return Problem(METHOD_NOT_ALLOWED, detail, headers={"Allow": allow})


def allowed(scope: Scope) -> list[str]:
    """The methods that routes take at the address of a request; none if there is nothing."""
    routes = scope["app"].router.routes

    def is_taken(method: str) -> bool:
        asked = {**scope, "method": method}
        return any(route.matches(asked)[0] is Match.FULL for route in routes)

    methods = [method for method in _KNOWN if is_taken(method)]
    if "GET" in methods:
        methods.append("HEAD")
    return [*methods, "OPTIONS"] if methods else []


def _without_body(send: Send) -> Send:
    """Send the headers of an answer as they would be, and nothing after them."""

    async def send_head(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return send_head


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
            refusal = problem_response(Problem(CROSS_ORIGIN), scope, site_of(scope).prefix)
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


class Segments:
    """Middleware that decodes a path segment by segment."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through with slashes in names out of harm's way."""
        raw = scope.get("raw_path")
        if scope["type"] == "lifespan" or raw is None:
            await self.app(scope, receive, send)
            return
        try:
            path = decoded(raw)
        except Problem as problem:
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            await problem_response(problem, scope, site_of(scope).prefix)(scope, receive, send)
            return
        await self.app({**scope, "path": path}, receive, send)


def decoded(raw: bytes) -> str:
    """The path with each segment decoded, and slashes in segments replaced."""
    try:
        segments = [unquote_to_bytes(part).decode() for part in raw.split(b"/")]
    except UnicodeDecodeError as error:
        raise Problem(
            MALFORMED_PATH, f"Expected UTF-8, but byte {error.object[error.start]:#x} is not."
        ) from None
    if any(SLASH in segment for segment in segments):
        raise Problem(MALFORMED_PATH, "The character U+10FFFD is in no name.")
    return "/".join(segment.replace("/", SLASH) for segment in segments)
