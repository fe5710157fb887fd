"""Rounds of contests: the same clients on every face of the engine, in memory and on a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from drills.concurrency.clients import client, reader
from drills.concurrency.events import Events
from drills.concurrency.lists import unordered
from drills.concurrency.registers import unexplained
from drills.concurrency.requests import table
from drills.faces import FACES, Client, in_turn
from singletable import Engine, Settings

CLIENTS = 8
# How often Python turns to another thread; by default so seldom that clients hardly meet.
OFTEN = 1e-5


@dataclass(frozen=True, slots=True)
class Contest:
    """What came of a round."""

    name: str
    face: str
    operations: int
    faults: list[str]


def judged(events: Events) -> list[str]:
    """What cannot be explained by clients that take turns."""
    return [*unexplained(events.touches), *unordered(events.transactions, events.refused)]


def contests(seed: int, folder: Path, rounds: int, steps: int = 40) -> Iterator[Contest]:
    """So many rounds, each on a face and a storage that the seed chooses."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(OFTEN)
    try:
        for number in range(rounds):
            chance = Random(f"{seed}/{number}")
            face = list(FACES)[number % len(FACES)]
            storage = chance.choice(list(_STORAGES))
            with _STORAGES[storage](folder / f"{number}.db") as engine:
                events = contest(seed * 1_000_003 + number, engine, face, steps)
            told = len(events.touches) + len(events.transactions)
            name = f"round {number} of seed {seed}"
            yield Contest(name, f"{face}/{storage}", told, judged(events))
    finally:
        sys.setswitchinterval(usual)


def contest(seed: int, engine: Engine, face: str, steps: int) -> Events:
    """What all clients of one round saw."""
    events = Events()
    engine.execute(table())
    FACES[face](engine, contestants(seed, steps, events))
    in_turn(engine, [reader(events)])
    return events


def contestants(seed: int, steps: int, events: Events) -> list[Client]:
    """The clients of one round."""
    return [client(seed, number, steps, events) for number in range(CLIENTS)]


_STORAGES: dict[str, Callable[[Path], Engine]] = {
    "memory": lambda path: Engine.in_memory(),
    "durable file": lambda path: Engine.on_file(path),
    "file": lambda path: Engine.on_file(path, Settings(durable=False)),
}
