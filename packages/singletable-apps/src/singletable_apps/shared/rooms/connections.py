"""Connections of a room: sockets, which need no task while they are fast, and mailboxes for polls.

uvicorn's `send` returns at once unless more than 64 KiB wait to be written. So a socket runs the
first step of `send` itself: if it finishes, the message is sent; if not, the peer is slow, and from
then on a task sends to it from a bounded outbox.
"""

from __future__ import annotations

import asyncio
import types
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeAlias, TypeVar

from singletable_apps.shared.rooms.messages import EVERYONE, Message, Outbox
from singletable_apps.shared.rooms.protocol import FrameWriter, encode_text_frame

T = TypeVar("T")
Sending: TypeAlias = Coroutine[Any, Any, None]


def short_reason(reason: str) -> str:
    """Return the part of a reason that fits into a close frame."""
    return reason.encode()[:123].decode(errors="ignore")


class CloseCode(IntEnum):
    """Why a socket was closed. Browsers can read these codes only after the socket was accepted."""

    TOO_LARGE = 1009
    INTERNAL_ERROR = 1011
    RESTART = 1012
    TRY_AGAIN_LATER = 1013
    REPLACED = 4001
    UNAUTHORIZED = 4401
    FORBIDDEN = 4403
    NOT_FOUND = 4404


@dataclass(frozen=True, slots=True)
class Member:
    """A person or screen in a room, and the channels it listens to.

    Connections with the same `id` belong to one member. Guests get at most half of the places, so
    that they cannot keep the others out. A shared member stands for all browsers that poll from one
    address, because they cannot be distinguished.
    """

    id: str
    channels: frozenset[str] = frozenset()
    is_guest: bool = False
    is_shared: bool = False


class Connection(ABC):
    """One way to reach a member. Its first messages contain all messages up to `number`."""

    def __init__(self, member: Member, limit: int) -> None:
        self.member = member
        self.channels = member.channels | {EVERYONE}
        self.is_open = True
        self.number = 0
        self._outbox = Outbox(limit)

    def start(self, messages: Iterable[Message], number: int) -> None:
        """Send the first messages, however many."""
        self.number = number
        for message in messages:
            self._send(message)

    def deliver(self, message: Message) -> bool:
        """Send a message unless the client has it. Return False if too many messages wait."""
        if self.is_open and message.number > self.number:
            self._send(message)
            return not self._outbox.is_full
        return True

    @abstractmethod
    def close(self, code: int, reason: str) -> None:
        """End the connection. Messages in the outbox are dropped."""

    @abstractmethod
    def _send(self, message: Message) -> None: ...


class SocketConnection(Connection):
    """A WebSocket, by its ASGI `send`, and `write_frame` of a server that has it."""

    def __init__(
        self,
        member: Member,
        send: Callable[[dict[str, Any]], Sending],
        limit: int,
        write_frame: FrameWriter | None = None,
    ) -> None:
        super().__init__(member, limit)
        self._send_asgi = send
        self._write_frame = write_frame
        self._writer: asyncio.Task[None] | None = None

    async def reply(self, text: str) -> None:
        """Send a reply, however long it takes: a client that does not read may not send.

        It comes after all messages that wait.
        """
        while self._writer is not None:
            await asyncio.wait([self._writer])
        if self._is_written(encode_text_frame(text)):
            return
        with suppress(Exception):
            await self._send_asgi({"type": "websocket.send", "text": text})

    def close(self, code: int, reason: str) -> None:
        """Send a close frame after what the server has buffered. The outbox is dropped."""
        if not self.is_open:
            return
        self.is_open = False
        self._outbox.clear()
        if self._writer is not None:
            self._writer.cancel()
            self._writer = None
        reason = short_reason(reason)
        self._begin({"type": "websocket.close", "code": code, "reason": reason})

    def _send(self, message: Message) -> None:
        if self._writer is not None:
            self._outbox.put(message)
        elif not self._is_written(message.frame):
            self._begin({"type": "websocket.send", "text": message.text})

    def _is_written(self, frame: bytes) -> bool:
        """Write a frame if that is possible at once, and return whether it was."""
        try:
            return self._write_frame is not None and self._write_frame(frame)
        except Exception:
            # The connection was lost a moment ago. All others still want the message.
            self.is_open = False
            return True

    def _begin(self, asgi_message: dict[str, Any]) -> None:
        """Send without a task if that is possible at once."""
        sending = self._send_asgi(asgi_message)
        try:
            waits_for = sending.send(None)
        except StopIteration:
            return
        except Exception:
            # The client is gone, or we closed the socket. The task that receives messages is
            # told, too, and leaves the room.
            self.is_open = False
            return
        self._writer = asyncio.create_task(self._write(sending, waits_for))

    async def _write(self, sending: Sending, waits_for: object) -> None:
        """Finish `sending`, then send the messages that the outbox has got meanwhile."""
        try:
            await _rest(sending, waits_for)
            while self._outbox:
                text = self._outbox.pop().text
                await self._send_asgi({"type": "websocket.send", "text": text})
        except Exception:
            self.is_open = False
        finally:
            if self._writer is asyncio.current_task():
                self._writer = None


@types.coroutine
def _rest(started: Sending, waits_for: object) -> Generator[object, Any]:
    """Await the rest of a coroutine after its first step."""
    try:
        yield waits_for
    except BaseException:
        started.close()
        raise
    yield from started


class Mailbox(Connection):
    """A member that polls: messages wait until they are taken.

    `known` is the last event that the client knows.
    """

    def __init__(self, member: Member, limit: int, known: int) -> None:
        super().__init__(member, limit)
        self.known = known
        self._changed = asyncio.Event()
        self._is_taking = False
        self._expiry: asyncio.TimerHandle | None = None

    def is_at(self, known: int) -> bool:
        """Return whether a poll of a client that knows this event can continue here."""
        return self.is_open and not self._is_taking and self.known == known

    async def take(
        self, seconds: float, heartbeat: Callable[[Connection], Awaitable[T]]
    ) -> tuple[list[str], T]:
        """Return the waiting messages, or the first within some seconds, and then the heartbeat."""
        self._is_taking = True
        if self._expiry is not None:
            self._expiry.cancel()
        try:
            if not self._outbox and self.is_open:
                self._changed.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(seconds):
                        await self._changed.wait()
            known = await heartbeat(self)
            messages = [self._outbox.pop() for _ in range(len(self._outbox))]
        finally:
            self._is_taking = False
        for message in messages:
            if message.slot is None:
                self.known = message.sequence
        return [message.text for message in messages], known

    def expire(self, seconds: float, leave: Callable[[Connection], None]) -> None:
        """Call `leave` unless the next poll comes in time."""
        self._expiry = asyncio.get_running_loop().call_later(seconds, leave, self)

    def close(self, code: int, reason: str) -> None:
        """End a poll that waits."""
        self.is_open = False
        self._outbox.clear()
        self._changed.set()

    def _send(self, message: Message) -> None:
        self._outbox.put(message)
        self._changed.set()
