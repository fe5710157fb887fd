"""Rounds of killing: each on the file that the one before left, until the file has lived enough."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Literal, TypeAlias

from drills.crash.child import CLOSING, Orders, marks_in, start
from drills.ledger import Mark, faults_in

Moment: TypeAlias = Literal["opening", "writing", "acknowledging", "closing"]
MOMENTS: tuple[Moment, ...] = ("opening", "writing", "writing", "acknowledging", "closing")
FACES = ("threads", "threads", "tasks", "endpoint")
LIVES = 6
CLIENTS = 4
# A child that takes longer hangs, and that is a fault too.
PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Killed:
    """What came of a round."""

    name: str
    moment: Moment
    face: str
    acknowledged: int
    faults: list[str]


@dataclass(slots=True)
class _File:
    """A file and everything that was told of it so far."""

    path: Path
    seed: int
    marks: list[Mark] = field(default_factory=list[Mark])
    next_step: int = 1


def rounds(seed: int, folder: Path, first: int, last: int) -> Iterator[Killed]:
    """Rounds from the first to the last; a file has six of them, and its seed is its number."""
    file: _File | None = None
    for number in range(first, last):
        life, turn = divmod(number, LIVES)
        if file is None or turn == 0:
            # A round that is run again needs those before it, back to where its file was new.
            file = _File(folder / f"{life}.db", seed * 1_000_003 + life)
            for before in range(turn):
                _round(file, Random(f"{seed}/{life * LIVES + before}"), "")
        yield _round(file, Random(f"{seed}/{number}"), f"round {number} of seed {seed}")
        if turn == LIVES - 1:
            _remove(file.path)


def _round(file: _File, chance: Random, name: str) -> Killed:
    moment, face = chance.choice(MOMENTS), chance.choice(FACES)
    steps = chance.randrange(1, 15) if moment == "closing" else 100_000
    child, pipe = start(Orders(file.path, file.seed, face, CLIENTS, file.next_step, steps))
    told = _kill(child, pipe, moment, chance)
    marks = [mark for mark in marks_in(told) if mark != CLOSING]
    file.marks += marks
    file.next_step = max([file.next_step, *[mark.step.number + 1 for mark in marks]])
    acknowledged = sum(1 for mark in marks if mark.outcome)
    return Killed(name, moment, face, acknowledged, faults_in(file.path, file.seed, file.marks))


def _kill(child: int, pipe: int, moment: Moment, chance: Random) -> bytes:
    """Kill the child at its moment; everything that it told."""
    begun = time.monotonic()
    told = bytearray()
    limit = chance.randrange(1, 400) * 7
    wait = {"opening": 0.012, "writing": 0.2}.get(moment, PATIENCE)
    deadline = begun + (chance.uniform(0, wait) if wait < PATIENCE else wait)
    while (left := deadline - time.monotonic()) > 0:
        readable, _, _ = select.select([pipe], [], [], left)
        if readable:
            piece = os.read(pipe, 65536)
            told += piece
            if not piece or (moment == "acknowledging" and len(told) >= limit):
                break
            if moment == "closing" and CLOSING in marks_in(bytes(told)):
                time.sleep(chance.uniform(0, 0.006))
                break
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with open(pipe, "rb") as rest:
        return bytes(told) + rest.read()


def _remove(path: Path) -> None:
    for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        name.unlink(missing_ok=True)
