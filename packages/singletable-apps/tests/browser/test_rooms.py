"""The script of rooms in a browser: it reconnects, resends, resumes, and polls if need be."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.apps.shared.rooms.chat import Chat, serve_chat
from tests.browser.conftest import TIMEOUT, OpenPage

# Starts a client as `room`, with everything that happens in `seen`.
CONNECT = """async ([key, options]) => {
    const { connect } = await import("/static/any/shared/rooms.js");
    window.seen = [];
    window.room = connect({
        url: `/rooms/${key}/socket`,
        token: "ada",
        onMessage: (message) => seen.push([message.kind, message.data]),
        onStatus: (status, details) => seen.push([status, details.code ?? null]),
        ...options,
    });
}"""
POLLS = {"pollUrl": "/rooms/{key}/poll", "postUrl": "/rooms/{key}/messages"}
# A socket that the test controls: `sockets.at(-1).onmessage(…)`.
FAKE_SOCKET = """() => {
    window.sockets = [];
    window.WebSocket = class {
        constructor(url, protocols) {
            Object.assign(this, { url: String(url), protocols, sent: [] });
            sockets.push(this);
        }
        send(text) { this.sent.push(text); }
        close() {}
        receive(message) { this.onmessage({ data: JSON.stringify(message) }); }
    };
}"""

ORDERS = (Path(__file__).parent / "room_orders.js").read_text()


@pytest.fixture(scope="module")
def chat() -> Chat:
    return Chat()


@pytest.fixture(scope="module")
def host(chat: Chat) -> Iterator[str]:
    with serve_chat(chat) as host:
        yield host


def open_room(page: Page, key: str, **options: Any) -> None:
    page.evaluate(CONNECT, [key, options])


# Playwright's own function needs `eval`, which our pages do not allow.
def wait(page: Page, condition: str) -> None:
    """Wait until an expression is true."""
    deadline = time.monotonic() + TIMEOUT / 1000
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, condition
        page.wait_for_timeout(10)


def seen(page: Page) -> list[list[Any]]:
    """Return the messages and statuses so far."""
    found: list[list[Any]] = page.evaluate("seen")
    return found


def test_page_sends_and_follows(open_page: OpenPage, host: str) -> None:
    page = open_page()
    page.goto(f"http://{host}/")
    open_room(page, "follow")
    assert page.evaluate("room.send('say', 'hello')") == {"total": 1}
    wait(page, "seen.length === 5")
    assert seen(page) == [
        ["connecting", None],
        ["open", None],
        ["snapshot", []],
        ["event", "hello"],
        ["state", 1],
    ]
    assert page.evaluate("room.send('shout').catch((error) => error.code)") == "unknown"
    assert abs(page.evaluate("room.now() - Date.now()")) < 1000
    page.evaluate("room.close()")
    assert seen(page)[-1] == ["closed", 1000]
    assert page.evaluate("room.send('say', 'late').catch((error) => error.code)") == "closed"


def test_page_that_is_refused_does_not_try_again(open_page: OpenPage, host: str) -> None:
    page = open_page()
    page.goto(f"http://{host}/")
    open_room(page, "refused", token="")
    wait(page, "room.status === 'closed'")
    assert seen(page)[-1] == ["closed", 4401]


# The process is replaced, and the phones go on with another one.
def test_page_reconnects_after_a_restart_and_sends_again(open_page: OpenPage) -> None:
    chat = Chat()
    page = open_page()
    with serve_chat(chat) as host:
        page.goto(f"http://{host}/")
        open_room(page, "restart")
        page.evaluate("room.send('say', 'before')")
    wait(page, "room.status === 'waiting'")
    page.evaluate("window.sent = room.send('say', 'while it was down'); 0")
    with serve_chat(chat, int(host.partition(":")[2])):
        assert page.evaluate("sent") == {"total": 2}
        wait(page, "seen.at(-1)[0] === 'state'")
        snapshots = [data for kind, data in seen(page) if kind == "snapshot"]
        assert snapshots == [[], ["before"]]
        assert list(chat.texts["restart"].values()) == ["before", "while it was down"]


# A phone that was offline while its owner answered, and whose browser reloaded the page.
def test_latest_message_of_a_slot_is_sent_after_a_reload(
    open_page: OpenPage, host: str, chat: Chat
) -> None:
    page = open_page()
    page.goto(f"http://{host}/")
    page.evaluate(FAKE_SOCKET)
    open_room(page, "reload", storageKey="answers")
    for text in ("first", "second"):
        page.evaluate("(text) => { room.send('say', text, { slot: 'question 1' }) }", text)
    page.evaluate("room.send('say', 'not kept'); 0")
    page.reload()
    open_room(page, "reload", storageKey="answers")
    wait(page, "localStorage.getItem('answers') === null")
    assert list(chat.texts["reload"].values()) == ["second"]


def test_page_polls_where_sockets_are_blocked(open_page: OpenPage, host: str, chat: Chat) -> None:
    page = open_page()
    page.clock.install()
    page.goto(f"http://{host}/")
    page.evaluate(FAKE_SOCKET)
    urls = {name: url.format(key="blocked") for name, url in POLLS.items()}
    open_room(page, "blocked", **urls)
    for number in (1, 2):
        wait(page, f"sockets.length === {number}")
        page.evaluate("sockets.at(-1).onclose({ code: 1006, reason: '' })")
    assert page.evaluate("room.send('say', 'posted')") == {"total": 1}
    wait(page, "seen.at(-1)[0] === 'state'")
    assert [entry for entry in seen(page) if entry[0] != "waiting"] == [
        ["connecting", None],
        ["connecting", None],
        ["polling", None],
        ["snapshot", []],
        ["event", "posted"],
        ["state", 1],
    ]
    # Now and then, the page tries a socket again.
    page.clock.fast_forward(61_000)
    wait(page, "sockets.length === 3")
    page.evaluate("sockets.at(-1).onopen()")
    assert seen(page)[-1] == ["open", None]


def test_page_ignores_repeated_events_and_requests_a_snapshot_on_a_gap(
    open_page: OpenPage, host: str
) -> None:
    page = open_page()
    page.goto(f"http://{host}/")
    page.evaluate(FAKE_SOCKET)
    open_room(page, "gap")
    page.evaluate(
        """() => {
            const message = { epoch: "e", timestamp: "2026-01-01T00:00:00.000Z", type: "x" };
            const socket = sockets.at(-1);
            socket.onopen();
            socket.receive({ ...message, kind: "snapshot", sequence: 5, data: "all" });
            socket.receive({ ...message, kind: "event", sequence: 5, previous: 4, data: "again" });
            socket.receive({ ...message, kind: "event", sequence: 8, previous: 5, data: "next" });
            window.resumed = String(new URL(socket.url).searchParams);
            socket.receive({ ...message, kind: "event", sequence: 11, previous: 9, data: "gap" });
        }"""
    )
    messages = [data for kind, data in seen(page) if kind in ("snapshot", "event")]
    assert messages == ["all", "next"]
    assert seen(page)[-1][0] == "waiting"
    # The page does not wait when the network is back.
    page.evaluate("dispatchEvent(new Event('online'))")
    wait(page, "sockets.length === 2")
    assert page.evaluate("sockets.at(-1).url").endswith("/socket?epoch=&sequence=0")
    assert page.evaluate("sockets.at(-1).protocols") == ["rooms", "token.ada"]


# Otherwise a mistake of the server would make all pages connect again and again.
def test_page_that_falls_behind_requests_few_snapshots(open_page: OpenPage, host: str) -> None:
    page = open_page()
    page.goto(f"http://{host}/")
    page.evaluate(FAKE_SOCKET)
    open_room(page, "behind")
    for number, status in ((1, "waiting"), (2, "open")):
        wait(page, f"sockets.length === {number}")
        page.evaluate(
            """() => {
                const message = { epoch: "e", timestamp: "2026-01-01T00:00:00.000Z" };
                const socket = sockets.at(-1);
                socket.onopen();
                socket.receive({ ...message, kind: "snapshot", sequence: 5, data: "all" });
                const data = { epoch: "e", sequence: 6, version: 0 };
                socket.receive({ ...message, type: "pong", data });
            }"""
        )
        assert page.evaluate("room.status") == status


# One heartbeat after all that has happened, and the time to reconnect.
@pytest.mark.parametrize("has_versions", [True, False], ids=["versions", "numbers"])
@pytest.mark.parametrize(
    ("is_blocked", "seconds"), [(False, 22), (True, 28)], ids=["socket", "poll"]
)
def test_page_shows_the_state_of_the_server_after_any_events(
    open_page: OpenPage, host: str, is_blocked: bool, has_versions: bool, seconds: int
) -> None:
    page = open_page()
    page.goto(f"http://{host}/")
    assert page.evaluate(ORDERS, [is_blocked, has_versions, seconds]) == []
