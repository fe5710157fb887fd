"""Where make has installed the clients, and how their programs are run."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.clients.endpoint import Endpoint

PEERS = Path(__file__).parents[2] / ".peers"
SESSIONS = Path(__file__).parent / "sessions"
# A session takes seconds, on a busy machine too; one that takes this long hangs.
PATIENCE = 120.0


class ClientMissing(Exception):
    """A client is not installed; the message says what installs it."""


def installed(path: str) -> Path:
    """A file below .peers."""
    found = PEERS / path
    if not found.exists():
        raise ClientMissing(
            f"There is no {found}, and the endpoint is tested with it. `make test` installs every "
            "client into .peers; run it once."
        )
    return found


def node() -> str:
    """The command that runs JavaScript."""
    found = shutil.which("node")
    if found is None:
        raise ClientMissing(
            "There is no Node.js, and the endpoint is tested with clients in JavaScript. "
            "`make test` installs it (nodejs, npm); run it once."
        )
    return found


def run_session(command: list[str | Path], endpoint: Endpoint, **more: str) -> None:
    """Run a program that is a session with the endpoint; it ends with status 0 if all went well."""
    ran = subprocess.run(
        command,
        env=endpoint.environment | more,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode == 0, f"\n{ran.stdout}\n{ran.stderr}"
