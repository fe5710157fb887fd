"""Check request bodies: size, media type and valid JSON, before a handler runs."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import NoReturn

from pydantic import JsonValue
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from singletable_apps.shared.web import problems
from singletable_apps.shared.web.clients import address_from_scope, client_network
from singletable_apps.shared.web.middleware import SAFE
from singletable_apps.shared.web.paths import longest_prefix_value
from singletable_apps.shared.web.settings import MEBIBYTE, site_of

MAX_DEPTH = 64
_MAX_NUMBER = 1.7976931348623157e308


def check_json(body: bytes) -> None:
    """Raise a 400 problem unless the body is JSON that all parsers read alike (RFC 7493)."""
    try:
        value: JsonValue = json.loads(
            body.decode(),
            object_pairs_hook=_members,
            parse_constant=_no_number,
            parse_float=_float,
            parse_int=_int,
        )
    except UnicodeDecodeError as error:
        raise _malformed(f"Expected UTF-8, but byte {error.start} is invalid.") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise _malformed(f"Expected JSON, but {where} is invalid: {error.msg}.") from None
    except RecursionError:
        raise _too_deep() from None
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH or b"\\u" in body:
        _check_inside(value)


def _check_inside(value: JsonValue) -> None:
    """Check the depth and all strings, without recursion."""
    waiting = [(value, 1)]
    while waiting:
        inner_value, depth = waiting.pop()
        if depth > MAX_DEPTH and isinstance(inner_value, list | dict):
            raise _too_deep()
        if isinstance(inner_value, str):
            _check_text(inner_value)
        elif isinstance(inner_value, list):
            waiting += [(inner, depth + 1) for inner in inner_value]
        elif isinstance(inner_value, dict):
            for name, inner in inner_value.items():
                _check_text(name)
                waiting.append((inner, depth + 1))


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(text[error.start]):04x}"
        raise _malformed(f"Expected whole characters, but {half} is a lone surrogate.") from None


def _members(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise _malformed(f"Expected unique names in an object, but {_short(twice)} is there twice.")
    return members


def _no_number(text: str) -> NoReturn:
    raise _malformed(f"Expected JSON, which has no {text}. Use null instead.")


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _malformed(f"Expected a number that fits a double, but got {_short(text)}.")
    return number


def _int(text: str) -> int:
    # Python raises ValueError above 4300 digits.
    if len(text) > 310 or abs(number := int(text)) > _MAX_NUMBER:
        raise _malformed(f"Expected a number that fits a double, but got {_short(text)}.")
    return number


def _short(text: str) -> str:
    return ascii(text if len(text) <= 40 else f"{text[:40]}…")


def _too_deep() -> problems.Problem:
    return _malformed(f"Expected JSON of at most {MAX_DEPTH} levels.")


def _malformed(detail: str) -> problems.Problem:
    return problems.Problem(problems.MALFORMED_BODY, detail)


_THREAD_SIZE = 1 << 16


class BodyMemory:
    """Limits the bytes of request bodies in memory, for each client and in total."""

    def __init__(self, limit: int = 256 * MEBIBYTE, per_client: int = 64 * MEBIBYTE) -> None:
        self.limit = limit
        self.per_client = per_client
        self.used = 0
        self._by_client: Counter[str] = Counter()

    def take(self, client: str, size: int) -> None:
        """Count bytes sent by a client, or raise a 503 problem if there are too many."""
        self.used += size
        self._by_client[client] += size
        if self.used > self.limit or self._by_client[client] > self.per_client:
            raise problems.Problem(
                problems.UNAVAILABLE,
                "The server is receiving too much data at once. Try again in a few seconds.",
                headers={"Retry-After": "5", "Connection": "close"},
            )

    def give_back(self, client: str, size: int) -> None:
        """Stop counting these bytes."""
        self.used -= size
        self._by_client[client] -= size
        if not self._by_client[client]:
            del self._by_client[client]


# All apps of a process share its memory.
_MEMORY = BodyMemory()


class Bodies:
    """Rejects bodies that are too large or not valid JSON."""

    def __init__(
        self,
        app: ASGIApp,
        limit: int = MEBIBYTE,
        uploads: Mapping[str, int] = MappingProxyType({}),
        memory: BodyMemory = _MEMORY,
    ) -> None:
        self.app = app
        self.limit = limit
        self.uploads = uploads
        self.memory = memory

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on if its body is valid."""
        if scope["type"] != "http" or scope["method"] in SAFE:
            await self.app(scope, receive, send)
            return
        client = client_network(address_from_scope(scope, site_of(scope).settings.proxies))
        taken = 0

        async def receive_counted() -> Message:
            nonlocal taken
            message = await receive()
            size = len(message.get("body", b""))
            taken += size
            self.memory.take(client, size)
            return message

        try:
            await self._handle(scope, receive_counted, send)
        finally:
            self.memory.give_back(client, taken)

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        upload = longest_prefix_value(scope["path"], self.uploads)
        try:
            body = await _read(scope, receive, self.limit if upload is None else upload)
            if body is None:
                return
            if body and upload is None:
                _check_type(Headers(scope=scope).get("content-type"))
                await _check(body)
        except problems.Problem as problem:
            await problems.problem_response(problem, scope, site_of(scope).prefix)(
                scope, receive, send
            )
            return
        await self.app(scope, _replay(body, receive), send)


async def _read(scope: Scope, receive: Receive, limit: int) -> bytes | None:
    """Return the body, or None if the client disconnected. Do not read one that is too large."""
    announced = Headers(scope=scope).get("content-length", "")
    if announced.isdecimal() and int(announced[:20]) > limit:
        raise _too_large(limit)
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > limit:
            raise _too_large(limit)
        if not message.get("more_body", False):
            return bytes(body)


async def _check(body: bytes) -> None:
    """Check large bodies in a thread, so that other requests are not delayed."""
    if len(body) < _THREAD_SIZE:
        check_json(body)
    else:
        await run_in_threadpool(check_json, body)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that returns the body again, and then further messages."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_body() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_body


def _check_type(content_type: str | None) -> None:
    """Raise a 415 problem unless the media type is JSON, such as application/json."""
    media_type = (content_type or "").partition(";")[0].strip().lower()
    kind, _, form = media_type.partition("/")
    if kind == "application" and (form == "json" or form.endswith("+json")):
        return
    sent = f"got {content_type[:80]!a}" if content_type else "there is none"
    raise problems.Problem(
        problems.UNSUPPORTED_MEDIA_TYPE,
        f"Expected Content-Type: application/json, but {sent}.",
        headers={"Accept": "application/json"},
    )


def _too_large(limit: int) -> problems.Problem:
    # The rest of the body is not read, so the connection cannot be reused.
    return problems.Problem(
        problems.TOO_LARGE,
        f"Expected a body of at most {limit} bytes.",
        headers={"Connection": "close"},
    )
