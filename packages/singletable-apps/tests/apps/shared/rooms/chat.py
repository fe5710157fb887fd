"""A chat on the site: an app with a socket, a poll and a post, as rooms.js expects them."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager

from fastapi import APIRouter, FastAPI, Request, Response, WebSocket

from singletable_apps.home.app import make_site_app
from singletable_apps.shared.apps import AppInfo, RunningApp
from singletable_apps.shared.rooms import (
    ClientMessage,
    CloseCode,
    Member,
    Position,
    Reply,
    Room,
    RoomLimits,
    Rooms,
    refuse_socket,
    serve_poll,
    serve_socket,
    socket_token,
)
from singletable_apps.shared.serve import Server, server_config
from singletable_apps.shared.web import make_app

LIMITS = RoomLimits(room_sockets=6, message_burst=10, room_grace=2, waiting_events=20)


class Chat:
    """Texts by room. A message that is sent twice with one id is stored once."""

    server: Server

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self.rooms = Rooms(self._open_room, limits=LIMITS)
        self.texts: dict[str, dict[str, str]] = {}

    def _open_room(self, room: Room) -> None:
        self.loop = asyncio.get_running_loop()

    async def show(self, member: Member) -> tuple[str, object]:
        """Return all texts of the room, which is in the channels of the member."""
        key = next(channel for channel in member.channels if channel != "all")
        if key == "broken":
            raise LookupError(key)
        return "texts", list(self.texts.get(key, {}).values())

    async def receive(self, key: str, message: ClientMessage) -> Reply | None:
        """Store a text and publish it."""
        room = self.rooms.get(key)
        if message.type == "fail":
            raise ValueError(message.type)
        if message.type != "say" or not isinstance(message.data, str):
            return Reply.error("unknown", "Expected a text to say.")
        texts = self.texts.setdefault(key, {})
        is_new = message.id not in texts
        texts[message.id] = message.data
        if room is not None and is_new:
            room.publish("said", message.data, "all")
            room.update("total", len(texts), "all")
        return Reply(data={"total": len(texts)})


def member_of(key: str, name: str) -> Member:
    """Return the member with this name."""
    return Member(name, frozenset({"all", key}))


def make_chat_app(chat: Chat) -> FastAPI:
    """Return the chat, where every token is the name of a member."""
    router = APIRouter()

    @router.websocket("/rooms/{key}/socket")
    async def connect(websocket: WebSocket, key: str) -> None:
        name = socket_token(websocket)
        if not name:
            await refuse_socket(websocket, CloseCode.UNAUTHORIZED, "Join again." + "…" * 100)
            return
        await serve_socket(
            websocket,
            chat.rooms,
            key,
            member_of(key, name),
            snapshot=chat.show,
            receive=lambda message: chat.receive(key, message),
            max_age=0.05 if name == "old" else None,
        )

    @router.get("/rooms/{key}/poll")
    async def poll_room(request: Request, key: str) -> Response:
        query = request.query_params
        poll = chat.rooms.poll(
            key,
            member_of(key, _bearer(request)),
            snapshot=chat.show,
            position=Position.parse(query.get("epoch"), query.get("sequence")),
        )
        return await serve_poll(request, poll)

    @router.post("/rooms/{key}/messages")
    async def post(request: Request, key: str) -> Response:
        reply = await chat.rooms.answer(
            key,
            member_of(key, _bearer(request)),
            await request.body(),
            lambda message: chat.receive(key, message),
        )
        return Response(reply, media_type="application/json")

    return make_app("Chat", "1", routers=[router])


def _bearer(request: Request) -> str:
    return request.headers.get("authorization", "").removeprefix("Bearer ")


@contextmanager
def serve_chat(chat: Chat, port: int = 0) -> Generator[str]:
    """Serve the chat on the site, and yield the host with its port."""
    info = AppInfo("Chat", "Talk.", "/rooms", picture="<svg/>", picture_alt="A bubble")
    running = RunningApp(info, make_chat_app(chat), prefixes=("/rooms",), api="/rooms")
    server = chat.server = Server(server_config(make_site_app([running])))
    with socket.create_server(("127.0.0.1", port)) as listener:
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(20)
    assert not thread.is_alive()
