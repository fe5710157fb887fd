"""An app with one room, behind the middleware of all apps, which sends messages to everybody."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI, WebSocket

from singletable_apps.shared.rooms import (
    ClientMessage,
    Member,
    Reply,
    RoomLimits,
    Rooms,
    serve_socket,
)
from singletable_apps.shared.web import make_app

_ENVELOPE_BYTES = 150
_rooms = Rooms(limits=RoomLimits(messages_per_second=1e6))
_router = APIRouter()


def make_room_app() -> FastAPI:
    """Return the app."""
    return make_app("Rooms", "1", routers=[_router])


@_router.websocket("/socket/{number}")
async def connect(websocket: WebSocket, number: str) -> None:
    """Serve a client."""
    await serve_socket(
        websocket, _rooms, "room", Member(number), snapshot=_show_nothing, receive=_broadcast
    )


async def _show_nothing(member: Member) -> tuple[str, object]:
    return "view", None


async def _broadcast(message: ClientMessage) -> Reply:
    room = _rooms.get("room")
    assert room is not None
    room.publish("message", "x" * (int(message.data) - _ENVELOPE_BYTES))
    return Reply()
