"""HTTP messages without I/O: write signed requests, parse responses."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from httptools import HttpParserError, HttpResponseParser

from dynamodb_engine.operations import Operation
from dynamodb_engine.operations.registry import OPERATIONS
from dynamodb_engine.wire import write_request
from singletable.remote.config import Proxy, RemoteEndpoint
from singletable.remote.errors import unsupported_operation
from singletable.remote.signature import Credentials, Signer

# DynamoDB's largest response has 16 MB.
MAX_BODY = 64 * 1024 * 1024
MAX_HEAD = 64 * 1024


class RequestWriter:
    """Write signed requests for one endpoint.

    `proxy` is a proxy that forwards plain requests, not one that opens a tunnel.
    """

    def __init__(
        self,
        endpoint: RemoteEndpoint,
        clock: Callable[[], float] = time.time,
        *,
        proxy: Proxy | None = None,
    ) -> None:
        self.endpoint = endpoint
        self._is_aws = endpoint.is_aws
        self._clock = clock
        self._signer = Signer(endpoint.authority, endpoint.region)
        target = "/" if proxy is None else f"{endpoint}/"
        self._head = (
            f"POST {target} HTTP/1.1\r\naccept-encoding: identity\r\nuser-agent: singletable\r\n"
            f"{'' if proxy is None else proxy.header}"
        ).encode()

    def write(self, operation: Operation[Any], credentials: Credentials) -> bytes:
        """Return the request, signed at the current time."""
        target, body = write_request(operation)
        if self._is_aws and OPERATIONS[type(operation)].service == "singletable":
            raise unsupported_operation(self.endpoint, operation)
        signed = self._signer.headers(target, body, credentials, self._clock())
        return b"%b%bcontent-length: %d\r\n\r\n%b" % (self._head, signed, len(body), body)


def connect_request(endpoint: RemoteEndpoint, proxy: Proxy) -> bytes:
    """Return the CONNECT request for a tunnel through the proxy."""
    host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    target = f"{host}:{endpoint.port}"
    return f"CONNECT {target} HTTP/1.1\r\nhost: {target}\r\n{proxy.header}\r\n".encode()


@dataclass(frozen=True, slots=True)
class Response:
    """A complete response; header names are in lower case."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes
    keep_alive: bool


class InvalidHttp(Exception):
    """The received bytes are not the one response that was expected."""


class ResponseParser:
    """Parse the responses of one connection, one after the other."""

    def __init__(self) -> None:
        self._parser = HttpResponseParser(self)
        self.reset()

    def reset(self) -> None:
        """Prepare for the next response."""
        self._response: Response | None = None
        self._headers: dict[bytes, bytes] = {}
        self._body: list[bytes] = []
        self._size = 0
        self._head_complete = False
        self.started = False

    def feed(self, data: bytes) -> Response | None:
        """Parse more bytes; return the response once it is complete."""
        self.started = True
        self._size += len(data)
        if self._size > (MAX_BODY if self._head_complete else MAX_HEAD + len(data)):
            raise InvalidHttp("it is too large")
        try:
            self._parser.feed_data(data)
        except HttpParserError as error:
            if self._response is None:
                raise InvalidHttp(str(error)) from None
            # The response was complete before the invalid bytes: use it, but not the connection.
            complete = self._response
            return Response(complete.status, complete.headers, complete.body, keep_alive=False)
        return self._response

    def feed_connect(self, data: bytes) -> int | None:
        """Parse a proxy's response to CONNECT; return its status once the head is complete."""
        self.feed(data)
        return self._parser.get_status_code() if self._head_complete else None

    def finish(self) -> Response | None:
        """Return the response if the end of the connection completes it."""
        if self._response is not None or not self._head_complete:
            return self._response
        if b"content-length" in self._headers or b"transfer-encoding" in self._headers:
            return None
        self._complete(keep_alive=False)
        return self._response

    # Callbacks of httptools

    def on_header(self, name: bytes, value: bytes) -> None:
        """Store a header."""
        if self._response is None:
            self._headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        """Mark the head as complete."""
        self._head_complete = True

    def on_body(self, part: bytes) -> None:
        """Store a part of the body."""
        if self._response is None:
            self._body.append(part)

    def on_message_begin(self) -> None:
        """Reject a second response."""
        if self._response is not None:
            raise InvalidHttp("another response follows")

    def on_message_complete(self) -> None:
        """Create the response."""
        if self._parser.get_status_code() < 200:  # informational: the response is yet to come
            self._headers = {}
            self._head_complete = False
        elif self._response is None:
            self._complete(keep_alive=self._parser.should_keep_alive())

    def _complete(self, *, keep_alive: bool) -> None:
        body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
        status = self._parser.get_status_code()
        self._response = Response(status, self._headers, body, keep_alive)
