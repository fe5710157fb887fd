# Generated from async_remote.py by `make generate`; edit it there.
"""The driver for DynamoDB and other servers that speak its protocol."""

from __future__ import annotations

import dataclasses
from types import TracebackType
from typing import Any, TypeVar, cast
from uuid import uuid4

from msgspec.structs import replace

from dynamodb_engine.operations import ExecuteTransaction, Operation, TransactWriteItems
from dynamodb_engine.operations.registry import OPERATIONS
from dynamodb_engine.retry import RetryingDriver, RetryPolicy, send
from dynamodb_engine.steps import run
from singletable.remote.address import ConnectionOptions, parse_address
from singletable.remote.config import RemoteEndpoint, ResolvedConfig, resolve_config
from singletable.remote.connections import ConnectionPool
from singletable.remote.errors import ConnectionLost, may_resend, no_response
from singletable.remote.http import RequestWriter
from singletable.remote.outputs import decode_response

R = TypeVar("R")


class RemoteClient:
    """The driver that sends each request once; safe to use from many threads."""

    def __init__(self, config: ResolvedConfig, options: ConnectionOptions) -> None:
        self._endpoint = config.endpoint
        self._streams: RemoteClient | None = None
        if config.endpoint.for_streams != config.endpoint:
            streams = dataclasses.replace(config, endpoint=config.endpoint.for_streams)
            self._streams = RemoteClient(streams, options)
        # With TLS the proxy opens a tunnel; otherwise it forwards the requests.
        forwarding_proxy = config.proxy if config.tls is None else None
        self._writer = RequestWriter(config.endpoint, proxy=forwarding_proxy)
        self._credentials = config.credentials
        self._pool = ConnectionPool(config, options)
        self._timeout = options.timeout

    def execute(self, operation: Operation[R], /) -> R:
        """Send the request and return its output, or raise the error of the response."""
        if self._streams is not None and OPERATIONS[type(operation)].service == "dynamodbstreams":
            return self._streams.execute(operation)
        pool, credentials = self._pool, self._credentials
        request = self._writer.write(operation, credentials.get())
        connection = pool.acquire()
        while True:
            keep = False
            try:
                response = connection.send(request, self._timeout)
                keep = response.keep_alive
                break
            except ConnectionLost as lost:
                if not may_resend(operation, lost, reused=connection.reused):
                    raise no_response(self._endpoint, operation, lost) from None
            finally:
                # If the caller is interrupted, a late response must not reach the next one.
                pool.release(connection, keep=keep)
            connection = pool.acquire(new=True)
        return decode_response(self._endpoint, operation, response)

    def close(self) -> None:
        """Close all connections."""
        if self._streams is not None:
            self._streams.close()
        self._pool.close()


class Remote(RetryingDriver):
    """DynamoDB, or a server that speaks its protocol.

    Throttled and failed requests are retried like the AWS SDKs do; a store does not use these
    retries, but its own.
    """

    def __init__(self, config: ResolvedConfig, options: ConnectionOptions) -> None:
        self.endpoint: RemoteEndpoint = config.endpoint
        self.retry_policy: RetryPolicy = config.retry_policy
        self.inner = RemoteClient(config, options)

    @classmethod
    def at(cls, address: str) -> Remote:
        """Create a driver for an address; no request is sent yet."""
        options = parse_address(address)
        return cls(resolve_config(options), options)

    def execute(self, operation: Operation[R], /) -> R:
        """Send the request and return its output, or raise the error of the response."""
        return run(self.inner, send(self.retry_policy, _with_client_token(operation)))

    def close(self) -> None:
        """Close all connections. Closing twice is fine."""
        self.inner.close()

    def __enter__(self) -> Remote:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _with_client_token(operation: Operation[R]) -> Operation[R]:
    """Add a client token to a transaction, so that retries apply it once."""
    transaction: Operation[Any] = operation
    if (
        isinstance(transaction, TransactWriteItems | ExecuteTransaction)
        and transaction.client_request_token is None
    ):
        return cast("Operation[R]", replace(transaction, client_request_token=str(uuid4())))
    return operation
