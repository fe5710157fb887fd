"""A service in a process of its own, while it is asked."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def served(module: str, folder: Path) -> Generator[int]:
    """The port at which `python -m MODULE FOLDER PORT` listens, until it is left."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    command = [sys.executable, "-m", module, str(folder), str(port)]
    with subprocess.Popen(command) as server:
        try:
            _wait(server, port)
            yield port
        finally:
            server.terminate()


def _wait(server: subprocess.Popen[bytes], port: int) -> None:
    for _ in range(600):
        if server.poll() is not None:
            break
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("the service does not listen")
