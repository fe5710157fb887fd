"""A server as a process of its own: started, waited for, and ended."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.measuring.missing import Missing, WrongAnswer
from benchmarks.measuring.scratch import scratch
from benchmarks.over_http.client import Client
from singletable import ListTables

_PATIENCE = 30.0
_PAUSE = 0.005


@dataclass(frozen=True, slots=True)
class Server:
    """How a server is started; a `command` that finds something missing raises Missing.

    A command is given the port and, if the server shall keep its tables in files, a folder.
    """

    name: str
    command: Callable[[int, Path | None], Sequence[str]]
    environment: Callable[[int], Mapping[str, str]] = field(default=lambda port: {})
    keeps_files: bool = True
    version: str = ""

    @property
    def title(self) -> str:
        """Its name, with the version where that is not ours."""
        return f"{self.name} {self.version}".strip()


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers, and how long that took."""

    pid: int
    port: int
    client: Client
    start_seconds: float


@contextmanager
def running(server: Server, *, on_file: bool = False) -> Generator[Running]:
    """The server, from its first answer on; Missing if it gives none."""
    with scratch() as folder:
        port = _free_port()
        command = _ends_with_us(server.command(port, folder if on_file else None))
        log = folder / "log.txt"
        with log.open("wb") as output:
            begun = time.perf_counter()
            process = subprocess.Popen(
                command,
                cwd=folder,
                env={**os.environ, **server.environment(port)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        client = Client(port)
        try:
            _wait(server.name, process, client, log)
            yield Running(process.pid, port, client, time.perf_counter() - begun)
        finally:
            client.close()
            # The whole session: some servers are a launcher with children. It may be over already.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _ends_with_us(command: Sequence[str]) -> Sequence[str]:
    """The command of a server that does not outlive this process, however that ends."""
    program = shutil.which("setpriv")
    return command if program is None else [program, "--pdeathsig", "KILL", *command]


def _wait(name: str, process: subprocess.Popen[bytes], client: Client, log: Path) -> None:
    """Ask until there is an answer."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            client.ask(ListTables())
        except WrongAnswer:
            time.sleep(_PAUSE)
        else:
            return
    said = log.read_text(errors="replace").strip().splitlines()
    reason = said[-1][:200] if said else "it said nothing"
    raise Missing(f"{name} does not start: {reason}")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
