"""Rooms: one message to 1,000 and 10,000 sockets, beside a loop over bare sockets of uvicorn."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from statistics import median

from uvicorn.loops.auto import auto_loop_factory

from benchmarks.harness.measurement import ROOT, Scale, show_progress
from benchmarks.harness.report import (
    ReportTable,
    Target,
    format_microseconds,
    format_milliseconds,
    format_ratio,
)
from benchmarks.http_load.room_server import MESSAGE_BYTES
from benchmarks.http_load.servers import resident_bytes, total_cpu_seconds
from benchmarks.http_load.socket_client import SocketClient

CLAIM = "a room sends to all sockets for no more CPU time than a loop over bare sockets"
COST = Target(at_most=1.0)
_SERVER = "benchmarks.http_load.room_server"
_TIMEOUT = 120.0
_CONNECTING_AT_ONCE = 200


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Connect more and more clients to each server, and let it send to all of them."""
    sizes = (scale.counted // 10, scale.counted)
    loop = _measure("loop", sizes, scale.seconds)
    rooms = _measure("rooms", sizes, scale.seconds)
    rows: list[list[str]] = []
    for size, theirs, ours in zip(sizes, loop, rooms, strict=True):
        cost = ours.cpu_seconds / theirs.cpu_seconds
        rows.append([f"{size:,}", "loop", *theirs.cells(), "", ""])
        rows.append([f"{size:,}", "room", *ours.cells(), format_ratio(cost), COST.verdict(cost)])
    yield ReportTable(
        f"A message of {MESSAGE_BYTES} bytes to all sockets, one process",
        ["sockets", "sent by", "to all", "slowest", "CPU each", "memory each", "cost", "target"],
        rows,
        [
            "The loop awaits `send` of one socket after the other, without middleware. The room "
            "numbers the message, keeps it for clients that reconnect, and waits for nobody. It "
            "encodes one frame for all sockets; `send` encodes one for each. A socket of the room "
            "takes more memory, because it waits inside FastAPI and our middleware. Median and "
            "maximum of some rounds; the cost is that in CPU time."
        ],
    )


@dataclass(frozen=True, slots=True)
class _FanOut:
    """How long a server takes to send one message to all sockets, and what a socket costs it."""

    seconds: float
    slowest: float
    cpu_seconds: float
    bytes: float

    def cells(self) -> list[str]:
        """Return the figures of a row."""
        return [
            f"{format_milliseconds(self.seconds)} ms",
            f"{format_milliseconds(self.slowest)} ms",
            format_microseconds(self.cpu_seconds),
            f"{self.bytes / 1024:.0f} KiB",
        ]


def _measure(kind: str, sizes: Sequence[int], seconds: float) -> list[_FanOut]:
    show_progress(f"{sizes[-1]:,} sockets, {kind}")
    # With uvloop where it is installed, so that the clients are not slower than the server.
    runner = asyncio.Runner(loop_factory=auto_loop_factory())
    with _serve(kind) as (pid, port), runner:
        return runner.run(asyncio.wait_for(_fan_out(pid, port, sizes, seconds), _TIMEOUT))


async def _fan_out(pid: int, port: int, sizes: Sequence[int], seconds: float) -> list[_FanOut]:
    crowd = _Crowd()
    figures: list[_FanOut] = []
    try:
        await crowd.connect(port, 1)
        memory = resident_bytes(pid)
        for size in sizes:
            await crowd.connect(port, size)
            await crowd.broadcast()
            started, cpu = time.perf_counter(), total_cpu_seconds(pid)
            times = [await crowd.broadcast()]
            while time.perf_counter() - started < seconds:
                times.append(await crowd.broadcast())
            # A clock tick is 10 ms, so a short run measures none.
            cpu = max(0.01, total_cpu_seconds(pid) - cpu) / len(times) / size
            each = (resident_bytes(pid) - memory) / size
            figures.append(_FanOut(median(times), max(times), cpu, each))
    finally:
        crowd.close()
    return figures


class _Crowd:
    """All clients of a server."""

    def __init__(self) -> None:
        self._clients: list[_Client] = []
        self._missing = 0
        self._complete = asyncio.Event()

    async def connect(self, port: int, size: int) -> None:
        """Open connections until there are `size`, some at once."""
        loop = asyncio.get_running_loop()
        while (first := len(self._clients)) < size:
            for number in range(first, min(first + _CONNECTING_AT_ONCE, size)):
                make_client = partial(_Client, self, number)
                _, client = await loop.create_connection(make_client, "127.0.0.1", port)
                self._clients.append(client)
            await asyncio.gather(*(client.opened for client in self._clients[first:]))

    async def broadcast(self) -> float:
        """Let the server send to all, and return the seconds until all have received it."""
        self._missing = len(self._clients)
        self._complete.clear()
        started = time.perf_counter()
        self._clients[0].ask()
        await self._complete.wait()
        return time.perf_counter() - started

    def count(self) -> None:
        """Count a message that was received."""
        self._missing -= 1
        if not self._missing:
            self._complete.set()

    def close(self) -> None:
        """Close all connections."""
        for client in self._clients:
            client.close()


class _Client(SocketClient):
    """A client that only counts messages: parsing them would cost more than sending."""

    def __init__(self, crowd: _Crowd, number: int) -> None:
        super().__init__(f"/socket/{number}")
        self._crowd = crowd

    def frame_received(self, frame: bytes) -> None:
        """Count the message of all."""
        # Other messages, such as the snapshot, are shorter.
        if len(frame) > MESSAGE_BYTES - 50:
            self._crowd.count()

    def ask(self) -> None:
        """Ask the server to send a message to all."""
        self.send(b'{"id":"1","type":"send","data":%d}' % MESSAGE_BYTES)


@contextmanager
def _serve(kind: str) -> Generator[tuple[int, int]]:
    """Serve in another process until the block ends; yield its number and its port."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        number = listener.fileno()
        server = subprocess.Popen(
            [sys.executable, "-m", _SERVER, kind, str(number)], pass_fds=[number], cwd=ROOT
        )
        try:
            yield server.pid, listener.getsockname()[1]
        finally:
            server.terminate()
            with suppress(subprocess.TimeoutExpired):
                server.wait(5)
            server.kill()
            server.wait()
