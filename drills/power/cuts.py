"""Rounds of power cuts: a load is recorded once, and the power is cut at many moments of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from drills.faces import in_tasks, in_threads, in_turn
from drills.ledger import REOPENED, SETTINGS, Mark, faults_in, ledger_client, setup_client
from drills.power.disk import CRUELTIES, Disk
from drills.power.journal import Created, Entry
from drills.power.recorder import Recorder
from singletable import Engine
from singletable.engine.storage import Database

NAME = "ledger.db"
CLIENTS = 3


@dataclass(frozen=True, slots=True)
class Promise:
    """How the engine is opened, and what is expected of it and of the disk."""

    durable: bool = True
    tail_may_go: bool = False
    honest: bool = True


DURABLE = Promise()
RELAXED = Promise(durable=False, tail_may_go=True)


@dataclass(frozen=True, slots=True)
class Cut:
    """What came of a cut."""

    name: str
    faults: list[str]


@dataclass(frozen=True, slots=True)
class _Life:
    """Where a round begins: the files that the last cut left, and all that was told before it."""

    image: dict[str, bytes]
    marks: tuple[Mark, ...] = ()
    next_step: int = 1


def cuts(
    seed: int, folder: Path, promise: Promise, rounds: int, cuts_a_round: int, steps: int = 25
) -> Iterator[Cut]:
    """Cuts of so many rounds; a round may begin with what a cut of the last one left."""
    life = _Life({})
    for number in range(rounds):
        chance = Random(f"{seed}/{number}")
        journal = _record(folder / "live", seed, life, promise, steps, chance)
        moments = sorted(chance.randrange(len(journal) + 1) for _ in range(cuts_a_round))
        disk, taken, after = Disk(life.image, honest=promise.honest), 0, life
        for turn, moment in enumerate(moments):
            for entry in journal[taken:moment]:
                disk.take(entry)
            taken = moment
            cruelty = chance.choice(list(CRUELTIES))
            image = disk.after_cut(CRUELTIES[cruelty](chance))
            marks = (*life.marks, *_marks(journal[:moment]))
            name = f"cut {turn} of round {number}, seed {seed} ({cruelty} unsynced is kept)"
            _lay_down(folder / "cut", image)
            path, may_go = folder / "cut" / NAME, promise.tail_may_go
            yield Cut(name, faults_in(path, seed, marks, tail_may_go=may_go))
            if chance.random() < 0.1:
                after = _Life(image, (*marks, REOPENED), _next_step(marks))
        life = after if chance.random() < 0.6 else _Life({})


def _record(
    folder: Path, seed: int, life: _Life, promise: Promise, steps: int, chance: Random
) -> Sequence[Entry]:
    """Everything that was asked of the disk from opening to closing."""
    recorder = Recorder("recorder")
    _lay_down(folder, life.image)
    if NAME not in life.image:
        # The engine makes the file to lock it, before SQLite sees it.
        recorder.note(Created(NAME))
    try:
        engine = Engine(
            Database(folder / NAME, durable=promise.durable, vfs=recorder.name), SETTINGS
        )
        face: Callable[..., None] = chance.choice((in_threads, in_tasks))
        in_turn(engine, [setup_client(recorder.note)])
        numbers = range(life.next_step, life.next_step + steps)
        clients = range(1, CLIENTS + 1)
        face(engine, [ledger_client(seed, c, numbers, recorder.note) for c in clients])
        engine.close()
    finally:
        recorder.unregister()
    return recorder.journal


def _marks(entries: Sequence[Entry]) -> list[Mark]:
    return [entry for entry in entries if isinstance(entry, Mark)]


def _next_step(marks: Sequence[Mark]) -> int:
    return 1 + max([0, *[mark.step.number for mark in marks if mark != REOPENED]])


def _lay_down(folder: Path, image: dict[str, bytes]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in image.items():
        (folder / name).write_bytes(data)
