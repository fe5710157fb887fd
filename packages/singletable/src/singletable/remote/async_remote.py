"""The async driver for DynamoDB and other servers that speak its protocol."""

from __future__ import annotations

import asyncio
import dataclasses
from types import TracebackType
from typing import Any, TypeVar, cast
from uuid import uuid4

from msgspec.structs import replace

from dynamodb_engine.operations import ExecuteTransaction, Operation, TransactWriteItems
from dynamodb_engine.operations.registry import OPERATIONS, is_write
from dynamodb_engine.retry import RetryingDriver, RetryPolicy, send
from dynamodb_engine.steps import run_async
from singletable.remote.address import ConnectionOptions, parse_address
from singletable.remote.async_connections import AsyncConnectionPool
from singletable.remote.config import RemoteEndpoint, ResolvedConfig, resolve_config
from singletable.remote.errors import ConnectionLost, may_resend, no_response
from singletable.remote.http import RequestWriter
from singletable.remote.outputs import decode_response

R = TypeVar("R")


class AsyncRemoteClient:
    """The driver that sends each request once."""

    def __init__(self, config: ResolvedConfig, options: ConnectionOptions) -> None:
        self._endpoint = config.endpoint
        self._streams: AsyncRemoteClient | None = None
        if config.endpoint.for_streams != config.endpoint:
            streams = dataclasses.replace(config, endpoint=config.endpoint.for_streams)
            self._streams = AsyncRemoteClient(streams, options)
        # With TLS the proxy opens a tunnel; otherwise it forwards the requests.
        forwarding_proxy = config.proxy if config.tls is None else None
        self._writer = RequestWriter(config.endpoint, proxy=forwarding_proxy)
        self._credentials = config.credentials
        self._pool = AsyncConnectionPool(config, options)
        self._timeout = options.timeout

    async def execute(self, operation: Operation[R], /) -> R:
        """Send the request and return its output, or raise the error of the response."""
        if self._streams is not None and OPERATIONS[type(operation)].service == "dynamodbstreams":
            return await self._streams.execute(operation)
        pool, credentials = self._pool, self._credentials
        if credentials.needs_refresh():  # async only
            await asyncio.to_thread(credentials.get)
        request = self._writer.write(operation, credentials.get())
        connection = await pool.acquire()
        while True:
            keep = False
            try:
                response = await connection.send(request, self._timeout, finish=is_write(operation))
                keep = response.keep_alive
                break
            except ConnectionLost as lost:
                if not may_resend(operation, lost, reused=connection.reused):
                    raise no_response(self._endpoint, operation, lost) from None
            except asyncio.CancelledError as canceled:  # async only
                connection.explain(canceled, self._endpoint, operation)
                raise
            finally:
                # If the caller is interrupted, a late response must not reach the next one.
                pool.release(connection, keep=keep)
            connection = await pool.acquire(new=True)
        return decode_response(self._endpoint, operation, response)

    async def aclose(self) -> None:
        """Close all connections."""
        if self._streams is not None:
            await self._streams.aclose()
        self._pool.close()


class AsyncRemote(RetryingDriver):
    """DynamoDB, or a server that speaks its protocol.

    Throttled and failed requests are retried like the AWS SDKs do; a store does not use these
    retries, but its own.
    """

    def __init__(self, config: ResolvedConfig, options: ConnectionOptions) -> None:
        self.endpoint: RemoteEndpoint = config.endpoint
        self.retry_policy: RetryPolicy = config.retry_policy
        self.inner = AsyncRemoteClient(config, options)

    @classmethod
    def at(cls, address: str) -> AsyncRemote:
        """Create a driver for an address; no request is sent yet."""
        options = parse_address(address)
        return cls(resolve_config(options), options)

    async def execute(self, operation: Operation[R], /) -> R:
        """Send the request and return its output, or raise the error of the response."""
        return await run_async(self.inner, send(self.retry_policy, _with_client_token(operation)))

    async def aclose(self) -> None:
        """Close all connections. Closing twice is fine."""
        await self.inner.aclose()

    async def __aenter__(self) -> AsyncRemote:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


def _with_client_token(operation: Operation[R]) -> Operation[R]:
    """Add a client token to a transaction, so that retries apply it once."""
    transaction: Operation[Any] = operation
    if (
        isinstance(transaction, TransactWriteItems | ExecuteTransaction)
        and transaction.client_request_token is None
    ):
        return cast("Operation[R]", replace(transaction, client_request_token=str(uuid4())))
    return operation
