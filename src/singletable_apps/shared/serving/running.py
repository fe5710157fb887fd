"""An app on a socket, until a signal asks it to stop."""

from __future__ import annotations

import socket

import uvicorn
from starlette.types import ASGIApp

# So long may what has arrived take to be answered after a signal.
LAST_SECONDS = 10


def run(app: ASGIApp, listener: socket.socket) -> None:
    """Serve, and answer what has arrived before the end; see `listening` for what ends it."""
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="off",
            timeout_graceful_shutdown=LAST_SECONDS,
        )
    )
    # It answers, and then passes on the signal that it was stopped by.
    server.run(sockets=[listener])
