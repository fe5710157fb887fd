"""Games: thousands of answers within a second, beside a server that only acknowledges them."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from random import Random
from statistics import median

from uvicorn.loops.auto import auto_loop_factory

from benchmarks.harness.measurement import ROOT, Scale, WrongResult, show_progress
from benchmarks.harness.report import (
    ReportTable,
    Target,
    format_microseconds,
    format_milliseconds,
    format_ratio,
)
from benchmarks.http_load.answer_server import ROUNDS
from benchmarks.http_load.servers import total_cpu_seconds
from benchmarks.http_load.socket_client import SocketClient

CLAIM = "answers of a room of 5,000 and of 100 rooms of 30 are acknowledged quickly"
SLOWEST = Target(at_most=50, unit=" ms")
TYPICAL = Target(at_most=200, unit=" ms")
_SERVER = "benchmarks.http_load.answer_server"
_TIMEOUT = 300.0
_CONNECTING_AT_ONCE = 100
_ACK = b'{"type":"ack"'
_ROOM_SIZE = 30


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Let thousands of players answer within a second, in one room and in many."""
    players, within = scale.counted // 2, min(1.0, scale.seconds)
    rooms = max(1, scale.counted // 100)
    in_one = f"{players:,} answers within one second, one process, tables in a file"
    in_many = f"{rooms} rooms of {_ROOM_SIZE}: {rooms * _ROOM_SIZE:,} answers within one second"
    one_room = _compare(in_one, 1, players, within, "p99", SLOWEST)
    many_rooms = _compare(in_many, rooms, _ROOM_SIZE, within, "p50", TYPICAL)
    return [one_room, many_rooms]


def _compare(
    title: str, rooms: int, players: int, within: float, figure: str, target: Target
) -> ReportTable:
    """Return a table that compares games with an echo; the target is for one figure."""
    echo = _measure("echo", rooms, players, within)
    games = _measure("games", rooms, players, within)
    cost = games.cpu_seconds / echo.cpu_seconds
    verdict = target.verdict(getattr(games, figure) * 1_000)
    return ReportTable(
        title,
        ["server", "p50", "p99", "slowest", "CPU each", "cost", "target"],
        [
            ["echo", *echo.cells(), "", ""],
            ["games", *games.cells(), format_ratio(cost), verdict],
        ],
        [
            "Each answer comes over a socket of its own. `echo` is uvicorn with websockets, which "
            "decodes the message and replies. `games` checks the player and the answer, writes it "
            "to disk, and makes sure that the question was still open. Median of "
            f"{ROUNDS} questions; the cost is that in CPU time, the target is for {figure}."
        ],
    )


@dataclass(frozen=True, slots=True)
class _Latency:
    """The seconds until answers are acknowledged, and the CPU time of each."""

    p50: float
    p99: float
    slowest: float
    cpu_seconds: float

    def cells(self) -> list[str]:
        """Return the figures of a row."""
        times = [f"{format_milliseconds(each)} ms" for each in (self.p50, self.p99, self.slowest)]
        return [*times, format_microseconds(self.cpu_seconds)]


def _measure(kind: str, rooms: int, players: int, within: float) -> _Latency:
    show_progress(f"{rooms:,} × {players:,} answers, {kind}")
    # With uvloop where it is installed, so that the clients are not slower than the server.
    runner = asyncio.Runner(loop_factory=auto_loop_factory())
    with _serve(kind, rooms, players) as (pid, port, opened), runner:
        rounds = runner.run(asyncio.wait_for(_play(pid, port, opened, within), _TIMEOUT))
    return _Latency(*(median(column) for column in zip(*rounds, strict=True)))


async def _play(
    pid: int, port: int, opened: Sequence[tuple[str, Sequence[str]]], within: float
) -> list[tuple[float, float, float, float]]:
    """Connect hosts and players, and let them play; return the figures of each question."""
    rooms: list[list[_Client]] = []
    try:
        for game_id, tokens in opened:
            rooms.append(room := list[_Client]())
            for first in range(0, len(tokens), _CONNECTING_AT_ONCE):
                joining = tokens[first : first + _CONNECTING_AT_ONCE]
                room += await asyncio.gather(*(_connect(port, game_id, each) for each in joining))
        phones = [each for _, *players in rooms for each in players]
        is_game = bool(opened[0][0])
        figures: list[tuple[float, float, float, float]] = []
        for number in range(1, ROUNDS + 1):
            if is_game:
                await asyncio.gather(*(_ask(host, players, number) for host, *players in rooms))
                await asyncio.sleep(within)
            closed = [host.wait_for(b'"phase":"reveal"') for host, *_ in rooms]
            cpu = total_cpu_seconds(pid)
            latencies = await _answer(phones, number, within)
            # A clock tick is 10 ms, so a short run measures none.
            cpu = max(0.01, total_cpu_seconds(pid) - cpu) / len(phones)
            p50, p99 = (latencies[int(len(latencies) * share)] for share in (0.5, 0.99))
            figures.append((p50, p99, latencies[-1], cpu))
            if is_game:
                await asyncio.gather(*closed)
        return figures
    finally:
        for room in rooms:
            for each in room:
                each.close()


async def _connect(port: int, game_id: str, token: str) -> _Client:
    make_client = partial(_Client, game_id, token)
    _, client = await asyncio.get_running_loop().create_connection(make_client, "127.0.0.1", port)
    await client.opened
    if game_id:
        await client.seen
    return client


async def _ask(host: _Client, phones: Sequence[_Client], number: int) -> None:
    """Let the host open a question, and wait until all phones show it."""
    seen = [each.wait_for(b'"questionId":"%03d"' % number, b'"phase":"open"') for each in phones]
    host.send(b'{"id":"h","type":"command","data":{"command":"next"}}')
    await asyncio.gather(*seen)


async def _answer(phones: Sequence[_Client], number: int, within: float) -> list[float]:
    """Let all answer within a time; return the sorted seconds until the acknowledgments."""
    chance, loop = Random(number), asyncio.get_running_loop()
    message = b'{"id":"%d","type":"answer","data":{"questionId":"%03d","choices":["b"]}}'
    for each in phones:
        loop.call_later(chance.uniform(0, within), each.answer, message % (number, number))
    await asyncio.gather(*(each.acknowledged for each in phones))
    latencies = sorted(each.acknowledged.result() for each in phones)
    for each in phones:
        each.acknowledged = loop.create_future()
    return latencies


class _Client(SocketClient):
    """A phone, or the host, which notes when its answer is acknowledged."""

    def __init__(self, game_id: str, token: str) -> None:
        path = f"/api/games/games/{game_id}/socket"
        super().__init__(path, {"Authorization": f"Bearer {token}"})
        loop = asyncio.get_running_loop()
        self.acknowledged: asyncio.Future[float] = loop.create_future()
        self.seen: asyncio.Future[None] = loop.create_future()
        self._expected: tuple[bytes, ...] = (b"initialStateSync",)
        self._sent_at = 0.0

    def wait_for(self, *texts: bytes) -> asyncio.Future[None]:
        """Return what is done when a frame contains all texts."""
        self._expected = texts
        self.seen = asyncio.get_running_loop().create_future()
        return self.seen

    def answer(self, message: bytes) -> None:
        """Send an answer."""
        self._sent_at = time.perf_counter()
        self.send(message)

    def frame_received(self, frame: bytes) -> None:
        """Note an acknowledgment, or what is waited for."""
        if frame.startswith(b'{"type":"error"') and self._sent_at:
            self.acknowledged.set_exception(WrongResult(frame.decode()))
        elif frame.startswith(_ACK) and self._sent_at:
            self.acknowledged.set_result(time.perf_counter() - self._sent_at)
            self._sent_at = 0.0
        elif not self.seen.done() and all(text in frame for text in self._expected):
            self.seen.set_result(None)


@contextmanager
def _serve(
    kind: str, rooms: int, players: int
) -> Generator[tuple[int, int, list[tuple[str, list[str]]]]]:
    """Serve in another process until the block ends; yield its number, port and games."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        number = listener.fileno()
        server = subprocess.Popen(
            [sys.executable, "-m", _SERVER, kind, str(number), str(rooms), str(players)],
            pass_fds=[number],
            cwd=ROOT,
            stdout=subprocess.PIPE,
        )
        try:
            assert server.stdout is not None
            opened = json.loads(server.stdout.readline())
            yield server.pid, listener.getsockname()[1], opened
        finally:
            server.terminate()
            with suppress(subprocess.TimeoutExpired):
                server.wait(5)
            server.kill()
            server.communicate()
