"""Any driver on the wire: an ASGI application that speaks DynamoDB's JSON protocol."""

from __future__ import annotations

import os
from base64 import b32encode
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from singletable.errors import SingleTableError
from singletable.operations import AsyncDriver
from singletable.wire import (
    HttpRequest,
    HttpResponse,
    error_response,
    not_for_us,
    operation_of,
    result_response,
)

# ASGI's own shapes: messages are mappings of anything.
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

MAX_BODY = 16 * 1024 * 1024


def new_request_id() -> str:
    """An id as AWS gives each request: 52 letters and digits."""
    return b32encode(os.urandom(33))[:52].decode()


class DynamoDBApp:
    """An ASGI application around a driver."""

    def __init__(
        self,
        driver: AsyncDriver,
        *,
        region: str = "us-east-1",
        new_id: Callable[[], str] = new_request_id,
        max_body: int = MAX_BODY,
    ) -> None:
        self.driver = driver
        self.region = region
        self.new_id = new_id
        self.max_body = max_body

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one connection's request, or go along with the server's start and end."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            await _send(await self._answer(scope, receive), send)

    async def answer(self, request: HttpRequest) -> HttpResponse:
        """The response to a request that has arrived in full."""
        request_id = self.new_id()
        stray = not_for_us(request, self.region, request_id)
        if stray is not None:
            return stray
        try:
            result = await self.driver.execute(operation_of(request, self.max_body))
        except SingleTableError as error:
            return error_response(error, request, request_id)
        return result_response(result, request, request_id)

    async def _answer(self, scope: Message, receive: Receive) -> HttpResponse:
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        chunks: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return HttpResponse(400)
            chunk: bytes = message.get("body", b"")
            chunks.append(chunk)
            size += len(chunk)
            if size > self.max_body:
                return HttpResponse(413)
            if not message.get("more_body", False):
                break
        return await self.answer(
            HttpRequest(scope["method"], scope["path"], headers, b"".join(chunks))
        )


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
        elif message["type"] == "lifespan.shutdown":
            await send({"type": "lifespan.shutdown.complete"})
            return


async def _send(response: HttpResponse, send: Send) -> None:
    headers = [(name.encode(), value.encode()) for name, value in response.headers.items()]
    headers.append((b"content-length", str(len(response.body)).encode()))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": response.body})
