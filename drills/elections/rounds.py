"""Rounds: an endpoint, many processes that write through it, and some that are killed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from drills.elections.client import voter_name
from drills.elections.judging import Told, faults_in
from drills.elections.opening import OPEN, PASSWORD, SECRET, events_of, service_on
from singletable import AsyncEngine, Driver, Engine, Remote, Settings
from singletable.server import DynamoDBApp, Listener
from singletable_apps.elections.service import Terms


@dataclass(frozen=True, slots=True)
class Round:
    """What came of a round."""

    name: str
    acknowledged: int
    killed: int
    faults: list[str]


def rounds(
    seed: int, folder: Path, *, count: int, clients: int, commands: int, kills: int
) -> Iterator[Round]:
    """Rounds, each on tables of its own: in memory and in a file, in turn."""
    for number in range(count):
        chance = Random(f"{seed}/{number}")
        with _engine(folder, number) as engine, _endpoint(engine) as address:
            yield _round(engine, address, chance, (clients, commands, kills), number)


def _round(
    engine: Engine, address: str, chance: Random, size: tuple[int, int, int], number: int
) -> Round:
    clients, commands, kills = size
    with Remote.at(address) as driver:
        before = _prepare(driver, clients)
        doomed = set(chance.sample(range(clients), min(kills, clients - 1)))
        running = [
            _Running(address, one, commands, chance.randrange(commands) if one in doomed else None)
            for one in range(clients)
        ]
        told = [line for one in running for line in one.told()]
        faults = [f"client {one.number}: {said}" for one in running if (said := one.complaint())]
        faults += faults_in(driver, before, told, len(doomed))
    return Round(f"round {number}", len(told), len(doomed), faults)


class _Running:
    """A process, heard by a thread, and killed after so many lines."""

    def __init__(self, address: str, number: int, commands: int, dies_after: int | None) -> None:
        self.number = number
        self._dies_after = dies_after
        self._lines: list[Told] = []
        command = [sys.executable, "-m", "drills.elections.client"]
        self._process = subprocess.Popen(
            [*command, address, str(number), str(commands)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._hearing = threading.Thread(target=self._hear)
        self._hearing.start()

    def told(self) -> list[Told]:
        """What it told, when it is over."""
        self._hearing.join()
        return self._lines

    def complaint(self) -> str:
        """What it said at its end, unless it was to die."""
        return self._said if self._dies_after is None and self._process.returncode else ""

    def _hear(self) -> None:
        if self._dies_after == 0:
            self._process.kill()
        out, errors = self._process.stdout, self._process.stderr
        if out is None or errors is None:
            raise AssertionError  # both are pipes
        for line in out:
            if not line.endswith("\n"):  # killed in the middle of it
                break
            kind, _, mark = line.rstrip("\n").partition("\t")
            self._lines.append((kind, mark))
            if len(self._lines) == self._dies_after:
                self._process.kill()
        self._said = errors.read()[-500:]
        self._process.wait()
        out.close()
        errors.close()


def _prepare(driver: Driver, clients: int) -> int:
    """Users and two elections that they vote in; how many events that takes."""
    elections = service_on(driver)
    owner = elections.people.register("Owner", "owner@example.org", PASSWORD)
    for name, secret in ((OPEN, False), (SECRET, True)):
        elections.conducting.create(owner, name, Terms(secret_ballot=secret))
        elections.rolls.set_candidates(owner, name, ["Red", "Green", "Blue"])
        elections.conducting.launch(owner, name, allow_edit=True)
    for number in range(clients):
        name = voter_name(number)
        elections.people.register(name, f"voter{number}@example.org", PASSWORD)
    return len(events_of(driver))


def _engine(folder: Path, number: int) -> Engine:
    if number % 2 == 0:
        return Engine.in_memory()
    return Engine.on_file(folder / f"{number}.db", Settings(durable=False))


@contextmanager
def _endpoint(engine: Engine) -> Generator[str]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    listener = Listener(DynamoDBApp(AsyncEngine(engine)))
    starting = asyncio.run_coroutine_threadsafe(listener.start("127.0.0.1", 0), loop)
    try:
        host, port = starting.result()
        yield f"dynamodb+http://{host}:{port}"
    finally:
        asyncio.run_coroutine_threadsafe(listener.stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
