"""Play games with many phones through several server processes, kill some, and cut connections.

Run it with python -m drills.games [--players N] [--rooms N] [--room-size N] [--seed N]. At the end,
all acknowledged answers and votes must be stored and counted once, points must be those that an
independent computation gives, and all phones must show the same leaderboard.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import multiprocessing
import os
import resource
import signal
import socket
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any, NoReturn, TypeAlias

from drills.games_client import GamesApiError, GamesClient, GameSession, ServerMessage
from drills.games_oracle import PlayerLog, Sent, check_game
from dynamodb_engine.cli import main as dynamodb_engine
from dynamodb_engine.private_files import create_folder
from singletable import connect
from singletable.cli import main as singletable
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.service import open_games
from singletable_apps.shared.key_files import load_key_file

_PROGRAMS = {"singletable": singletable, "dynamodb-engine": dynamodb_engine}
_START_TIMEOUT = 30.0
_PATIENCE = 300.0
_CUT_SHARE = 0.1
_JOINING_AT_ONCE = 50

TRIVIA: dict[str, Any] = {
    "type": "trivia",
    "title": "Which of these are prime?",
    "options": ["2", "9", "11", "15"],
    "correct": ["a", "c"],
    "seconds": 0,
}
LESSON: dict[str, Any] = {"type": "call-and-answer", "title": "What slowed us down?", "seconds": 0}
LUNCH: dict[str, Any] = {
    "type": "choice",
    "title": "Where shall we eat?",
    "options": ["Noodles", "Salad"],
    "seconds": 0,
}
# The third question is closed while answers arrive.
QUESTIONS = (TRIVIA, LESSON, TRIVIA, LUNCH, TRIVIA)
EARLY = 3
SETTINGS = {"readingSeconds": 0, "votingSeconds": 0, "triviaMode": "accuracy", "leaderboard": "end"}

# Called at the moments "open" and "close" of a question, with its number.
Moment: TypeAlias = Callable[[int, str], Awaitable[None]]


@dataclass
class Timings:
    """Seconds that players had to wait, for all rooms."""

    joins: list[float] = field(default_factory=list[float])
    acknowledgments: list[float] = field(default_factory=list[float])
    fan_outs: list[float] = field(default_factory=list[float])
    reconnects: list[float] = field(default_factory=list[float])

    def lines(self) -> list[str]:
        """Return a line for each kind of wait."""
        named = {
            "join and connect": self.joins,
            "acknowledgment": self.acknowledgments,
            "phase change, after the first phone": self.fan_outs,
            "reconnect": self.reconnects,
        }
        return [f"{name}: {_percentiles(values)}" for name, values in named.items()]


def _percentiles(seconds: Sequence[float]) -> str:
    if not seconds:
        return "none"
    ordered = sorted(seconds)
    p50, p99 = (ordered[int(len(ordered) * share)] for share in (0.5, 0.99))
    text = f"p50 {p50 * 1e3:,.0f} ms, p99 {p99 * 1e3:,.0f} ms, max {ordered[-1] * 1e3:,.0f} ms"
    return f"{text} of {len(ordered):,}"


# ------------------------------------------------------------------------------ servers


class Servers:
    """Server processes of an app, and an endpoint with their tables unless these are elsewhere."""

    def __init__(
        self, folder: Path, count: int, address: str | None = None, app: str = "games"
    ) -> None:
        self._folder = folder
        self._app = app
        self._ports = [_free_port() for _ in range(count)]
        self._endpoint = _free_port() if address is None else None
        self.tables = address or f"dynamodb+http://127.0.0.1:{self._endpoint}"
        self._processes = ProcessStarter()
        self._pids: dict[int, int] = {}
        self.secret = folder / app / "secret.key"
        self.kills = 0

    @property
    def urls(self) -> list[str]:
        """Return the URLs of the servers."""
        return [f"http://127.0.0.1:{port}" for port in self._ports]

    async def start(self) -> None:
        """Start all processes and wait until they respond."""
        create_folder(self.secret.parent)
        load_key_file(self.secret, "for the drill")
        if self._endpoint is not None:
            tables = [f"file:{self._folder / 'games.db'}", "--port", str(self._endpoint)]
            await self._spawn(self._endpoint, "dynamodb-engine", "serve", *tables)
        for port in self._ports:
            await self._serve(port)

    async def kill(self, number: int, *, restart: bool) -> None:
        """Kill a server, and start it again or leave the rest to the others."""
        port = self._ports[number]
        self._processes.kill(self._pids.pop(port))
        self.kills += 1
        if restart:
            await self._serve(port)

    def stop(self) -> None:
        """Kill all processes."""
        self._processes.close()

    def log(self) -> str:
        """Return the end of what the servers have written to their logs."""
        logs = [self._folder / f"{port}.log" for port in self._ports]
        texts = [each.read_text(errors="replace") for each in logs if each.exists()]
        return "\n".join(each[-2_000:] for each in texts)

    async def _serve(self, port: int) -> None:
        place = ["--folder", str(self._folder), "--address", self.tables]
        await self._spawn(port, "singletable", "serve", self._app, *place, "--port", str(port))

    async def _spawn(self, port: int, *arguments: str) -> None:
        self._pids[port] = self._processes.start(self._folder / f"{port}.log", arguments)
        deadline = time.monotonic() + _START_TIMEOUT
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                if time.monotonic() > deadline:
                    raise
                await asyncio.sleep(0.02)
            else:
                writer.close()
                return


class ProcessStarter:
    """Starts `singletable` and `dynamodb-engine` in processes that are forked, and kills them.

    They are forked by a process that has imported everything and has no sockets: an own one would
    keep the connections of phones open that were cut.
    """

    def __init__(self) -> None:
        forking = multiprocessing.get_context("fork")
        self._pipe, end = forking.Pipe()
        self._process = forking.Process(target=_start_processes, args=(end, self._pipe))
        with warnings.catch_warnings():
            # Threads of a test runner do not matter: the child uses none of their locks.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()
        end.close()

    def start(self, log: Path, arguments: Sequence[str]) -> int:
        """Start a process and return its id."""
        self._pipe.send((str(log), list(arguments)))
        pid: int = self._pipe.recv()
        return pid

    def kill(self, pid: int) -> None:
        """Kill a process and wait for its end."""
        self._pipe.send(pid)
        self._pipe.recv()

    def close(self) -> None:
        """Kill all processes."""
        self._pipe.close()
        self._process.join()


def _start_processes(pipe: Connection, other_end: Connection) -> None:
    """Fork and kill processes as the pipe says, and kill all when it is closed."""
    other_end.close()
    for module in (
        "dynamodb_engine.server",
        "singletable_apps.games.app",
        "uvicorn.protocols.websockets.auto",
    ):
        importlib.import_module(module)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    running: set[int] = set()

    def kill(pid: int) -> None:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        running.discard(pid)

    with suppress(EOFError):
        while True:
            order: int | tuple[str, list[str]] = pipe.recv()
            if isinstance(order, int):
                kill(order)
                pipe.send(order)
                continue
            pid = os.fork()
            if not pid:
                _run_command(*order)
            running.add(pid)
            pipe.send(pid)
    for each in list(running):
        kill(each)
    os._exit(0)


def _run_command(log: str, arguments: list[str]) -> NoReturn:
    """Become the program that is named first, with the other arguments."""
    output = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.dup2(output, 1)
    os.dup2(output, 2)
    try:
        _PROGRAMS[arguments[0]](arguments[1:])
    except SystemExit:
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    os._exit(1)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


# ------------------------------------------------------------------------------ rooms


class Phone:
    """A player with a session: answers and votes at random, and notes what the server says."""

    def __init__(self, log: PlayerLog, session: GameSession, chance: Random) -> None:
        self.log = log
        self.session = session
        self._chance = chance

    async def answer(self, question: dict[str, Any], timings: Timings, within: float) -> None:
        """Answer the current question, some time within these seconds."""
        session, question_id = self.session, self.session.question_id
        if question["type"] == "call-and-answer":
            sent = Sent(text=f"{self.log.name} says {self._chance.random()}")
        elif question["type"] == "trivia":
            sent = Sent(self._chance.choice([("a", "c"), ("a", "c"), ("a",), ("b",)]))
        else:
            sent = Sent((self._chance.choice("ab"),))
        self.log.answers[question_id] = sent
        await asyncio.sleep(self._chance.uniform(0, within))
        sent.outcome = await _outcome(
            session.answer(question_id, choices=sent.choices, text=sent.text), timings
        )

    async def vote(self, timings: Timings, within: float) -> None:
        """Rank the answers that this phone shows."""
        session, question_id = self.session, self.session.question_id
        await session.wait_until(lambda seen: "ballot" in seen.me, _PATIENCE)
        shown = [each["id"] for each in session.me["ballot"]]
        self._chance.shuffle(shown)
        sent = self.log.votes[question_id] = Sent(ranking=tuple(shown))
        await asyncio.sleep(self._chance.uniform(0, within))
        sent.outcome = await _outcome(session.vote(question_id, sent.ranking), timings)

    def result(self) -> object:
        """Return the leaderboard that this phone shows."""
        return self.session.view.get("leaderboard")


async def _outcome(sending: Awaitable[Any], timings: Timings) -> str:
    """Return what the server said, and note how long it took."""
    started = time.perf_counter()
    try:
        receipt = await sending
    except GamesApiError as error:
        return error.code
    timings.acknowledgments.append(time.perf_counter() - started)
    return str(receipt.outcome)


class FanOut:
    """When the phones of a room have seen each version of the state."""

    def __init__(self) -> None:
        self._first: dict[int, float] = {}
        self.seconds: list[float] = []

    def follow(self, session: GameSession) -> None:
        """Note when a session sees a new version."""

        def note(message: ServerMessage) -> None:
            if message.type == "gameStateChanged":
                now = time.perf_counter()
                first = self._first.setdefault(session.version, now)
                self.seconds.append(now - first)

        session.on_message = note


@asynccontextmanager
async def open_room(
    clients: Sequence[GamesClient],
    size: int,
    chance: Random,
    timings: Timings,
    gate: asyncio.Semaphore,
) -> AsyncGenerator[tuple[GameSession, list[Phone], FanOut]]:
    """Create a game, and let players join and connect through all servers in turn.

    The gate limits how many join at once.
    """
    fan_out = FanOut()
    created = await chance.choice(clients).create_game(questions=QUESTIONS, settings=SETTINGS)
    async with AsyncExitStack() as stack:
        host = await stack.enter_async_context(
            chance.choice(clients).connect(created.game_id, created.tokens.host)
        )

        async def join(number: int) -> Phone:
            client = clients[number % len(clients)]
            async with gate:
                started = time.perf_counter()
                joined = await client.join(created.game_id, f"Player {number}")
                session = client.connect(created.game_id, joined.token)
                await stack.enter_async_context(session)
                timings.joins.append(time.perf_counter() - started)
            fan_out.follow(session)
            log = PlayerLog(joined.player_id, joined.name)
            return Phone(log, session, Random(chance.random()))

        phones = await asyncio.gather(*(join(number) for number in range(size)))
        yield host, phones, fan_out
        timings.fan_outs += fan_out.seconds
        timings.reconnects += [each for phone in phones for each in phone.session.reconnects]


async def play_room(
    host: GameSession,
    phones: Sequence[Phone],
    chance: Random,
    timings: Timings,
    at: Moment,
    within: float,
) -> list[str]:
    """Play a game to its end, and return what phones show in different ways.

    All answer within the same seconds.
    """
    for number, question in enumerate(QUESTIONS, 1):
        question_id = f"{number:03d}"
        await _drive(host, partial(_is_asked, host, question_id))
        await _all_see(phones, partial(_is_open, question_id))
        answers = [asyncio.create_task(each.answer(question, timings, within)) for each in phones]
        await at(number, "open")
        if number == EARLY:
            await asyncio.sleep(within / 2)
            for phone in chance.sample(list(phones), max(1, int(len(phones) * _CUT_SHARE))):
                phone.session.cut()
        else:
            await asyncio.gather(*answers)
        await _close(host, number, at)
        await asyncio.gather(*answers)
        if question["type"] == "call-and-answer":
            await _all_see(phones, lambda seen: seen.phase is Phase.VOTING)
            await asyncio.gather(*(each.vote(timings, within) for each in phones))
            await _drive(host, lambda: host.phase is Phase.REVEAL)
        await _all_see(phones, lambda seen: seen.phase is Phase.REVEAL)
    await _drive(host, lambda: host.phase is Phase.ENDED)
    await _all_see(phones, lambda seen: seen.phase is Phase.ENDED)
    shown = {json.dumps(phone.result(), sort_keys=True) for phone in phones}
    return [] if len(shown) == 1 else [f"phones show {len(shown)} different leaderboards"]


async def _close(host: GameSession, number: int, at: Moment) -> None:
    """Close the question, unless the last answer has closed it already."""
    closing = asyncio.create_task(_command(host, Command.CLOSE))
    await at(number, "close")
    await closing
    await host.wait_until(lambda seen: seen.phase in (Phase.VOTING, Phase.REVEAL), _PATIENCE)


async def _drive(host: GameSession, condition: Callable[[], object]) -> None:
    """Let the host go on until a condition is true."""
    while not condition():
        version = host.version
        await _command(host, Command.START if host.phase is Phase.WAITING else Command.NEXT)
        await host.wait_until(partial(_is_newer, version), _PATIENCE)


def _is_asked(host: GameSession, question_id: str) -> bool:
    return host.question_id == question_id


def _is_open(question_id: str, seen: GameSession) -> bool:
    return seen.phase is Phase.OPEN and seen.question_id == question_id


def _is_newer(version: int, seen: GameSession) -> bool:
    return seen.version > version


async def _command(host: GameSession, command: Command) -> None:
    # Someone else may have closed the phase, and a second host gets an error, too.
    with suppress(GamesApiError):
        await host.command(command)


async def _all_see(phones: Sequence[Phone], condition: Callable[[GameSession], object]) -> None:
    waiting = (each.session.wait_until(condition, _PATIENCE) for each in phones)
    try:
        await asyncio.gather(*waiting)
    except TimeoutError:
        shown = Counter((each.session.phase.value, each.session.version) for each in phones)
        raise TimeoutError(f"Phones of {phones[0].session.game_id} still show {shown}.") from None


# ------------------------------------------------------------------------------ the drill


@dataclass(frozen=True, slots=True)
class DrillResult:
    """What a run has come to."""

    answers: int
    votes: int
    refused: int
    kills: int
    timings: Timings
    faults: list[str]


async def run_drill(
    folder: Path,
    sizes: Sequence[int],
    *,
    seed: int,
    kills: int,
    within: float = 1.0,
    address: str | None = None,
) -> DrillResult:
    """Play one game of each size at the same time, while servers are killed.

    The tables are at `address`, or else behind an endpoint.
    """
    chance, timings = Random(seed), Timings()
    servers = Servers(folder, 2, address)
    faults: list[str] = []
    played: list[tuple[str, list[PlayerLog]]] = []
    # Kills are while a question is open, and while one is scored.
    moments = [(1, "open"), (5, "close"), (2, "open"), (3, "close")][:kills]
    killing: list[asyncio.Task[None]] = []

    async def at(number: int, moment: str) -> None:
        if (number, moment) in moments:
            moments.remove((number, moment))
            await asyncio.sleep(within / 2 if moment == "open" else 0.002)
            kill = servers.kill(len(killing) % 2, restart=bool(moments))
            killing.append(asyncio.create_task(kill))

    async def play(size: int, room: Random) -> None:
        async with open_room(clients, size, room, timings, gate) as (host, phones, _):
            played.append((host.game_id, [phone.log for phone in phones]))
            ready.append(size)
            while len(ready) < len(sizes):
                await asyncio.sleep(0.05)
            faults.extend(await play_room(host, phones, room, timings, at, within))

    ready: list[int] = []
    gate = asyncio.Semaphore(_JOINING_AT_ONCE)
    try:
        await servers.start()
        urls = servers.urls
        async with GamesClient(*urls) as one, GamesClient(*reversed(urls)) as other:
            clients = [one, other]
            rooms = [play(size, Random(chance.random())) for size in sizes]
            await asyncio.gather(*rooms)
            await asyncio.gather(*killing)
        with connect(servers.tables) as driver:
            service = open_games(driver, load_key_file(servers.secret, "for the drill"))
            for game_id, logs in played:
                faults += [f"game {game_id}: {each}" for each in check_game(service, game_id, logs)]
    except BaseException:
        print(servers.log(), file=sys.stderr)
        raise
    finally:
        servers.stop()
    logs = [log for _, players in played for log in players]
    sent = [each for log in logs for each in (*log.answers.values(), *log.votes.values())]
    return DrillResult(
        answers=sum(each.is_acknowledged for log in logs for each in log.answers.values()),
        votes=sum(each.is_acknowledged for log in logs for each in log.votes.values()),
        refused=sum(not each.is_acknowledged for each in sent),
        kills=servers.kills,
        timings=timings,
        faults=faults,
    )


def main() -> int:
    """Run the drill and return the exit code: 0 if nothing was lost, repeated or wrong."""
    parser = argparse.ArgumentParser(prog="python -m drills.games", description=__doc__)
    parser.add_argument("--players", type=int, default=1_000, help="players in one room")
    parser.add_argument("--rooms", type=int, default=100, help="rooms at the same time")
    parser.add_argument("--room-size", type=int, default=30)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    allow_sockets()
    failed = False
    for sizes in ([options.players], [options.room_size] * options.rooms):
        if not sum(sizes):
            continue
        with tempfile.TemporaryDirectory() as folder:
            result = asyncio.run(
                run_drill(Path(folder), sizes, seed=options.seed, kills=options.kills)
            )
        rooms = "1 room" if len(sizes) == 1 else f"{len(sizes)} rooms"
        print(
            f"games: {rooms} of {sizes[0]:,}, {result.kills} servers killed: {result.answers:,} "
            f"answers and {result.votes:,} votes acknowledged, {result.refused:,} came too late"
        )
        for line in result.timings.lines():
            print(f"  {line}")
        for fault in result.faults[:20]:
            print(f"  FAULT {fault}")
        print(f"  {len(result.faults)} faults", flush=True)
        failed = failed or bool(result.faults)
    return 1 if failed else 0


def allow_sockets() -> None:
    """Allow this process, and the servers that it starts, as many files as the system allows."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


if __name__ == "__main__":
    sys.exit(main())
