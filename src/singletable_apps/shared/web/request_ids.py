"""A number for each request, which the caller may choose, and which answers and records show."""

from __future__ import annotations

import re
from secrets import token_hex

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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

        async def send_with_number(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["X-Request-Id"] = number
            await send(message)

        state = {**scope.get("state", {}), "request_id": number}
        await self.app({**scope, "state": state}, receive, send_with_number)
