"""An app on a port of its own, as long as a test needs it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from singletable_apps.shared.serve import Server


@contextmanager
def live(app: ASGIApp) -> Generator[str]:
    """The address of the app while it is served in a thread beside."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    # What comes before the server is ready waits in the queue of the socket.
    serving = threading.Thread(target=server.run, args=([listening],))
    serving.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        serving.join()
        listening.close()
