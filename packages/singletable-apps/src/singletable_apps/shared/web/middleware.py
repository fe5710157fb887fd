"""ASGI middleware: access log, request IDs, security headers, limits, hosts, CSRF and paths."""

from __future__ import annotations

import json
import logging
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from secrets import token_hex
from urllib.parse import unquote_to_bytes, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from singletable_apps.shared.web.clients import address_from_scope, is_in_network
from singletable_apps.shared.web.cookies import add_pending_headers
from singletable_apps.shared.web.hosts import host_name, is_allowed_host, is_loopback
from singletable_apps.shared.web.paths import SLASH
from singletable_apps.shared.web.problems import (
    CROSS_ORIGIN,
    HEADERS_TOO_LARGE,
    INTERNAL_ERROR,
    MALFORMED_PATH,
    METHOD_NOT_ALLOWED,
    MISDIRECTED,
    NOT_FOUND,
    URL_TOO_LONG,
    Problem,
    problem_response,
)
from singletable_apps.shared.web.settings import site_of

ACCESS = logging.getLogger("singletable_apps.access")
ERRORS = logging.getLogger("singletable_apps.errors")


class AccessLog:
    """Logs one line of JSON per request, and responds to unexpected errors with 500.

    Query strings are not logged, because they may contain secrets. Tracebacks are logged; the
    client gets only the request ID.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request and log it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 0

        async def send_and_record(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_and_record)
        except Exception:
            ERRORS.exception("Request %s failed.", scope["state"]["request_id"])
            if status:
                # The response has started; only closing the connection shows that it is incomplete.
                raise
            broken = problem_response(Problem(INTERNAL_ERROR), scope, site_of(scope).prefix)
            await broken(scope, receive, send_and_record)
        finally:
            if ACCESS.isEnabledFor(logging.INFO):
                ACCESS.info("%s", _log_line(scope, status, time.perf_counter() - started))


def _log_line(scope: Scope, status: int, seconds: float) -> str:
    raw: bytes = scope.get("raw_path") or scope["path"].encode("utf-8", "backslashreplace")
    return json.dumps(
        {
            "request": scope["state"]["request_id"],
            "client": address_from_scope(scope, site_of(scope).settings.proxies),
            "method": scope["method"],
            "path": raw.decode("ascii", "backslashreplace"),
            "status": status,
            "ms": round(seconds * 1000, 1),
        }
    )


# Other values could be mistaken for something else in a log.
_VALID_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class RequestIds:
    """Gives each request an ID: its X-Request-Id if valid, or a random one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add its ID to the response."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        sent = Headers(scope=scope).get("x-request-id", "")
        new_id = sent if _VALID_ID.fullmatch(sent) else token_hex(8)

        pending: list[tuple[str, str]] = []
        state = {**scope.get("state", {}), "request_id": new_id, "response_headers": pending}
        inner: Scope = {**scope, "state": state}

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = new_id
                add_pending_headers(inner, headers)
            await send(message)

        await self.app(inner, receive, send_with_id)


JSON_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
EMBEDDABLE = "frame-ancestors *"
_POLICY = "content-security-policy"


def allow_frames(response: Response) -> Response:
    """Return a page that every site may show in a frame. Nothing on it may act for the reader."""
    policy = response.headers[_POLICY].replace("frame-ancestors 'none'", EMBEDDABLE)
    response.headers[_POLICY] = policy
    return response


_ALWAYS = {
    "Content-Security-Policy": JSON_POLICY,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_ENCODED = [(name.lower().encode(), value.encode()) for name, value in _ALWAYS.items()]
_TWO_YEARS = b"max-age=63072000; includeSubDomains"


class SecurityHeaders:
    """Adds security headers that the response does not set itself. A 304 keeps the cached ones."""

    def __init__(self, app: ASGIApp, public_url: str = "") -> None:
        self.app = app
        # Behind a proxy that ends TLS, the scheme of requests is http.
        public = urlsplit(public_url)
        self.is_https = public.scheme == "https" and not is_loopback(host_name(public.netloc))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers to the response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        added = _ENCODED
        # Not for localhost: browsers would require HTTPS of all programs on all its ports.
        if self.is_https or (
            scope.get("scheme") == "https"
            and not is_loopback(host_name(Headers(scope=scope).get("host", "")))
        ):
            added = [*_ENCODED, (b"strict-transport-security", _TWO_YEARS)]

        async def send_with_headers(message: Message) -> None:
            # The headers of a 304 replace those of the page in the client's cache (RFC 9111, 3.2).
            if message["type"] == "http.response.start" and message["status"] != 304:
                headers = MutableHeaders(scope=message)
                own = {name for name, _ in headers.raw}
                # A page that others may embed says so in its policy; this would contradict it.
                if EMBEDDABLE in headers.get(_POLICY, ""):
                    own.add(b"x-frame-options")
                headers.raw.extend(each for each in added if each[0] not in own)
            await send(message)

        await self.app(scope, receive, send_with_headers)


MAX_URL_BYTES = 16 << 10
MAX_HEADERS = 100
MAX_HEADER_BYTES = 32 << 10


class _Check(ABC):
    """Rejects requests and WebSockets for which `check` raises a problem."""

    app: ASGIApp

    @abstractmethod
    def check(self, scope: Scope) -> Scope:
        """Return the request to pass on, or raise a Problem."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or respond with the problem."""
        try:
            passed = scope if scope["type"] == "lifespan" else self.check(scope)
        except Problem as problem:
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            await problem_response(problem, scope, site_of(scope).prefix)(scope, receive, send)
            return
        await self.app(passed, receive, send)


class Heads(_Check):
    """Rejects requests with an oversized URL or headers, or for another host."""

    def __init__(self, app: ASGIApp, public_url: str = "", proxies: Sequence[str] = ()) -> None:
        self.app = app
        self.public_host = host_name(urlsplit(public_url).netloc)
        self.proxies = proxies

    def check(self, scope: Scope) -> Scope:
        """Return the request if its head is acceptable."""
        url_size = len(scope.get("raw_path") or b"") + len(scope["query_string"])
        if url_size > MAX_URL_BYTES:
            raise Problem(
                URL_TOO_LONG, f"Expected at most {MAX_URL_BYTES} bytes, but got {url_size}."
            )
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        size = sum(len(name) + len(value) for name, value in headers)
        if len(headers) > MAX_HEADERS or size > MAX_HEADER_BYTES:
            raise Problem(
                HEADERS_TOO_LARGE,
                f"Expected at most {MAX_HEADERS} headers and {MAX_HEADER_BYTES} bytes, but got "
                f"{len(headers)} and {size}.",
            )
        if self.public_host and not self._is_for_us(scope):
            raise Problem(MISDIRECTED)
        return scope

    def _is_for_us(self, scope: Scope) -> bool:
        hosts = Headers(scope=scope).getlist("host")
        if len(hosts) == 1 and is_allowed_host(hosts[0], self.public_host):
            return True
        client = scope.get("client")
        # A proxy checks hosts itself, and may use an internal name for this server.
        return not hosts or (client is not None and is_in_network(client[0], self.proxies))


_KNOWN = ("GET", "POST", "PUT", "PATCH", "DELETE")


class Methods:
    """Handles HEAD as GET without a body, OPTIONS with Allow, and rejects other unknown methods.

    This happens before the body is read.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on if a route accepts its method."""
        if scope["type"] != "http" or scope["method"] == "GET":
            await self.app(scope, receive, send)
            return
        if scope["method"] == "HEAD":
            await self.app({**scope, "method": "GET"}, receive, _without_body(send))
            return
        if scope["method"] in _KNOWN and is_accepted(scope, scope["method"]):
            await self.app(scope, receive, send)
            return
        methods = allowed_methods(scope)
        if scope["method"] == "OPTIONS" and methods:
            await Response(status_code=204, headers={"Allow": ", ".join(methods)})(
                scope, receive, send
            )
        else:
            response = no_route_problem(scope, methods)
            await problem_response(response, scope, site_of(scope).prefix)(scope, receive, send)


def no_route_problem(scope: Scope, methods: list[str]) -> Problem:
    """Return the 404 or 405 problem of a request that no route accepts."""
    if not methods:
        return Problem(
            NOT_FOUND, "There is no page at this address. Check the address, or go home."
        )
    allow = ", ".join(methods)
    detail = f"Expected one of {allow} at this address, but got {scope['method'][:40]}."
    return Problem(METHOD_NOT_ALLOWED, detail, headers={"Allow": allow})


def is_accepted(scope: Scope, method: str) -> bool:
    """Return whether a route accepts the method for a path."""
    app = scope["app"]
    quick_routers = getattr(app.state, "quick_routers", ())
    if any(each.accepts(method, scope["path"]) for each in quick_routers):
        return True
    changed = {**scope, "method": method}
    return any(route.matches(changed)[0] is Match.FULL for route in app.router.routes)


def allowed_methods(scope: Scope) -> list[str]:
    """Return the methods that routes accept for a path, or an empty list."""
    methods = [method for method in _KNOWN if is_accepted(scope, method)]
    if "GET" in methods:
        methods.append("HEAD")
    return [*methods, "OPTIONS"] if methods else []


def _without_body(send: Send) -> Send:
    """Send the headers of a response, but not its body."""

    async def send_head(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return send_head


SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class CrossOriginProtection(_Check):
    """Rejects unsafe requests from other sites (CSRF), by Sec-Fetch-Site or Origin.

    These are the rules of Go 1.25, without tokens: every browser since 2023 sends Sec-Fetch-Site,
    older ones send Origin, and programs send neither. A WebSocket counts as an unsafe request.
    """

    def __init__(self, app: ASGIApp, trusted_origins: Iterable[str] = ()) -> None:
        self.app = app
        self.trusted = frozenset(trusted_origins)

    def check(self, scope: Scope) -> Scope:
        """Return requests from our own pages, trusted origins and programs."""
        if not self._is_trusted(scope):
            raise Problem(CROSS_ORIGIN)
        return scope

    def _is_trusted(self, scope: Scope) -> bool:
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
    """Return the host and port of an origin, or None if it has none."""
    try:
        return urlsplit(origin).netloc or None
    except ValueError:
        return None


class Segments(_Check):
    """Decodes a path segment by segment, so that names may contain slashes."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    def check(self, scope: Scope) -> Scope:
        """Return the request with its decoded path."""
        raw = scope.get("raw_path")
        return scope if raw is None else {**scope, "path": decode_path(raw)}


def decode_path(raw: bytes) -> str:
    """Return the path with each segment decoded, and slashes in segments replaced."""
    try:
        segments = [unquote_to_bytes(part).decode() for part in raw.split(b"/")]
    except UnicodeDecodeError as error:
        raise Problem(
            MALFORMED_PATH, f"Expected UTF-8, but byte {error.object[error.start]:#x} is not."
        ) from None
    if any(SLASH in segment for segment in segments):
        raise Problem(MALFORMED_PATH, "Names cannot contain the character U+10FFFD.")
    return "/".join(segment.replace("/", SLASH) for segment in segments)
