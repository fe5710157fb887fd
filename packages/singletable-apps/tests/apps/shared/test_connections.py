"""Slow and greedy clients: they are dropped, and others are served meanwhile."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from singletable_apps.shared.connections import ConnectionLimits, send_in_parts
from singletable_apps.shared.serve import Server, server_config

SECONDS = 10
# More than kernels buffer, for clients that do not read.
LARGE = 32 << 20
LIMITS = ConnectionLimits(head_bytes=16 << 10, bytes_per_second=1000, per_address=320)
REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


class Served:
    """A server in a thread with a clock that the tests move forward."""

    def __init__(self, limits: ConnectionLimits, proxies: tuple[str, ...]) -> None:
        self.server = Server(server_config(self._make_app()), limits, proxies)
        self.received = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self.port = 0

    def _make_app(self) -> ASGIApp:
        async def respond(scope: Scope, receive: Receive, send: Send) -> None:
            """Return the size of the body, or a large body, or wait until the client is gone."""
            self.received = 0
            if scope["type"] == "websocket":
                await send({"type": "websocket.accept"})
                while (await receive())["type"] != "websocket.disconnect":
                    pass
                return
            while (message := await receive())["type"] == "http.request":
                self.received += len(message["body"])
                if not message["more_body"] and scope["path"] != "/wait":
                    break
            body = b"x" * LARGE if scope["path"] == "/large" else str(self.received).encode()
            headers = [(b"content-length", str(len(body)).encode())]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": body})

        return respond

    @property
    def connections(self) -> int:
        return len(self.server.server_state.connections)

    def wait_for(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + SECONDS
        while not condition():
            assert time.monotonic() < deadline
            time.sleep(0.002)

    def connect(self, sent: bytes = b"") -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.port), SECONDS)
        client.sendall(sent)
        return client

    def pass_time(self, seconds: float) -> None:
        """Drop slow connections, as if this many seconds had passed."""
        loop = self._loop
        assert loop is not None

        async def drop() -> None:
            self.server.server_state.drop_slow_connections(loop.time() + seconds)

        asyncio.run_coroutine_threadsafe(drop(), loop).result(SECONDS)

    def get(self, sent: bytes = REQUEST) -> bytes:
        """Return the start of the response to a request."""
        with self.connect(sent) as client:
            return client.recv(1000)

    def run(self, listener: socket.socket) -> None:
        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            await self.server.serve([listener])

        asyncio.run(serve())


@contextmanager
def serve(
    limits: ConnectionLimits = LIMITS, proxies: tuple[str, ...] = ("127.0.0.1",)
) -> Generator[Served]:
    served = Served(limits, proxies)
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        served.port = listener.getsockname()[1]
        thread = threading.Thread(target=served.run, args=(listener,), daemon=True)
        thread.start()
        served.wait_for(lambda: served.server.started)
        try:
            yield served
        finally:
            served.server.should_exit = True
            thread.join(SECONDS)
    assert not thread.is_alive()


@pytest.fixture(scope="module")
def served() -> Generator[Served]:
    with serve() as served:
        yield served


SLOW = {
    "nothing": b"",
    "empty lines": b"\r\n\r\n",
    "a part of the first line": b"GET / HT",
    "a part of the head": b"GET / HTTP/1.1\r\nHost: a\r\nX",
    "a part of the body": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc",
    "a part of a chunk": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nab",
    "a part of a second head": b"GET / HT",
    "empty lines after a request": b"\r\n",
}


@pytest.mark.parametrize("case", SLOW)
def test_client_that_does_not_finish_its_request_is_disconnected(served: Served, case: str) -> None:
    with served.connect() as client:
        if "second" in case or "after" in case:
            client.sendall(REQUEST)
            _read_until(client, b"\r\n\r\n0")
        client.sendall(SLOW[case])
        served.wait_for(lambda: served.connections == 1)
        time.sleep(0.01)  # an event loop that is this late only makes the test weaker
        served.pass_time(19)
        assert served.connections == 1
        served.pass_time(21)
        with pytest.raises(ConnectionError):
            _read_all(client)
    served.wait_for(lambda: not served.connections)


def _read_until(client: socket.socket, ending: bytes) -> bytes:
    received = b""
    while not received.endswith(ending):
        part = client.recv(1000)
        assert part
        received += part
    return received


def _read_all(client: socket.socket) -> int:
    size = 0
    while received := client.recv(1 << 16):
        size += len(received)
    raise ConnectionError(f"closed after {size} bytes")


def test_three_hundred_slow_senders_delay_no_other_client(served: Served) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(served.connect(b"GET / HTTP/1.1\r\n")) for _ in range(300)]
        assert served.get().startswith(b"HTTP/1.1 200 ")
        for client in clients:
            client.sendall(b"X: y\r\n")
        served.wait_for(lambda: served.connections >= 300)
        served.pass_time(21)
        served.wait_for(lambda: not served.connections)


# A slow phone may take its time, as long as its upload continues.
def test_upload_may_take_longer_if_it_continues(served: Served) -> None:
    head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10001\r\n\r\n"
    with served.connect(head + b"x" * 10_000) as client:
        served.wait_for(lambda: served.received == 10_000)
        served.pass_time(29)
        client.sendall(b"x")
        _read_until(client, b"10001")


def test_client_that_does_not_read_is_disconnected(served: Served) -> None:
    with served.connect(REQUEST.replace(b"/ ", b"/large ")) as client:
        assert client.recv(100).startswith(b"HTTP/1.1 200")
        served.wait_for(lambda: served.connections == 1)
        served.pass_time(19)
        assert served.connections == 1
        served.pass_time(21)
        served.wait_for(lambda: not served.connections)


# A slow phone takes more than twenty seconds for a large image, but not for a part of it.
def test_large_body_is_written_in_parts(served: Served) -> None:
    with served.connect(REQUEST.replace(b"/ ", b"/large ")) as client:
        assert client.recv(100).startswith(b"HTTP/1.1 200")
        [connection] = served.server.server_state.connections
        unread = connection.transport.get_write_buffer_size
        served.wait_for(lambda: unread() > 0)
        served.pass_time(0)
        assert unread() <= 3 << 16
    served.wait_for(lambda: not served.connections)


@pytest.mark.parametrize("size", [0, 1, 1 << 16, (1 << 16) + 1, 2 << 16, 200_000])
def test_parts_are_the_whole_body(size: int) -> None:
    body = bytes(index % 251 for index in range(size))

    async def send_body(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": body})

    async def receive() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    async def run() -> None:
        await send_in_parts(send_body)({"type": "http"}, receive, send)

    sent: list[Message] = []
    asyncio.run(run())
    start, *parts = sent
    assert start == {"type": "http.response.start", "status": 200}
    assert b"".join(part["body"] for part in parts) == body
    assert [part.get("more_body", False) for part in parts] == [True] * (len(parts) - 1) + [False]
    assert max(len(part["body"]) for part in parts) <= 1 << 16


def test_slow_clients_are_dropped_while_the_server_runs() -> None:
    with serve(ConnectionLimits(head_seconds=0.01)) as served, served.connect(b"GET"):
        served.wait_for(lambda: served.connections == 1)
        served.wait_for(lambda: not served.connections)


def test_head_that_never_ends_is_refused(served: Served) -> None:
    with served.connect(b"GET / HTTP/1.1\r\nHost: a\r\n") as client:
        served.wait_for(lambda: served.connections == 1)
        for _ in range(SECONDS * 100):
            try:
                client.sendall(b"X: " + b"y" * 10_000 + b"\r\n")
            except ConnectionError:
                break
        served.wait_for(lambda: not served.connections)


@pytest.mark.parametrize(
    "limits", [ConnectionLimits(per_address=3), ConnectionLimits(connections=3)]
)
def test_too_many_connections_are_refused_until_others_end(limits: ConnectionLimits) -> None:
    with serve(limits, proxies=()) as served, ExitStack() as stack:
        clients = [stack.enter_context(served.connect(b"GET")) for _ in range(3)]
        served.wait_for(lambda: served.connections == 3)
        assert served.get().startswith(b"HTTP/1.1 503 ")
        clients[0].close()
        served.wait_for(lambda: served.connections == 2)
        assert served.get().startswith(b"HTTP/1.1 200 ")


# Sockets are open for hours. Behind a proxy, all would come from one address.
@pytest.mark.parametrize("proxies", [(), ("127.0.0.1",)])
def test_too_many_sockets_of_one_address_are_refused(proxies: tuple[str, ...]) -> None:
    def upgrade(address: str) -> bytes:
        return (
            b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            b"X-Forwarded-For: " + address.encode() + b"\r\n\r\n"
        )

    with serve(ConnectionLimits(sockets_per_address=1), proxies) as served:
        with served.connect(upgrade("192.0.2.1")) as client:
            assert client.recv(13) == b"HTTP/1.1 101 "
            assert served.get(upgrade("192.0.2.1")).startswith(b"HTTP/1.1 503 ")
            other = b"HTTP/1.1 101 " if proxies else b"HTTP/1.1 503 "
            assert served.get(upgrade("192.0.2.2")).startswith(other)
        served.wait_for(lambda: not served.connections)
        assert served.get(upgrade("192.0.2.1")).startswith(b"HTTP/1.1 101 ")


def test_proxy_may_open_any_number_of_connections() -> None:
    with serve(ConnectionLimits(per_address=1)) as served, served.connect(b"GET"):
        assert served.get().startswith(b"HTTP/1.1 200 ")


# Each takes 18 bytes, and some kilobytes in the server until it is answered.
def test_too_many_requests_ahead_of_their_responses_are_refused(served: Served) -> None:
    few = b"GET / HTTP/1.1\r\n\r\n" * LIMITS.pipelined
    assert served.get(b"GET / HTTP/1.1\r\n\r\n" + few).startswith(b"HTTP/1.1 200 ")
    assert served.get(b"GET /wait HTTP/1.1\r\n\r\n" + few + b"G").startswith(b"HTTP/1.1 400 ")
    served.wait_for(lambda: not served.server.server_state.tasks)


def test_every_handler_learns_that_its_client_is_gone(served: Served) -> None:
    with served.connect(b"GET /wait HTTP/1.1\r\n\r\n" + REQUEST):
        served.wait_for(lambda: len(served.server.server_state.tasks) == 1)
    served.wait_for(lambda: not served.server.server_state.tasks)
