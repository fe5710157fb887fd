"""Bodies of requests: JSON of a reasonable size, read before anything acts on it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from singletable_apps.shared.web.csrf import SAFE
from singletable_apps.shared.web.kinds import TOO_LARGE, UNSUPPORTED_MEDIA_TYPE
from singletable_apps.shared.web.prefixes import set_for
from singletable_apps.shared.web.problems import Problem, problem_answer
from singletable_apps.shared.web.settings import MEBIBYTE, site_of
from singletable_apps.shared.web.strict_json import check_json

_LARGE = 1 << 16


class Bodies:
    """Middleware that refuses bodies that are too large, no JSON, or JSON that is not sound."""

    def __init__(
        self,
        app: ASGIApp,
        limit: int = MEBIBYTE,
        uploads: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self.app = app
        self.limit = limit
        self.uploads = uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through with its body read and found good."""
        if scope["type"] != "http" or scope["method"] in SAFE:
            await self.app(scope, receive, send)
            return
        upload = set_for(scope["path"], self.uploads)
        try:
            body = await _read(scope, receive, self.limit if upload is None else upload)
            if body is None:
                return
            if body and upload is None:
                _check_type(Headers(scope=scope).get("content-type"))
                await _check(body)
        except Problem as problem:
            await problem_answer(problem, scope, site_of(scope).prefix)(scope, receive, send)
            return
        await self.app(scope, _again(body, receive), send)


async def _read(scope: Scope, receive: Receive, limit: int) -> bytes | None:
    """The whole body; None if the client has gone. What says it is too large is not read at all."""
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
    """Check small bodies at once, and large ones beside, so that nobody waits for them."""
    if len(body) < _LARGE:
        check_json(body)
    else:
        await run_in_threadpool(check_json, body)


def _again(body: bytes, receive: Receive) -> Receive:
    """A body that was read, to be received once more; then what comes after it."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_again


def _check_type(content_type: str | None) -> None:
    """Raise a 415 problem unless the type is JSON, or made of it as merge-patch+json."""
    media_type = (content_type or "").partition(";")[0].strip().lower()
    kind, _, form = media_type.partition("/")
    if kind == "application" and (form == "json" or form.endswith("+json")):
        return
    came = f"got {content_type[:80]!a}" if content_type else "the request does not say its type"
    raise Problem(
        UNSUPPORTED_MEDIA_TYPE,
        f"Expected Content-Type: application/json, but {came}.",
        headers={"Accept": "application/json"},
    )


def _too_large(limit: int) -> Problem:
    # What is still to come of the body is not read, so the connection cannot be used again.
    return Problem(
        TOO_LARGE,
        f"Expected a body of at most {limit} bytes, but it is larger.",
        headers={"Connection": "close"},
    )
