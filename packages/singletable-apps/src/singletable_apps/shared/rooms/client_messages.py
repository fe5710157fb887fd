"""Messages of clients, and replies to them."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeAlias

import msgspec

from singletable_apps.shared.rooms.messages import format_time

_LOG = logging.getLogger("singletable_apps.rooms")


class ClientMessage(msgspec.Struct, frozen=True):
    """A message of a client.

    The reply has the same `id`, and a message that is sent again keeps it.
    """

    type: str
    id: str = ""
    data: Any = None


class Reply(msgspec.Struct, frozen=True):
    """A reply to one message."""

    type: Literal["ack", "error", "pong"] = "ack"
    data: object = None

    @classmethod
    def error(cls, code: str, message: str, **more: object) -> Reply:
        """Return an error with a code for programs and a sentence for people."""
        return cls("error", {"code": code, "message": message, **more})


Receiver: TypeAlias = Callable[[ClientMessage], Awaitable[Reply | None]]
Heartbeat: TypeAlias = Callable[[], Awaitable[object]]


async def answer_message(
    body: bytes,
    receive: Receiver,
    wait: float = 0.0,
    clock: Callable[[], float] = time.time,
    heartbeat: Heartbeat | None = None,
) -> str:
    """Return the encoded reply to a message, which is refused if the client has to `wait`."""
    message: ClientMessage | None = None
    try:
        message = msgspec.json.decode(body, type=ClientMessage)
    except (msgspec.DecodeError, RecursionError) as error:
        reply = Reply.error("malformed", f"Expected a JSON message with a type and an id: {error}.")
    else:
        reply = await _reply(message, wait, receive, heartbeat)
    fields: dict[str, object] = {
        "type": reply.type,
        "id": message.id if message else None,
        "timestamp": format_time(clock()),
        "data": reply.data,
    }
    return msgspec.json.encode(fields).decode()


async def _reply(
    message: ClientMessage, wait: float, receive: Receiver, heartbeat: Heartbeat | None
) -> Reply:
    if wait:
        text = "You sent too many messages. Try again in a moment."
        return Reply.error("rate-limited", text, retryAfter=round(wait, 3))
    if message.type == "ping":
        return Reply("pong", await heartbeat() if heartbeat else None)
    if not message.id:
        return Reply.error("malformed", "Expected a message with an id.")
    try:
        return await receive(message) or Reply()
    except Exception:
        _LOG.exception("A message of type %.40r failed.", message.type)
        return Reply.error("internal-error", "Something went wrong on our side. Try again.")
