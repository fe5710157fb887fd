"""Any driver on the wire: an ASGI application that speaks DynamoDB's JSON protocol."""

from __future__ import annotations

import logging
import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

from singletable.errors import SingleTableError
from singletable.operations import AsyncDriver
from singletable.server.observe import Exchange, Observer, metered
from singletable.server.request_faults import RequestFaults
from singletable.wire import (
    HttpRequest,
    HttpResponse,
    check_target,
    error_response,
    not_for_us,
    operation_of,
    result_response,
)

if TYPE_CHECKING:  # most endpoints have no guard, and none waits for what it needs
    from singletable.server.guard import Guard

# ASGI's own shapes: messages are mappings of anything.
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

MAX_BODY = 16 * 1024 * 1024
# Each byte to one of 32 characters, so that each is as likely as the others.
_LETTERS = b"0123456789ABCDEFGHIJKLMNOPQRSTUV" * 8
_logger = logging.getLogger(__name__)


def new_request_id() -> str:
    """An id as AWS gives each request: 52 letters and digits."""
    return os.urandom(52).translate(_LETTERS).decode("ascii")


class DynamoDBApp:
    """An ASGI application around a driver.

    An observer is told of each request it answers; a guard decides who may ask, and what. A client
    may ask for faults with a header; see `singletable.faults`.
    """

    def __init__(
        self,
        driver: AsyncDriver,
        *,
        region: str = "us-east-1",
        new_id: Callable[[], str] = new_request_id,
        max_body: int = MAX_BODY,
        observer: Observer | None = None,
        guard: Guard | None = None,
    ) -> None:
        self.driver = driver
        self.guard = guard
        self._faults = RequestFaults(driver)
        self.region = region
        self.new_id = new_id
        self.max_body = max_body
        self.observer = observer

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, or go along with the server's start and end."""
        match scope["type"]:
            case "lifespan":
                await _live(receive, send)
            case "http":
                request = await self._request(scope, receive)
                if request is not None:
                    await _send(request, await self.answer(request), send)
            case other:
                raise ValueError(f"An endpoint answers HTTP, not {other}.")

    async def answer(self, request: HttpRequest) -> HttpResponse:
        """The response to a request that has arrived in full."""
        exchange = Exchange(request)
        observer = self.observer
        if observer is None:
            return await self._answer(exchange)
        began = observer.began()
        response: HttpResponse | None = None
        try:
            response = await self._answer(exchange)
            return response
        finally:
            observer.ended(began, exchange, response)

    async def _answer(self, exchange: Exchange) -> HttpResponse:
        request = exchange.request
        request_id = exchange.request_id = self.new_id()
        if self.observer is not None and (page := self.observer.page(request)) is not None:
            return page
        stray = not_for_us(request, self.region, request_id)
        if stray is not None:
            return stray
        try:
            result = await self._execute(exchange)
        except SingleTableError as error:
            exchange.error = error
        except Exception:
            # A fault of ours; the client gets an answer all the same, and is told nothing of it.
            _logger.exception("Request %s could not be answered", request_id)
            exchange.error = SingleTableError("Internal server error")
        else:
            return result_response(result, request, request_id)
        return error_response(exchange.error, request, request_id)

    async def _execute(self, exchange: Exchange) -> object:
        """The result, in the order of DynamoDB: who asks, what they ask, and whether they may."""
        request = exchange.request
        identity = None
        if self.guard is not None:
            check_target(request)
            identity = self.guard.admit(request)
            exchange.identity = identity.name
        operation = exchange.operation = operation_of(request, self.max_body)
        if self.guard is not None and identity is not None:
            await self.guard.check(identity, operation, self.driver)
        driver = self._faults.driver_for(request)
        if self.observer is None:
            return await driver.execute(operation)
        return await metered(driver, operation, exchange)

    async def _request(self, scope: Message, receive: Receive) -> HttpRequest | None:
        """The request once it is here, or as much of it as is too much; None if nobody waits."""
        chunks: list[bytes] = []
        size, more = 0, True
        while more and size <= self.max_body:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            chunk: bytes = message.get("body", b"")
            chunks.append(chunk)
            size += len(chunk)
            more = message.get("more_body", False)
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        address = scope.get("client")
        client = "" if address is None else str(address[0])
        return HttpRequest(scope["method"], _target(scope), headers, b"".join(chunks), client)


def _target(scope: Message) -> str:
    """The target as it was sent; servers that do not keep it give it decoded."""
    path: bytes = scope.get("raw_path") or quote(scope["path"]).encode("ascii")
    query: bytes = scope.get("query_string", b"")
    return (path + b"?" + query if query else path).decode("latin-1")


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
        elif message["type"] == "lifespan.shutdown":
            await send({"type": "lifespan.shutdown.complete"})
            return


async def _send(request: HttpRequest, response: HttpResponse, send: Send) -> None:
    headers = [(name.encode(), value.encode()) for name, value in response.headers.items()]
    headers.append((b"content-length", str(len(response.body)).encode()))
    body = b"" if request.method == "HEAD" else response.body
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
