"""HTTP connections over sockets, and a connection pool that threads share."""

from __future__ import annotations

import os
import select
import socket
import threading
import time
from collections import deque

from singletable.remote.address import ConnectionOptions
from singletable.remote.config import Proxy, ResolvedConfig
from singletable.remote.errors import (
    ConnectionLost,
    broken_connection,
    cannot_connect,
    check_tunnel,
    driver_closed,
    invalid_http,
    pool_exhausted,
    response_timeout,
)
from singletable.remote.http import InvalidHttp, Response, ResponseParser, connect_request

_CHUNK = 64 * 1024
# Servers close idle connections after about a minute; we stop using them before.
MAX_IDLE_SECONDS = 50.0


class HttpConnection:
    """One connection, used by one thread at a time."""

    def __init__(self, config: ResolvedConfig, connect_timeout: float) -> None:
        self._socket = _open_socket(config, connect_timeout)
        self._parser = ResponseParser()
        self._timeout: float | None = None
        self._readable = select.poll()
        self._readable.register(self._socket, select.POLLIN)
        self._last_used = 0.0
        self.reused = False

    def send(self, request: bytes, timeout: float) -> Response:
        """Send a request and return the response, or raise ConnectionLost."""
        if self._timeout != timeout:
            self._set_timeout(timeout)
        try:
            self._socket.sendall(request)
        except TimeoutError:
            reason = f"the request was not sent within {timeout:g} s"
            raise ConnectionLost(reason, arrived=False, timed_out=True) from None
        except OSError as error:  # an incomplete request cannot have been processed
            raise ConnectionLost(f"the connection broke ({error})", arrived=False) from None
        self._parser.reset()
        return self._receive(timeout)

    def is_usable(self, now: float) -> bool:
        """Return whether the connection can be reused."""
        # Readable data while idle is not a response: usually the server closed the connection.
        return now - self._last_used < MAX_IDLE_SECONDS and not self._readable.poll(0)

    def mark_idle(self) -> None:
        """Record that the connection was used and is kept."""
        self.reused = True
        self._last_used = time.monotonic()

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _receive(self, timeout: float) -> Response:
        parser = self._parser
        deadline = time.monotonic() + timeout
        while True:
            try:
                data = self._socket.recv(_CHUNK)
                response = parser.feed(data) if data else parser.finish()
            except TimeoutError:
                raise response_timeout(timeout, started=parser.started) from None
            except InvalidHttp as error:
                raise invalid_http(error) from None
            except OSError as error:
                raise broken_connection(error, started=parser.started) from None
            if response is not None:
                return response
            if not data:
                raise broken_connection("it was closed", started=parser.started)
            # The timeout is for the whole response, not for each part.
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise response_timeout(timeout, started=parser.started)
            self._set_timeout(remaining)

    def _set_timeout(self, seconds: float) -> None:
        self._timeout = seconds
        self._socket.settimeout(seconds)


def _open_socket(config: ResolvedConfig, timeout: float) -> socket.socket:
    target = config.proxy or config.endpoint
    try:
        opened = socket.create_connection((target.host, target.port), timeout)
    except (OSError, UnicodeError) as error:
        raise cannot_connect(config, error) from error
    try:
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if config.tls is None:
            return opened
        if config.proxy is not None:
            _open_tunnel(opened, config, config.proxy)
        return config.tls.wrap_socket(opened, server_hostname=config.endpoint.host)
    except (OSError, InvalidHttp) as error:
        opened.close()
        raise cannot_connect(config, error) from error
    except BaseException:
        opened.close()
        raise


def _open_tunnel(opened: socket.socket, config: ResolvedConfig, proxy: Proxy) -> None:
    opened.sendall(connect_request(config.endpoint, proxy))
    parser = ResponseParser()
    status = None
    while status is None:
        data = opened.recv(_CHUNK)
        if not data:
            raise ConnectionResetError("it was closed")
        status = parser.feed_connect(data)
    check_tunnel(status, config, proxy)


class ConnectionPool:
    """A limited number of connections, shared by threads; a thread waits until one is free."""

    def __init__(self, config: ResolvedConfig, options: ConnectionOptions) -> None:
        self._config = config
        self._options = options
        self._closed = False
        self._reset()

    def acquire(self, *, new: bool = False) -> HttpConnection:
        """Return a connection for one thread: the one used last, or a new one."""
        if self._process != os.getpid():
            self._reset()  # after a fork, the connections belong to the parent process
        if not self._free.acquire(timeout=self._options.timeout):
            raise pool_exhausted(self._options)
        try:
            if self._closed:
                raise driver_closed()
            return self._pop_usable(new=new) or HttpConnection(
                self._config, self._options.connect_timeout
            )
        except BaseException:
            self._free.release()
            raise

    def release(self, connection: HttpConnection, *, keep: bool) -> None:
        """Take a connection back; `keep` it for others, or close it."""
        if keep and not self._closed:
            connection.mark_idle()
            self._idle.append(connection)
        else:
            connection.close()
        self._free.release()

    def close(self) -> None:
        """Close idle connections; requests in flight finish. Closing twice is fine."""
        self._closed = True
        while (connection := self._pop()) is not None:
            connection.close()

    def _reset(self) -> None:
        self._process = os.getpid()
        self._idle: deque[HttpConnection] = deque()
        self._free = threading.Semaphore(self._options.connections)

    def _pop_usable(self, *, new: bool) -> HttpConnection | None:
        while (connection := self._pop()) is not None:
            if not new and connection.is_usable(time.monotonic()):
                return connection
            connection.close()
        return None

    def _pop(self) -> HttpConnection | None:
        try:
            return self._idle.pop()
        except IndexError:  # empty, or another thread was faster
            return None
