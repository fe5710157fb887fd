"""An ASGI application that serves a driver in DynamoDB's JSON protocol."""

from __future__ import annotations

import logging
import os
from asyncio import Semaphore, to_thread
from collections.abc import Awaitable, Callable, Coroutine, Iterable, MutableMapping
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

from dynamodb_engine.errors import EngineError
from dynamodb_engine.operations import AsyncDriver, LargeOperations, Operation
from dynamodb_engine.operations.arn import TableArns
from dynamodb_engine.server.loopback import check_local_request
from dynamodb_engine.server.observe import METRICS_PATH, Exchange, Observer, execute_metered
from dynamodb_engine.wire import (
    MIN_COMPRESSED,
    HttpRequest,
    HttpResponse,
    add_header,
    check_target,
    compress_response,
    error_response,
    health_response,
    read_operation,
    result_response,
)

if TYPE_CHECKING:  # few endpoints have a guard: imported on first use
    from dynamodb_engine.server.guard import Guard
    from dynamodb_engine.server.guard.credentials import Identity

# The types of ASGI.
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

MAX_BODY = 16 * 1024 * 1024
MAX_SMALL_BODY = 64 * 1024
# Map each byte to one of 32 characters, all equally likely.
_LETTERS = b"0123456789ABCDEFGHIJKLMNOPQRSTUV" * 8
_logger = logging.getLogger(__name__)


def new_request_id() -> str:
    """Return a random request id in the format of AWS: 52 letters and digits."""
    return os.urandom(52).translate(_LETTERS).decode("ascii")


class DynamoDBApp:
    """An ASGI application that executes requests with a driver.

    The observer measures and logs each request. The guard authenticates and authorizes it; without
    one, the host must be localhost, an IP address or one of `allowed_hosts`. `driver_for` returns
    another driver for a request, or None; see `dynamodb_engine.faults.HeaderFaults`.
    """

    def __init__(
        self,
        driver: AsyncDriver,
        *,
        region: str = "us-east-1",
        account: str = "123456789012",
        observer: Observer | None = None,
        guard: Guard | None = None,
        allowed_hosts: Iterable[str] = (),
        driver_for: Callable[[HttpRequest], AsyncDriver | None] | None = None,
    ) -> None:
        self.driver = driver
        self.guard = guard
        self._allowed_hosts = frozenset(host.lower() for host in allowed_hosts)
        self._large_requests = Semaphore(1)
        # Those with a driver of their own may take long, but must not delay others.
        self._other_large_requests = Semaphore(1)
        self._driver_for = driver_for
        self.region = region
        self._arns = TableArns(region, account)
        self.new_id = new_request_id
        self.max_body = MAX_BODY
        self.observer = observer

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one ASGI scope: a request or the lifespan."""
        match scope["type"]:
            case "lifespan":
                await _run_lifespan(receive, send)
            case "http":
                request = await self._receive(scope, receive)
                if request is not None:
                    await _send(request, await self.handle(request), send)
            case other:
                raise ValueError(f"Expected an HTTP request, but got {other}.")

    def handle(self, request: HttpRequest) -> Coroutine[Any, Any, HttpResponse]:
        """Return the response to a complete request."""
        exchange = Exchange(request, self._arns)
        if self.observer is None:
            return self._respond(exchange)
        return self._respond_observed(exchange, self.observer)

    async def _respond_observed(self, exchange: Exchange, observer: Observer) -> HttpResponse:
        started = observer.request_started()
        response: HttpResponse | None = None
        try:
            response = await self._respond(exchange)
            return response
        finally:
            observer.request_finished(started, exchange, response)

    async def _respond(self, exchange: Exchange) -> HttpResponse:
        request = exchange.request
        request_id = exchange.request_id = self.new_id()
        try:
            if self.guard is None or request.target == METRICS_PATH:
                check_local_request(request, self._allowed_hosts)
            if self.observer is not None:
                page = self.observer.metrics_page(request)
                if page is not None:
                    return page
            health = health_response(request, self.region, request_id)
            if health is not None:
                return health
            result = await self._execute(exchange)
        except EngineError as error:
            # The frames of its traceback refer to the exchange, so keeping it would be a cycle.
            error.__traceback__ = error.__context__ = error.__cause__ = None
            exchange.error = error
            response = error_response(error, request, request_id)
        except Exception:
            # A bug in the server: the client gets no details of it.
            _logger.exception("Unhandled error in request %s", request_id)
            exchange.error = EngineError("Internal server error")
            response = error_response(exchange.error, request, request_id)
        else:
            response = result_response(result, request, request_id)
        if len(response.body) < MIN_COMPRESSED or "accept-encoding" not in request.headers:
            return response
        if len(response.body) <= MAX_SMALL_BODY:
            return compress_response(response, request)
        return await to_thread(compress_response, response, request)

    async def _execute(self, exchange: Exchange) -> object:
        """Authenticate, parse, authorize and execute the request, in the order of DynamoDB."""
        request = exchange.request
        identity = None
        if self.guard is not None:
            check_target(request)
            identity = self.guard.authenticate(request)
            exchange.identity = identity.name
        driver = None if self._driver_for is None else self._driver_for(request)
        if len(request.body) <= MAX_SMALL_BODY and "content-encoding" not in request.headers:
            operation = exchange.operation = read_operation(request, self.max_body)
            return await self._run(operation, exchange, identity, driver or self.driver)
        # Parsing and checking a large request, or one that may be large once decompressed, takes
        # time and memory: do it in a thread, one request at a time.
        async with self._large_requests if driver is None else self._other_large_requests:
            operation, prepared = await to_thread(self._read_large, request)
            exchange.operation = operation
            return await self._run(operation, exchange, identity, driver or prepared)

    def _read_large(self, request: HttpRequest) -> tuple[Operation[object], AsyncDriver]:
        operation = read_operation(request, self.max_body)
        if not isinstance(self.driver, LargeOperations):
            return operation, self.driver
        # Do this before authorization, which iterates over the lists.
        return operation, self.driver.prepare_large(operation)

    def _run(
        self,
        operation: Operation[object],
        exchange: Exchange,
        identity: Identity | None,
        driver: AsyncDriver,
    ) -> Awaitable[object]:
        """Return an awaitable that executes the operation, avoiding one more coroutine."""
        if self.guard is not None and identity is not None:
            return self._run_guarded(operation, exchange, self.guard, identity, driver)
        if self.observer is None:
            return driver.execute(operation)
        return execute_metered(driver, operation, exchange)

    async def _run_guarded(
        self,
        operation: Operation[object],
        exchange: Exchange,
        guard: Guard,
        identity: Identity,
        driver: AsyncDriver,
    ) -> object:
        await guard.authorize(identity, operation, self.driver)
        limiter = guard.unit_limiter(identity)
        if self.observer is None and limiter is None:
            return await driver.execute(operation)
        result = await execute_metered(driver, operation, exchange)
        if limiter is not None:
            limiter.charge(operation, exchange.consumed)
        return result

    async def _receive(self, scope: Message, receive: Receive) -> HttpRequest | None:
        """Return the request, cut off beyond `max_body`; None if the client disconnected."""
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
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            add_header(headers, name, value)
        address = scope.get("client")
        client = "" if address is None else str(address[0])
        return HttpRequest(scope["method"], _target(scope), headers, b"".join(chunks), client)


def _target(scope: Message) -> str:
    """Return the encoded target; a server without `raw_path` passes it decoded."""
    path: bytes = scope.get("raw_path") or quote(scope["path"]).encode("ascii")
    query: bytes = scope.get("query_string", b"")
    return (path + b"?" + query if query else path).decode("latin-1")


async def _run_lifespan(receive: Receive, send: Send) -> None:
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
