"""Run the installed clients, and other programs, beside a test."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

PEERS = Path(__file__).resolve().parents[2] / ".peers"
SESSIONS = PEERS.with_name("packages") / "engine/tests/clients/sessions"
# Seconds, also for a busy machine; a program that takes longer hangs.
START_TIMEOUT = 60.0
SESSION_TIMEOUT = 120.0


class ClientMissing(Exception):
    """A client is not installed; the message says how to install it."""


def installed(path: str) -> Path:
    """Return the path of an installed file below .peers."""
    full_path = PEERS / path
    if not full_path.exists():
        raise ClientMissing(
            f"{full_path} does not exist, and the endpoint is tested with it. `make test-all` "
            "installs every client into .peers; run it once."
        )
    return full_path


def node() -> str:
    """Return the path of Node.js."""
    command = shutil.which("node")
    if command is None:
        raise ClientMissing(
            "Node.js is not installed, and the endpoint is tested with clients in JavaScript. "
            "`make test-all` installs it (nodejs, npm); run it once."
        )
    return command


def run_session(command: list[str | Path], environment: Mapping[str, str]) -> None:
    """Run a program that uses the endpoint; it must exit with status 0."""
    completed = subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SESSION_TIMEOUT,
        check=False,
    )
    assert completed.returncode == 0, f"\n{completed.stdout}\n{completed.stderr}"


@contextmanager
def running(
    command: Sequence[str | Path],
    *,
    ready: str,
    status: int,
    environment: Mapping[str, str] | None = None,
) -> Generator[re.Match[str]]:
    """Run a program until the block ends; yield the match of `ready` in its output.

    The program is stopped with SIGTERM, and must exit with `status`.
    """
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        assert process.stdout is not None
        output = ""
        for line in process.stdout:
            output += line
            if match := re.search(ready, line):
                break
        else:
            raise AssertionError(f"{command[0]} exited before it was ready:\n{output}")
        # Read and discard further output, or the program would block when the pipe is full.
        Thread(target=process.stdout.read, daemon=True).start()
        yield match
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=START_TIMEOUT)
    assert process.returncode == status
