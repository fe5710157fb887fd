"""The process that is killed: it writes, and tells on a pipe what it was told."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from drills.faces import FACES, in_turn
from drills.ledger import SETTINGS, Mark, Outcome, Step, ledger_client, setup_client
from singletable import Engine

_MARK = struct.Struct("<BHI")
# A mark that is no step's: the engine is about to be closed.
CLOSING = Mark(Step(0, 1 << 31), Outcome.STARTED)


@dataclass(frozen=True, slots=True)
class Orders:
    """What a child does: which face, how many clients, from which step on and how many."""

    path: Path
    seed: int
    face: str
    clients: int
    first: int
    steps: int


def start(orders: Orders) -> tuple[int, int]:
    """The child's process and the pipe that it tells on; nothing else of ours is open meanwhile."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        return child, reader
    code = 1
    try:
        os.close(reader)
        _work(orders, writer)
        code = 0
    finally:
        os._exit(code)


def marks_in(told: bytes) -> Iterator[Mark]:
    """The marks that came through the pipe; each is written at once, so none is half there."""
    for outcome, client, number in _MARK.iter_unpack(told):
        yield Mark(Step(client, number), Outcome(outcome))


def _work(orders: Orders, pipe: int) -> None:
    def mark(mark: Mark) -> None:
        os.write(pipe, _MARK.pack(mark.outcome, mark.step.client, mark.step.number))

    engine = Engine.on_file(orders.path, SETTINGS)
    in_turn(engine, [setup_client(mark)])
    steps = range(orders.first, orders.first + orders.steps)
    clients = range(1, orders.clients + 1)
    FACES[orders.face](engine, [ledger_client(orders.seed, c, steps, mark) for c in clients])
    mark(CLOSING)
    engine.close()
