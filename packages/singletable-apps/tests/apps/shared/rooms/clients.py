"""Clients of rooms for tests: they record messages, and can stop reading."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, ParamSpec

from singletable_apps.shared.rooms import Member, Position, Room, RoomLimits, Rooms
from singletable_apps.shared.rooms.connections import SocketConnection

P = ParamSpec("P")
DEADLINE = 20.0
QUICK = RoomLimits(presence_grace=0, room_grace=0, state_interval=0)


def run(test: Callable[[], Awaitable[None]]) -> None:
    """Run a test with a deadline."""

    async def main() -> None:
        await test()

    asyncio.run(asyncio.wait_for(main(), DEADLINE))


def in_event_loop(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Make a test of an async function."""

    @wraps(test)
    def run_test(*args: P.args, **named: P.kwargs) -> None:
        run(lambda: test(*args, **named))

    return run_test


async def until(condition: Callable[[], object]) -> None:
    """Wait until a condition is true."""
    while not condition():
        await asyncio.sleep(0.001)


async def show_nothing(member: Member) -> tuple[str, object]:
    """Return an empty snapshot."""
    return "view", None


class Client:
    """The other end of a socket. While it does not read, `send` waits as uvicorn's does."""

    def __init__(self) -> None:
        self.received: list[dict[str, Any]] = []
        self.close_code = 0
        self._reads = asyncio.Event()
        self._reads.set()

    def stop_reading(self) -> None:
        """Let the next `send` wait."""
        self._reads.clear()

    def read(self) -> None:
        """Continue."""
        self._reads.set()

    async def send(self, message: dict[str, Any]) -> None:
        """Take an ASGI message."""
        await self._reads.wait()
        if self.close_code:
            raise RuntimeError("The socket is closed.")
        if message["type"] == "websocket.close":
            self.close_code = message["code"]
        else:
            self.received.append(json.loads(message["text"]))

    @property
    def data(self) -> list[Any]:
        """Return the data of all messages."""
        return [message["data"] for message in self.received]

    @property
    def position(self) -> Position:
        """Return what the client knows."""
        last = [each for each in self.received if each["kind"] != "state"][-1]
        return Position(last["epoch"], last["sequence"])


async def join(
    rooms: Rooms,
    name: str,
    *channels: str,
    position: Position | None = None,
    snapshot: Callable[[Member], Awaitable[tuple[str, object]]] = show_nothing,
) -> tuple[Client, SocketConnection, Room]:
    """Join the room "tea" with a new socket."""
    client = Client()
    member = Member(name, frozenset(channels))
    connection = SocketConnection(member, client.send, rooms.limits.waiting_events)
    room = await rooms.join("tea", connection, snapshot, position)
    return client, connection, room
