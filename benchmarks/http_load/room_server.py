"""Serve sockets in a process: python -m benchmarks.http_load.room_server rooms|loop SOCKET.

Each message of a client is sent on to all clients. SOCKET is the number of a listening socket.
"""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

MESSAGE_BYTES = 300


def room_server() -> uvicorn.Server:
    """Return a server of an app with one room."""
    from benchmarks.http_load.room_app import make_room_app
    from singletable_apps.shared.serve import Server, server_config

    return Server(server_config(make_room_app()))


def loop_server() -> uvicorn.Server:
    """Return a server of an app that sends to one socket after the other, and does nothing else."""
    sends: dict[int, Send] = {}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        sends[id(send)] = send
        try:
            while (await receive())["type"] == "websocket.receive":
                for each in list(sends.values()):
                    await each({"type": "websocket.send", "text": "x" * MESSAGE_BYTES})
        finally:
            del sends[id(send)]

    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            lifespan="off",
            ws="websockets-sansio",
            ws_per_message_deflate=False,
        )
    )


if __name__ == "__main__":
    server = room_server() if sys.argv[1] == "rooms" else loop_server()
    server.run([socket.socket(fileno=int(sys.argv[2]))])
