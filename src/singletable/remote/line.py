"""A connection over a socket: a request goes out, an answer comes back."""

from __future__ import annotations

import select
import socket
import time

from singletable.errors import ConnectionFailed
from singletable.remote.chain import Found
from singletable.remote.failures import Lost, not_connected
from singletable.remote.proxy import Proxy, connect_request
from singletable.remote.response import Answer, NotHttp, Responses

_PART = 64 * 1024
# Other ends let go of a connection after a minute or so; ours does it before.
KEPT_FOR = 50.0


class Line:
    """One connection, used by one thread at a time."""

    def __init__(self, found: Found, connect_timeout: float) -> None:
        self._found = found
        self._socket = _open(found, connect_timeout)
        self._responses = Responses()
        self._timeout: float | None = None
        self._ended = select.poll()
        self._ended.register(self._socket, select.POLLIN)
        self.kept = False
        self.since = 0.0

    def exchange(self, request: bytes, timeout: float) -> Answer:
        """The answer to a request; Lost if there is none."""
        if self._timeout != timeout:
            self._wait_for(timeout)
        try:
            self._socket.sendall(request)
        except TimeoutError:
            raise Lost(f"it was not sent within {timeout:g} s", arrived=False, late=True) from None
        except OSError as error:  # what did not go out in full cannot have been understood
            raise Lost(f"the connection broke ({error})", arrived=False) from None
        self._responses.begin()
        return self._receive(timeout)

    def is_fresh(self, now: float) -> bool:
        """Whether it may be used again: not kept for too long, and nothing has come meanwhile."""
        # Whatever can be read now is no answer: most likely the other end has hung up.
        return now - self.since < KEPT_FOR and not self._ended.poll(0)

    def keep(self) -> None:
        """Note that it was used, and is kept."""
        self.kept = True
        self.since = time.monotonic()

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def _receive(self, timeout: float) -> Answer:
        responses = self._responses
        until = time.monotonic() + timeout
        while True:
            try:
                data = self._socket.recv(_PART)
                answer = responses.feed(data) if data else responses.end()
            except TimeoutError:
                raise _late(timeout, responses) from None
            except NotHttp as error:
                raise Lost(f"what came is no HTTP ({error})", arrived=True, begun=True) from None
            except OSError as error:
                raise _broken(str(error), responses) from None
            if answer is not None:
                return answer
            if not data:
                raise _broken("it was closed", responses)
            # A time-out is for the answer, not for each part of it.
            left = until - time.monotonic()
            if left <= 0:
                raise _late(timeout, responses)
            self._wait_for(left)

    def _wait_for(self, seconds: float) -> None:
        self._timeout = seconds
        self._socket.settimeout(seconds)


def _late(timeout: float, responses: Responses) -> Lost:
    return Lost(f"none came within {timeout:g} s", arrived=True, begun=responses.begun, late=True)


def _broken(why: str, responses: Responses) -> Lost:
    return Lost(f"the connection broke ({why})", arrived=True, begun=responses.begun)


def _open(found: Found, timeout: float) -> socket.socket:
    place, proxy = found.place, found.proxy
    try:
        there = (place.host, place.port) if proxy is None else (proxy.host, proxy.port)
        opened = socket.create_connection(there, timeout)
    except (OSError, UnicodeError) as error:
        raise not_connected(place, proxy, error) from error
    try:
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if found.tls is None:
            return opened
        if proxy is not None:
            _tunnel(opened, found, proxy)
        return found.tls.wrap_socket(opened, server_hostname=place.host)
    except (OSError, NotHttp) as error:
        opened.close()
        raise not_connected(place, proxy, error) from error
    except BaseException:
        opened.close()
        raise


def _tunnel(opened: socket.socket, found: Found, proxy: Proxy) -> None:
    opened.sendall(connect_request(found.place, proxy))
    responses = Responses()
    status = None
    while status is None:
        data = opened.recv(_PART)
        if not data:
            raise ConnectionResetError("it was closed")
        status = responses.tunnel(data)
    check_tunnel(status, found, proxy)


def check_tunnel(status: int, found: Found, proxy: Proxy) -> None:
    """Raise ConnectionFailed unless the proxy lets us through."""
    if not 200 <= status < 300:
        raise ConnectionFailed(
            f"{proxy} does not let us through to {found.place}: it answers with status {status}. "
            "HTTPS_PROXY names it; NO_PROXY lists hosts to reach without."
        )
