"""Kill a process that writes, repeatedly.

Run it with python -m drills.crash [--rounds N] [--seed N] [--first N]. Each round continues with
the file that the previous round left; after six rounds a new file begins. A child process writes
and reports on a pipe what it started and what was acknowledged.
"""

from __future__ import annotations

import argparse
import os
import select
import signal
import struct
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Literal, TypeAlias

from drills.client_runners import RUNNERS, run_sequentially
from drills.ledger_audit import check_file
from drills.ledger_workload import (
    SETTINGS,
    Outcome,
    Step,
    StepEvent,
    ledger_client,
    setup_client,
)
from singletable import Engine

KillPoint: TypeAlias = Literal["opening", "writing", "acknowledging", "closing"]
KILL_POINTS: tuple[KillPoint, ...] = ("opening", "writing", "writing", "acknowledging", "closing")
RUNNER_NAMES = ("threads", "threads", "tasks", "endpoint")
ROUNDS_PER_FILE = 6
CLIENTS = 4
# A child that takes longer hangs, which is a fault as well.
TIMEOUT = 60.0

_EVENT = struct.Struct("<BHI")
# Not an event of a step: the child is about to close the engine.
CLOSING = StepEvent(Step(0, 1 << 31), Outcome.STARTED)


@dataclass(frozen=True, slots=True)
class CrashRound:
    """The result of a round."""

    name: str
    kill_point: KillPoint
    runner: str
    acknowledged: int
    faults: list[str]


@dataclass(frozen=True, slots=True)
class ChildPlan:
    """What a child does: how it runs how many clients, and the first step and number of steps."""

    path: Path
    seed: int
    runner: str
    clients: int
    first: int
    steps: int


@dataclass(slots=True)
class _File:
    """A file and all events reported about it so far."""

    path: Path
    seed: int
    events: list[StepEvent] = field(default_factory=list[StepEvent])
    next_step: int = 1


def run_rounds(seed: int, folder: Path, first: int, last: int) -> Iterator[CrashRound]:
    """Run the rounds from `first` up to `last`; each file has its own seed."""
    file: _File | None = None
    for number in range(first, last):
        file_number, turn = divmod(number, ROUNDS_PER_FILE)
        if file is None or turn == 0:
            # To repeat a round, repeat the earlier rounds of its file first.
            file = _File(folder / f"{file_number}.db", seed * 1_000_003 + file_number)
            for before in range(turn):
                earlier = file_number * ROUNDS_PER_FILE + before
                _run_round(file, Random(f"{seed}/{earlier}"), "")
        yield _run_round(file, Random(f"{seed}/{number}"), f"round {number} of seed {seed}")
        if turn == ROUNDS_PER_FILE - 1:
            _remove(file.path)


def _run_round(file: _File, chance: Random, name: str) -> CrashRound:
    kill_point, runner = chance.choice(KILL_POINTS), chance.choice(RUNNER_NAMES)
    steps = chance.randrange(1, 15) if kill_point == "closing" else 100_000
    plan = ChildPlan(file.path, file.seed, runner, CLIENTS, file.next_step, steps)
    child, pipe = _start_child(plan)
    report = _kill(child, pipe, kill_point, chance)
    events = [event for event in _parse_events(report) if event != CLOSING]
    file.events += events
    file.next_step = max([file.next_step, *[event.step.number + 1 for event in events]])
    acknowledged = sum(1 for event in events if event.outcome)
    faults = check_file(file.path, file.seed, file.events)
    return CrashRound(name, kill_point, runner, acknowledged, faults)


def _start_child(plan: ChildPlan) -> tuple[int, int]:
    """Fork a child and return its process id and pipe; no engine is open in the parent."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        return child, reader
    code = 1
    try:
        os.close(reader)
        _run_child(plan, writer)
        code = 0
    finally:
        os._exit(code)


def _run_child(plan: ChildPlan, pipe: int) -> None:
    def report(event: StepEvent) -> None:
        os.write(pipe, _EVENT.pack(event.outcome, event.step.client, event.step.number))

    engine = Engine.on_file(plan.path, SETTINGS)
    run_sequentially(engine, [setup_client(report)])
    steps = range(plan.first, plan.first + plan.steps)
    clients = range(1, plan.clients + 1)
    RUNNERS[plan.runner](engine, [ledger_client(plan.seed, c, steps, report) for c in clients])
    report(CLOSING)
    engine.close()


def _kill(child: int, pipe: int, kill_point: KillPoint, chance: Random) -> bytes:
    """Kill the child at its kill point and return everything it reported."""
    started = time.monotonic()
    report = bytearray()
    limit = chance.randrange(1, 400) * _EVENT.size
    wait = {"opening": 0.012, "writing": 0.2}.get(kill_point, TIMEOUT)
    deadline = started + (chance.uniform(0, wait) if wait < TIMEOUT else wait)
    while (remaining := deadline - time.monotonic()) > 0:
        readable, _, _ = select.select([pipe], [], [], remaining)
        if readable:
            data = os.read(pipe, 65536)
            report += data
            if not data or (kill_point == "acknowledging" and len(report) >= limit):
                break
            if kill_point == "closing" and CLOSING in _parse_events(bytes(report)):
                time.sleep(chance.uniform(0, 0.006))
                break
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with open(pipe, "rb") as rest:
        return bytes(report) + rest.read()


def _parse_events(report: bytes) -> Iterator[StepEvent]:
    """Return the reported events; each is one write to the pipe, so none is incomplete."""
    for outcome, client, number in _EVENT.iter_unpack(report):
        yield StepEvent(Step(client, number), Outcome(outcome))


def _remove(path: Path) -> None:
    for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        name.unlink(missing_ok=True)


def main() -> int:
    """Run the drill and return the exit code: 0 if nothing was lost."""
    parser = argparse.ArgumentParser(prog="python -m drills.crash", description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the first round")
    options = parser.parse_args()
    print(f"crash: {options.rounds} rounds, SEED={options.seed}", flush=True)
    acknowledged, failed = 0, 0
    kinds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        last = options.first + options.rounds
        for result in run_rounds(options.seed, Path(folder), options.first, last):
            acknowledged += result.acknowledged
            kind = f"{result.kill_point}/{result.runner}"
            kinds[kind] += 1
            failed += bool(result.faults)
            for fault in result.faults[:10]:
                print(f"  {result.name} ({kind}): {fault}", flush=True)
    summary = ", ".join(f"{kind} {times}" for kind, times in sorted(kinds.items()))
    print(f"crash: {acknowledged} responses before the kills ({summary}); {failed} rounds failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
