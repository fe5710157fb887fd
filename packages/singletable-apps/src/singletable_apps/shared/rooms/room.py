"""One room: its events and states, the members that are present, and its background tasks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

import msgspec

from singletable_apps.shared.rooms.connections import CloseCode, Connection, Member
from singletable_apps.shared.rooms.messages import EVERYONE, EventLog, Message, Outbox, format_time

_LOG = logging.getLogger("singletable_apps.rooms")
# After this many sends, which take about 5 ms, other tasks run.
_SENDS_AT_ONCE = 250


@dataclass(frozen=True, slots=True)
class RoomLimits:
    """Limits of all rooms of a process; times are in seconds.

    A room keeps `log_events` of each channel for clients that reconnect, and a slow client may have
    `waiting_events` that are not sent yet. `presence_grace` is how long members may be away before
    they have left, and `room_grace` how long a room stays open when all have left.
    """

    sockets: int = 12_000
    room_sockets: int = 10_000
    member_sockets: int = 2
    shared_sockets: int = 1_000
    message_bytes: int = 16 << 10
    messages_per_second: float = 10
    message_burst: int = 20
    log_events: int = 256
    waiting_events: int = 64
    state_interval: float = 0.2
    presence_grace: float = 5
    poll_grace: float = 10
    room_grace: float = 30


@dataclass(frozen=True, slots=True)
class RoomSetup:
    """What all rooms of a process have in common."""

    limits: RoomLimits
    key_name: str
    clock: Callable[[], float]
    joined: Callable[[Room, Member], object]
    left: Callable[[Room, Member], object]
    closed: Callable[[Room], object]


@dataclass(slots=True)
class _Presence:
    """A member in the room; without connections, the member may come back until `leaving`.

    `since` is the last event before it came.
    """

    member: Member
    since: int
    connections: list[Connection] = field(default_factory=list[Connection])
    leaving: asyncio.TimerHandle | None = None


@dataclass(slots=True)
class _State:
    """The latest value of a state, and when it may be sent next."""

    data: object
    sent_data: bytes | None = None
    next_send: float = 0.0
    timer: asyncio.TimerHandle | None = None


class Room:
    """A room of this process. All methods are for the thread of the event loop.

    `epoch` differs each time a room is opened; numbers of events are only comparable within it.
    An app whose views have a version that grows sets `version` when it publishes a newer one.
    """

    def __init__(self, key: str, setup: RoomSetup) -> None:
        self.key = key
        self.epoch = token_hex(8)
        self.is_open = True
        self.version = 0
        self.connections = 0
        self.guests = 0
        self._setup = setup
        self._limits = setup.limits
        self._loop = asyncio.get_running_loop()
        self._log = EventLog(setup.limits.log_events)
        self._states: dict[tuple[str, str], _State] = {}
        self._outbox = Outbox(0)
        self._posted = 0
        self._sender: asyncio.Task[None] | None = None
        self._present: dict[str, _Presence] = {}
        self._listeners: dict[str, dict[Connection, None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._woken = asyncio.Event()
        self._emptied: asyncio.TimerHandle | None = None

    @property
    def sequence(self) -> int:
        """Return the number of the last event."""
        return self._log.sequence

    # Messages

    def publish(self, event: str, data: object, channel: str = EVERYONE) -> None:
        """Send an event to all members that listen to `channel`, after all earlier messages."""
        if not self.is_open:
            return
        # A state that waits belongs before the event, which may have changed its meaning.
        for slot, state in self._states.items():
            if state.timer is not None:
                self._send_state(slot, state)
        sequence = self.sequence + 1
        text = self._encode("event", event, data, sequence, previous=self._log.previous(channel))
        message = Message(channel, text, sequence, number=self._posted + 1)
        self._log.append(message)
        self._post(message)

    def update(
        self, state: str, data: object, channel: str = EVERYONE, *, interval: float | None = None
    ) -> None:
        """Set a state, such as a counter, and send its latest value at most every `interval`.

        Members that join later get it after their snapshot. A value that does not differ from the
        one that was sent is not sent again.
        """
        if not self.is_open:
            return
        slot = (channel, state)
        value = self._states.setdefault(slot, _State(data))
        value.data = data
        if value.timer is None:
            now = self._loop.time()
            wait = max(0.0, value.next_send - now)
            value.timer = self._loop.call_later(wait, self._send_state, slot, value)
            interval = self._limits.state_interval if interval is None else interval
            value.next_send = now + wait + interval

    async def drain(self) -> None:
        """Wait until all messages were handed to their connections."""
        while self._sender is not None:
            await asyncio.wait([self._sender])

    async def heartbeat(self, connection: Connection) -> dict[str, object]:
        """Return the position of a client that has all messages it was sent.

        If it knows less, it has missed something, and asks for a snapshot.
        """
        await self.drain()
        sequence = max(map(self._log.previous, connection.channels))
        return {"epoch": self.epoch, "sequence": sequence, "version": self.version}

    def _send_state(self, slot: tuple[str, str], state: _State) -> None:
        if state.timer is not None:
            state.timer.cancel()
            state.timer = None
        data = msgspec.json.encode(state.data)
        if data != state.sent_data:
            state.sent_data = data
            self._post(self._state_message(slot, state))

    def _state_message(self, slot: tuple[str, str], state: _State) -> Message:
        text = self._encode("state", slot[1], state.data, self.sequence)
        return Message(slot[0], text, self.sequence, slot, self._posted + 1)

    def _encode(
        self, kind: str, message_type: str, data: object, sequence: int, **more: int
    ) -> str:
        message = {
            "type": message_type,
            "kind": kind,
            self._setup.key_name: self.key,
            "epoch": self.epoch,
            "timestamp": format_time(self._setup.clock()),
            "data": data,
            "sequence": sequence,
            **more,
        }
        return msgspec.json.encode(message).decode()

    def _post(self, message: Message) -> None:
        self._posted += 1
        self._outbox.put(message)
        if self._sender is None:
            self._sender = asyncio.create_task(self._send_all())

    async def _send_all(self) -> None:
        """Send the outbox, message by message, without a task per connection."""
        sent = 0
        try:
            while self._outbox:
                message = self._outbox.pop()
                for connection in list(self._listeners.get(message.channel, ())):
                    if not connection.deliver(message):
                        _LOG.info("A client in room %s is too slow: disconnecting it.", self.key)
                        connection.close(CloseCode.TRY_AGAIN_LATER, "too slow")
                        self.leave(connection)
                    sent += 1
                    if sent % _SENDS_AT_ONCE == 0:
                        await asyncio.sleep(0)
        finally:
            self._sender = None

    # Members

    def members(self, channel: str = EVERYONE) -> list[Member]:
        """Return the members that listen to a channel, each once, in the order of joining.

        They include members that were disconnected a few seconds ago.
        """
        members = [presence.member for presence in self._present.values()]
        return [each for each in members if channel == EVERYONE or channel in each.channels]

    def disconnect(self, member_id: str, code: int, reason: str) -> None:
        """Close a member's connections and end their presence."""
        presence = self._present.get(member_id)
        if presence is not None:
            for connection in list(presence.connections):
                connection.close(code, reason)
                self.leave(connection)
            self._end_presence(presence)

    def connections_of(self, member: Member) -> list[Connection]:
        """Return the connections of a member, oldest first."""
        presence = self._present.get(member.id)
        return [each for each in presence.connections if each.member == member] if presence else []

    def enter(self, connection: Connection) -> None:
        """Count the connection as present. It gets no messages yet."""
        member = connection.member
        presence = self._present.get(member.id)
        is_new = presence is None
        if presence is None:
            presence = self._present[member.id] = _Presence(member, self.sequence)
        presence.member = member
        presence.connections.append(connection)
        self.connections += 1
        self.guests += member.is_guest
        _cancel(presence.leaving, self._emptied)
        presence.leaving = self._emptied = None
        while not member.is_shared and len(presence.connections) > self._limits.member_sockets:
            oldest = presence.connections[0]
            oldest.close(CloseCode.REPLACED, "replaced")
            self.leave(oldest)
        if is_new:
            self._setup.joined(self, member)

    def replay(self, connection: Connection, epoch: str, sequence: int) -> list[Message] | None:
        """Return the events after `sequence`, or None if the client needs a snapshot.

        Apps publish for the members that are present, so one that had left needs a snapshot.
        """
        presence = self._present.get(connection.member.id)
        is_known = epoch == self.epoch and sequence <= self.sequence
        if not is_known or presence is None or sequence < presence.since:
            return None
        return self._log.after(sequence, connection.channels)

    def snapshot(self, message_type: str, data: object, sequence: int) -> Message:
        """Return the message that replaces all that a client knows, as of `sequence`."""
        text = self._encode("snapshot", message_type, data, sequence)
        return Message("", text, sequence)

    def listen(self, connection: Connection, messages: list[Message]) -> None:
        """Send the first messages and all states, then everything that is published."""
        if not connection.is_open:
            return
        states = [
            self._state_message(slot, state)
            for slot, state in self._states.items()
            if slot[0] in connection.channels
        ]
        connection.start([*messages, *states], self._posted)
        for channel in connection.channels:
            self._listeners.setdefault(channel, {})[connection] = None

    def leave(self, connection: Connection) -> None:
        """Remove a connection. Its member has left if no other one comes in time."""
        for channel in connection.channels:
            listeners = self._listeners.get(channel, {})
            listeners.pop(connection, None)
            if not listeners:
                self._listeners.pop(channel, None)
        presence = self._present.get(connection.member.id)
        if presence is None or connection not in presence.connections:
            return
        presence.connections.remove(connection)
        self.connections -= 1
        self.guests -= connection.member.is_guest
        if not presence.connections:
            grace = self._limits.presence_grace
            presence.leaving = self._loop.call_later(grace, self._end_presence, presence)

    def _end_presence(self, presence: _Presence) -> None:
        _cancel(presence.leaving)
        if self._present.pop(presence.member.id, None) is None:
            return
        # A number between the events that the member may know and those after it comes back.
        self._log.sequence += 1
        self._setup.left(self, presence.member)
        if not self._present:
            self._emptied = self._loop.call_later(self._limits.room_grace, self.close)

    # Tasks

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a background task until the room is closed.

        If it fails, the room is closed too, so that clients reconnect to a new one.
        """
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._end_task)

    def wake(self) -> None:
        """End the `sleep` of a background task: something has changed."""
        self._woken.set()

    async def sleep(self, seconds: float) -> None:
        """Wait some seconds, or until `wake` is called."""
        with suppress(TimeoutError):
            # `asyncio.wait_for` of Python 3.11 loses a cancellation in the moment of `wake`.
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        self._woken.clear()

    def _end_task(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("A task of room %s failed.", self.key, exc_info=error)
            self.close(CloseCode.INTERNAL_ERROR, "internal error")

    def close(self, code: int = CloseCode.RESTART, reason: str = "closed") -> None:
        """Disconnect all members and cancel all tasks."""
        if not self.is_open:
            return
        self.is_open = False
        self._setup.closed(self)
        timers = [presence.leaving for presence in self._present.values()]
        _cancel(self._emptied, *timers, *(state.timer for state in self._states.values()))
        for presence in self._present.values():
            for connection in presence.connections:
                connection.close(code, reason)
        self._present.clear()
        self._listeners.clear()
        for task in list(self._tasks):
            task.cancel()


def _cancel(*timers: asyncio.TimerHandle | None) -> None:
    for timer in timers:
        if timer is not None:
            timer.cancel()
