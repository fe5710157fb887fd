"""Simulate power cuts.

Run it with python -m drills.power [--cuts N] [--seed N]. A load is recorded once, and the power is
cut at many points of the recording: what was written but not synced may be there, lost or torn.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from drills.client_runners import run_in_tasks, run_in_threads, run_sequentially
from drills.disk_model import (
    SURVIVAL_MODELS,
    Created,
    Disk,
    JournalEntry,
    RecordingDisk,
    memory_folder,
)
from drills.ledger_audit import check_file
from drills.ledger_workload import REOPENED, SETTINGS, StepEvent, ledger_client, setup_client
from dynamodb_engine.engine.storage import Database
from singletable import Engine

FILE_NAME = "ledger.db"
CLIENTS = 3
CUTS_PER_ROUND = 50


@dataclass(frozen=True, slots=True)
class Guarantee:
    """How the engine is opened, what it guarantees, and whether the disk syncs."""

    durable: bool = True
    allow_lost_tail: bool = False
    disk_syncs: bool = True


DURABLE = Guarantee()
NOT_DURABLE = Guarantee(durable=False, allow_lost_tail=True)


@dataclass(frozen=True, slots=True)
class PowerCut:
    """The result of a cut."""

    name: str
    faults: list[str]


@dataclass(frozen=True, slots=True)
class _State:
    """Where a round begins: the files after the last cut, and the events before it."""

    image: dict[str, bytes]
    events: tuple[StepEvent, ...] = ()
    next_step: int = 1


def run_cuts(
    seed: int,
    folder: Path,
    guarantee: Guarantee,
    rounds: int,
    cuts_per_round: int,
    steps: int = 25,
) -> Iterator[PowerCut]:
    """Run the cuts of some rounds; a round may begin with the files after a cut of the last one."""
    state = _State({})
    for number in range(rounds):
        chance = Random(f"{seed}/{number}")
        journal = _record(folder / "live", seed, state, guarantee, steps, chance)
        points = sorted(chance.randrange(len(journal) + 1) for _ in range(cuts_per_round))
        disk, applied, next_state = Disk(state.image, syncs=guarantee.disk_syncs), 0, state
        for turn, point in enumerate(points):
            for entry in journal[applied:point]:
                disk.apply(entry)
            applied = point
            model = chance.choice(list(SURVIVAL_MODELS))
            image = disk.cut_power(SURVIVAL_MODELS[model](chance))
            events = (*state.events, *_events(journal[:point]))
            name = f"cut {turn} of round {number}, seed {seed} ({model} unsynced is kept)"
            _write_files(folder / "cut", image)
            faults = check_file(
                folder / "cut" / FILE_NAME,
                seed,
                events,
                allow_lost_tail=guarantee.allow_lost_tail,
            )
            yield PowerCut(name, faults)
            if chance.random() < 0.1:
                next_state = _State(image, (*events, REOPENED), _next_step(events))
        state = next_state if chance.random() < 0.6 else _State({})


def _record(
    folder: Path, seed: int, state: _State, guarantee: Guarantee, steps: int, chance: Random
) -> Sequence[JournalEntry]:
    """Run the clients and return all disk operations and events, from opening to closing."""
    disk = RecordingDisk("recording")
    _write_files(folder, state.image)
    if FILE_NAME not in state.image:
        # The engine creates the file to lock it, before SQLite opens it.
        disk.record(Created(FILE_NAME))
    try:
        engine = Engine(
            Database(folder / FILE_NAME, durable=guarantee.durable, vfs=disk.name), SETTINGS
        )
        run: Callable[..., None] = chance.choice((run_in_threads, run_in_tasks))
        run_sequentially(engine, [setup_client(disk.record)])
        numbers = range(state.next_step, state.next_step + steps)
        clients = range(1, CLIENTS + 1)
        run(engine, [ledger_client(seed, c, numbers, disk.record) for c in clients])
        engine.close()
    finally:
        disk.unregister()
    return disk.journal


def _events(entries: Sequence[JournalEntry]) -> list[StepEvent]:
    return [entry for entry in entries if isinstance(entry, StepEvent)]


def _next_step(events: Sequence[StepEvent]) -> int:
    return 1 + max([0, *[event.step.number for event in events if event != REOPENED]])


def _write_files(folder: Path, image: dict[str, bytes]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in image.items():
        (folder / name).write_bytes(data)


def main() -> int:
    """Run the drill and return the exit code: 0 if every guarantee was kept."""
    parser = argparse.ArgumentParser(prog="python -m drills.power", description=__doc__)
    parser.add_argument("--cuts", type=int, default=1000, help="for each of the two guarantees")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    failed = 0
    for name, guarantee in (("durable", DURABLE), ("not durable", NOT_DURABLE)):
        print(f"power: {options.cuts} cuts, {name}, SEED={options.seed}", flush=True)
        rounds, done = -(-options.cuts // CUTS_PER_ROUND), 0
        # The disk is simulated, so its files can be in memory.
        with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
            for cut in run_cuts(options.seed, Path(folder), guarantee, rounds, CUTS_PER_ROUND):
                done += 1
                failed += bool(cut.faults)
                for fault in cut.faults[:10]:
                    print(f"  {cut.name}: {fault}", flush=True)
        print(f"power: {done} cuts checked, {name}; {failed} failed so far", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
