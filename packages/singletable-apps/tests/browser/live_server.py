"""Serve an app on a free port during a test."""

from __future__ import annotations

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager

from starlette.types import ASGIApp

from singletable_apps.shared.serve import Server, server_config


@contextmanager
def serve_app(app: ASGIApp) -> Generator[str]:
    """Serve the app in a thread, and yield its URL."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(server_config(app))
    # Requests that come before the server is ready wait in the queue of the socket.
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
