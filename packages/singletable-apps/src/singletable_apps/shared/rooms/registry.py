"""The rooms of a process: joining them by socket or by poll, and closing them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from singletable_apps.shared.live import close_at_shutdown
from singletable_apps.shared.rate_limits import MovingWindow
from singletable_apps.shared.rooms.client_messages import Receiver, answer_message
from singletable_apps.shared.rooms.connections import CloseCode, Connection, Mailbox, Member
from singletable_apps.shared.rooms.messages import Message
from singletable_apps.shared.rooms.room import Room, RoomLimits, RoomSetup

Snapshot: TypeAlias = Callable[[Member], Awaitable[tuple[str, object]]]
_SNAPSHOT_ATTEMPTS = 4


class RoomFull(Exception):
    """The room, or this process, has too many connections."""


@dataclass(frozen=True, slots=True)
class Position:
    """The last event that a client has seen, and the epoch of the room."""

    epoch: str = ""
    sequence: int = 0

    @classmethod
    def parse(cls, epoch: str | None, sequence: str | None) -> Position:
        """Return the position in a query string. An invalid one leads to a snapshot."""
        digits = sequence or ""
        is_valid = epoch and digits.isascii() and digits.isdecimal() and len(digits) < 16
        return cls(epoch or "", int(digits)) if is_valid else cls()


class Rooms:
    """The rooms of this process, by key.

    A room is opened when the first member joins: `open_room` may start tasks with `room.run`. It is
    closed some time after the last member has left. `joined` and `left` are called for each member,
    however many connections it has. `key_name` is what messages call the key of the room.
    """

    def __init__(
        self,
        open_room: Callable[[Room], object] = lambda room: None,
        *,
        limits: RoomLimits | None = None,
        key_name: str = "room",
        joined: Callable[[Room, Member], object] = lambda room, member: None,
        left: Callable[[Room, Member], object] = lambda room, member: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.limits = limits or RoomLimits()
        self.clock = clock
        self._open_room = open_room
        self._setup = RoomSetup(self.limits, key_name, clock, joined, left, self._forget)
        self._rooms: dict[str, Room] = {}
        burst = self.limits.message_burst
        self._messages = MovingWindow(burst, burst / self.limits.messages_per_second)
        self._loop: asyncio.AbstractEventLoop | None = None
        close_at_shutdown(self)

    def get(self, key: str) -> Room | None:
        """Return a room that is open in this process, or None."""
        return self._rooms.get(key)

    def wake(self, key: str) -> None:
        """Wake the background task of a room if it is open here. Call it from any thread."""
        room = self._rooms.get(key)
        if room is not None and self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(room.wake)

    @property
    def connections(self) -> int:
        """Return the number of open connections in all rooms."""
        return sum(room.connections for room in self._rooms.values())

    async def join(
        self, key: str, connection: Connection, snapshot: Snapshot, position: Position | None = None
    ) -> Room:
        """Add a connection to a room, which is opened if need be, or raise RoomFull.

        The client gets the events after its `position`, or a snapshot if they are not known.
        """
        room = self._find_or_open(key, connection.member)
        room.enter(connection)
        try:
            position = position or Position()
            messages = room.replay(connection, position.epoch, position.sequence)
            if messages is None:
                messages = await _read_snapshot(room, connection, snapshot)
        except BaseException:
            room.leave(connection)
            raise
        room.listen(connection, messages)
        return room

    async def poll(
        self,
        key: str,
        member: Member,
        *,
        snapshot: Snapshot,
        position: Position | None = None,
        wait: float = 25.0,
    ) -> str:
        """Return the messages after a position as soon as there are any, and a heartbeat, encoded.

        The member stays in the room for some seconds until the next poll.
        """
        position = position or Position()
        room = self._rooms.get(key)
        found = room and room.epoch == position.epoch and room.connections_of(member)
        mailboxes = [each for each in found or () if isinstance(each, Mailbox)]
        mailbox = next((each for each in mailboxes if each.is_at(position.sequence)), None)
        if room is None or mailbox is None:
            mailbox = Mailbox(member, self.limits.waiting_events, position.sequence)
            room = await self.join(key, mailbox, snapshot, position)
        try:
            messages, known = await mailbox.take(wait, room.heartbeat)
            heartbeat = msgspec.json.encode(known).decode()
            return f'{{"messages":[{",".join(messages)}],"heartbeat":{heartbeat}}}'
        finally:
            mailbox.expire(self.limits.poll_grace, room.leave)

    async def answer(self, key: str, member: Member, body: bytes, receive: Receiver) -> str:
        """Return the encoded reply to a message that came by HTTP."""
        return await answer_message(body, receive, self.take_token(key, member), self.clock)

    def take_token(self, key: str, member: Member) -> float:
        """Return 0 if a member may send a message now, or how many seconds to wait."""
        return self._messages.take((key, member.id), time.monotonic())

    def close(self) -> None:
        """Close all rooms of the running event loop, so that clients connect to another process."""
        if self._loop is asyncio.get_running_loop():
            for room in list(self._rooms.values()):
                room.close(CloseCode.RESTART, "restart")

    def _find_or_open(self, key: str, member: Member) -> Room:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            # Tests may use one loop after another.
            self._loop, self._rooms = loop, {}
        room = self._rooms.get(key)
        known = len(room.connections_of(member)) if room else 0
        # A member that comes back replaces a socket that nobody has noticed to be dead.
        is_back = known > 0 and not member.is_shared
        if known >= self.limits.shared_sockets or (not is_back and self._is_full(room, member)):
            raise RoomFull
        if room is None:
            room = Room(key, self._setup)
            self._open_room(room)
            self._rooms[key] = room
        return room

    def _is_full(self, room: Room | None, member: Member) -> bool:
        in_room, limits = room.connections if room else 0, self.limits
        is_full = in_room >= limits.room_sockets or self.connections >= limits.sockets
        if member.is_guest and not is_full:
            in_room = room.guests if room else 0
            guests = sum(each.guests for each in self._rooms.values())
            is_full = 2 * in_room >= limits.room_sockets or 2 * guests >= limits.sockets
        return is_full

    def _forget(self, room: Room) -> None:
        if self._rooms.get(room.key) is room:
            del self._rooms[room.key]


async def _read_snapshot(room: Room, connection: Connection, snapshot: Snapshot) -> list[Message]:
    """Return a snapshot and the events that were published while it was read.

    It is read again if there were such events, because it may show the state before or after them.
    In a room where events never stop, clients get events that the snapshot may contain already;
    but none is lost.
    """
    attempts = 0
    while True:
        sequence = room.sequence
        message_type, data = await snapshot(connection.member)
        attempts += 1
        if not connection.is_open:
            return []
        events = room.replay(connection, room.epoch, sequence)
        if events is not None and (not events or attempts >= _SNAPSHOT_ATTEMPTS):
            return [room.snapshot(message_type, data, sequence), *events]
