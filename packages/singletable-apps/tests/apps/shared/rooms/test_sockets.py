"""Rooms over real sockets, through the site and all middleware."""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, suppress
from threading import Thread
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from singletable_apps.shared.rooms.protocol import WebSocketProtocol, encode_text_frame
from tests.apps.shared.rooms.chat import LIMITS, Chat, serve_chat

SECONDS = 20


@pytest.fixture(scope="module")
def chat() -> Chat:
    return Chat()


@pytest.fixture(scope="module")
def host(chat: Chat) -> Generator[str]:
    with serve_chat(chat) as host:
        yield host


def open_socket(
    host: str, key: str, name: str, query: str = "", **options: Any
) -> ClientConnection:
    """Connect to a room."""
    headers = {"Authorization": f"Bearer {name}"} if name else {}
    url = f"ws://{host}/rooms/{key}/socket{query}"
    client: ClientConnection = connect(url, additional_headers=headers, **options)
    return client


def read(client: ClientConnection) -> dict[str, Any]:
    """Return the next message."""
    message: dict[str, Any] = json.loads(client.recv(SECONDS))
    return message


def read_until(client: ClientConnection, message_type: str) -> dict[str, Any]:
    """Return the next message of a type, and ignore others."""
    while (message := read(client))["type"] != message_type:
        pass
    return message


def say(client: ClientConnection, message_id: str, text: str) -> None:
    client.send(json.dumps({"id": message_id, "type": "say", "data": text}))


def close_code(client: ClientConnection) -> int:
    """Return the code of the close frame that follows other messages."""
    try:
        while True:
            client.recv(SECONDS)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else 0


def test_message_is_acknowledged_and_reaches_all_clients(host: str) -> None:
    with open_socket(host, "tea", "ada") as ada, open_socket(host, "tea", "bob") as bob:
        assert [read(each)["data"] for each in (ada, bob)] == [[], []]
        say(ada, "a1", "Hé 🍵")
        reply = read_until(ada, "ack")
        assert (reply["id"], reply["data"]) == ("a1", {"total": 1})
        said = read_until(bob, "said")
        assert (said["data"], said["room"], said["sequence"]) == ("Hé 🍵", "tea", 1)
        assert read_until(bob, "total")["data"] == 1
        # Compression costs more than it saves in messages of 300 bytes.
        assert ada.response is not None
        assert "Sec-WebSocket-Extensions" not in ada.response.headers


# Browsers cannot send headers with a socket, and a token in the URL would be logged.
def test_token_of_a_browser_is_a_subprotocol(host: str) -> None:
    offered = [Subprotocol("rooms"), Subprotocol("token.ada")]
    with open_socket(host, "sub", "", subprotocols=offered) as client:
        assert client.subprotocol == "rooms"
        assert read(client)["kind"] == "snapshot"


def test_socket_without_token_gets_the_reason(host: str) -> None:
    with open_socket(host, "tea", "") as client:
        with pytest.raises(ConnectionClosed) as closed:
            client.recv(SECONDS)
        assert closed.value.rcvd is not None
        # A close frame has room for 123 bytes.
        assert closed.value.rcvd.code == 4401
        assert closed.value.rcvd.reason == "Join again." + "…" * 37


# Otherwise any page on the web could play with the cookies of its visitors.
@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_socket_from_another_site_is_rejected(host: str, headers: dict[str, str]) -> None:
    with pytest.raises(InvalidStatus) as rejected:
        connect(f"ws://{host}/rooms/tea/socket", additional_headers=headers)
    assert rejected.value.response.status_code == 403


def test_socket_of_our_own_pages_is_accepted(host: str) -> None:
    with open_socket(host, "own", "ada", origin=f"http://{host}") as client:
        assert read(client)["kind"] == "snapshot"


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ("{", "malformed"),
        ("[" * 10_000, "malformed"),
        ("null", "malformed"),
        ("", "malformed"),
        (b"\xff", "malformed"),
        ('{"type": "say", "data": "no id"}', "malformed"),
        ('{"type": 1, "id": "1"}', "malformed"),
        ('{"type": "say", "id": "1", "data": "\\ud800"}', "malformed"),
        ('{"type": "say", "id": "1", "data": 7}', "unknown"),
        ('{"type": "fail", "id": "1"}', "internal-error"),
    ],
)
def test_invalid_message_gets_an_error_and_the_socket_stays(
    host: str, sent: str | bytes, code: str
) -> None:
    with open_socket(host, "invalid", f"ada{code}{len(sent)}") as client:
        read(client)
        client.send(sent)
        reply = read_until(client, "error")
        assert (reply["data"]["code"], bool(reply["data"]["message"])) == (code, True)
        client.send('{"type": "ping"}')
        pong = read_until(client, "pong")
        assert (pong["data"]["version"], pong["timestamp"][-1]) == (0, "Z")


@pytest.mark.parametrize("size", [LIMITS.message_bytes + 1, 100_000])
def test_message_that_is_too_large_closes_the_socket(host: str, size: int) -> None:
    with open_socket(host, "large", "ada") as client:
        client.send("x" * size)
        assert close_code(client) == 1009


def test_too_many_messages_are_refused_for_a_moment(host: str) -> None:
    with open_socket(host, "flood", "ada") as client:
        for number in range(LIMITS.message_burst + 2):
            say(client, f"{number}", "again")
        refused = read_until(client, "error")
        assert refused["data"]["code"] == "rate-limited"
        assert 0 < refused["data"]["retryAfter"] <= 1
        assert refused["id"] == f"{LIMITS.message_burst}"
        time.sleep(refused["data"]["retryAfter"] + 0.05)
        say(client, "later", "fine")
        while read_until(client, "ack")["id"] != "later":
            pass


def test_full_room_closes_new_sockets_with_try_again_later(host: str) -> None:
    with ExitStack() as stack:
        for number in range(LIMITS.room_sockets):
            read(stack.enter_context(open_socket(host, "full", f"{number}")))
        late = stack.enter_context(open_socket(host, "full", "late"))
        assert close_code(late) == 1013


def test_socket_whose_snapshot_fails_is_closed(host: str) -> None:
    with open_socket(host, "broken", "ada") as client:
        assert close_code(client) == 1011


def test_socket_ends_after_its_maximum_age(host: str) -> None:
    with open_socket(host, "age", "old") as client:
        assert close_code(client) == 1012


def _request(host: str, method: str, path: str, body: str | None = None) -> Any:
    connection = http.client.HTTPConnection(host, timeout=SECONDS)
    headers = {"Authorization": "Bearer poller", "Content-Type": "application/json"}
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    assert response.status == 200
    value = json.loads(response.read())
    connection.close()
    return value


# Some networks do not let WebSockets through.
def test_poll_and_post_work_without_a_socket(host: str) -> None:
    with open_socket(host, "poll", "ada") as ada:
        (first,) = _request(host, "GET", "/rooms/poll/poll")["messages"]
        message = json.dumps({"id": "p1", "type": "say", "data": "posted"})
        for _ in range(2):
            reply = _request(host, "POST", "/rooms/poll/messages", message)
            assert (reply["type"], reply["data"]) == ("ack", {"total": 1})
        assert read_until(ada, "said")["data"] == "posted"
        position = f"?epoch={first['epoch']}&sequence={first['sequence']}"
        said = _request(host, "GET", f"/rooms/poll/poll{position}")["messages"][0]
        assert said["data"] == "posted"


# Otherwise somebody could open polls, leave, and keep others out meanwhile.
def test_poll_ends_when_its_client_is_gone(host: str, chat: Chat) -> None:
    position = _request(host, "GET", "/rooms/gone/poll")["messages"][0]
    path = f"/rooms/gone/poll?epoch={position['epoch']}&sequence=0"
    name, _, port = host.partition(":")
    with socket.create_connection((name, int(port))) as client:
        head = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer poller\r\n\r\n"
        client.sendall(head.encode())
        _wait_until(lambda: len(chat.server.server_state.tasks) == 1)
    _wait_until(lambda: not chat.server.server_state.tasks)


# The peer of a mobile phone that has lost its network does not say goodbye.
def test_client_that_does_not_read_is_dropped_and_others_are_not_delayed(
    host: str, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WebSocketProtocol, "stall_seconds", 0.2)
    with open_socket(host, "slow", "fast") as fast, _open_without_reading(host, "slow"):
        read(fast)
        room = chat.rooms.get("slow")
        assert room is not None
        _wait_until(lambda: room.connections == 2)
        delays: list[float] = []
        deadline = time.monotonic() + SECONDS
        while room.connections == 2:
            assert time.monotonic() < deadline
            started = time.perf_counter()
            _in_loop_of(chat, lambda: room.publish("said", "x" * 20_000))
            read(fast)
            delays.append(time.perf_counter() - started)
        assert max(delays) < 1
        # The server does not keep the connection, although nobody closes it.
        _wait_until(lambda: len(chat.server.server_state.connections) == 1)
        _in_loop_of(chat, lambda: room.publish("said", "still here"))
        assert read(fast)["data"] == "still here"


# Each is a few bytes, and costs the server much more than the client.
@pytest.mark.parametrize(
    "flood",
    [b"%c\x80\0\0\0\0" % kind for kind in (0x89, 0x8A, 0x00, 0x81, 0x82)],
    ids=["ping", "pong", "part", "text", "bytes"],
)
def test_flood_of_tiny_frames_closes_the_socket(host: str, chat: Chat, flood: bytes) -> None:
    key = f"tiny{flood[0]}"
    with _open_without_reading(host, key) as client:
        _wait_until(lambda: chat.rooms.get(key) is not None)
        # A message begins, and its parts follow.
        client.sendall(b"\x01\x80\0\0\0\0" if flood[0] == 0 else b"")
        with suppress(ConnectionError):
            client.sendall(flood * (WebSocketProtocol.frames_per_second + 10))
        _wait_until(lambda: not chat.server.server_state.connections)
        # The app does not go on to read messages of a client that is gone.
        _wait_until(lambda: not chat.server.server_state.tasks)


def _open_without_reading(host: str, key: str) -> socket.socket:
    name, _, port = host.partition(":")
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect((name, int(port)))
    lines = [
        f"GET /rooms/{key}/socket HTTP/1.1",
        f"Host: {host}",
        "Authorization: Bearer stuck",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    client.sendall("\r\n".join([*lines, "", ""]).encode())
    return client


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def _in_loop_of(chat: Chat, work: Callable[[], object]) -> None:
    assert chat.loop is not None
    chat.loop.call_soon_threadsafe(work)


def test_server_that_stops_closes_sockets_and_ends_polls() -> None:
    chat = Chat()
    with serve_chat(chat) as host, open_socket(host, "stop", "ada") as ada:
        first = read(ada)
        position = f"?epoch={first['epoch']}&sequence={first['sequence']}"
        answers: list[Any] = []
        path = f"/rooms/stop/poll{position}"
        waiting = Thread(target=lambda: answers.append(_request(host, "GET", path)))
        waiting.start()
        _wait_until(lambda: chat.rooms.connections == 2)
        chat.server.should_exit = True
        assert close_code(ada) == 1012
        waiting.join(SECONDS)
        assert [each["messages"] for each in answers] == [[]]
        assert chat.rooms.connections == 0


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_frame_is_what_the_protocol_library_writes(size: int) -> None:
    text = "x" * size
    server = ServerProtocol()
    server.state = State.OPEN
    server.send_text(text.encode())
    assert b"".join(server.data_to_send()) == encode_text_frame(text)
