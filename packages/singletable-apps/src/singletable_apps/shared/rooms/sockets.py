"""Serve the clients of a room: WebSockets, which also send messages, and long polls."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket

from singletable_apps.shared.rooms import connections
from singletable_apps.shared.rooms.client_messages import Receiver, answer_message
from singletable_apps.shared.rooms.protocol import frame_writer
from singletable_apps.shared.rooms.registry import Position, RoomFull, Rooms, Snapshot
from singletable_apps.shared.rooms.room import Room

_LOG = logging.getLogger("singletable_apps.rooms")
SUBPROTOCOL = "rooms"
_TOKEN_PREFIX = "token."


def socket_token(websocket: WebSocket) -> str:
    """Return the token of a client, or "".

    Programs send an Authorization header. Browsers cannot, so `rooms.js` sends the token as a
    subprotocol, which is not in URLs and logs.
    """
    scheme, _, credentials = websocket.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return credentials.strip()
    offered: list[str] = websocket.scope.get("subprotocols", [])
    tokens = [each for each in offered if each.startswith(_TOKEN_PREFIX)]
    return tokens[0].removeprefix(_TOKEN_PREFIX) if tokens else ""


async def accept_socket(websocket: WebSocket) -> None:
    """Accept the socket, and the subprotocol of `rooms.js` if the client offers it."""
    offered = websocket.scope.get("subprotocols", [])
    await websocket.accept(SUBPROTOCOL if SUBPROTOCOL in offered else None)


async def refuse_socket(websocket: WebSocket, code: int, reason: str) -> None:
    """Accept a socket and close it: scripts can read the reason only of accepted sockets."""
    await accept_socket(websocket)
    await websocket.close(code, connections.short_reason(reason))


async def serve_socket(
    websocket: WebSocket,
    rooms: Rooms,
    key: str,
    member: connections.Member,
    *,
    snapshot: Snapshot,
    receive: Receiver,
    max_age: float | None = None,
) -> None:
    """Serve a member until the socket is closed. The app has checked the token already.

    `?epoch=` and `?sequence=` say what the client knows. After `max_age` seconds it has to
    reconnect, so that its token is checked again.
    """
    await accept_socket(websocket)
    connection = connections.SocketConnection(
        member, websocket.send, rooms.limits.waiting_events, frame_writer(websocket.scope)
    )
    query = websocket.query_params
    position = Position.parse(query.get("epoch"), query.get("sequence"))
    try:
        room = await rooms.join(key, connection, snapshot, position)
    except RoomFull:
        connection.close(connections.CloseCode.TRY_AGAIN_LATER, "full")
        return
    except Exception:
        _LOG.exception("A client could not join room %.80s.", key)
        connection.close(connections.CloseCode.INTERNAL_ERROR, "internal error")
        return
    expiry = None
    if max_age is not None:
        later = asyncio.get_running_loop().call_later
        expiry = later(max_age, connection.close, connections.CloseCode.RESTART, "expired")
    try:
        await _receive_all(websocket, rooms, room, connection, receive)
    finally:
        if expiry is not None:
            expiry.cancel()
        room.leave(connection)


async def _receive_all(
    websocket: WebSocket,
    rooms: Rooms,
    room: Room,
    connection: connections.SocketConnection,
    receive: Receiver,
) -> None:
    heartbeat = partial(room.heartbeat, connection)
    while True:
        message: dict[str, Any] = dict(await websocket.receive())
        if message["type"] == "websocket.disconnect" or not connection.is_open:
            return
        text: str | None = message.get("text")
        body: bytes = message["bytes"] if text is None else text.encode(errors="replace")
        if len(body) > rooms.limits.message_bytes:
            connection.close(connections.CloseCode.TOO_LARGE, "message too large")
            return
        wait = rooms.take_token(room.key, connection.member)
        reply = await answer_message(body, receive, wait, rooms.clock, heartbeat)
        await connection.reply(reply)
        if wait:
            # Meanwhile nothing is read, so that a flood of messages costs little.
            await asyncio.sleep(wait)


async def serve_poll(request: Request, poll: Coroutine[Any, Any, str]) -> Response:
    """Return the messages of a poll as a response. It ends when the client disconnects."""
    polling, leaving = asyncio.create_task(poll), asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait((polling, leaving), return_when=asyncio.FIRST_COMPLETED)
        body = await polling if polling.done() else ""
    finally:
        polling.cancel()
        leaving.cancel()
    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
