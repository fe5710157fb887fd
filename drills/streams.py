"""Follow the stream of a table with processes that are killed, while others write and shards split.

Run it with python -m drills.streams [--rounds N] [--seed N]. Writers count items up through an
endpoint. Two consumers share the stream, and kill themselves after some changes; new ones take
their place. All changes must be delivered, those of an item in order.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random

from dynamodb_engine import Engine, Settings, StreamShards
from dynamodb_engine.testing import endpoint
from singletable import Attr, Entity, Key, Store, Table, attr, connect
from singletable.tables import TableSettings, create_table

CONSUMERS = 2
MAX_WAIT = 120.0  # seconds without a change, after which the consumers count as stuck
counters = Table("counters")
checkpoints = Table("checkpoints")


class Tally(Entity, table=counters):
    """An item that is counted up."""

    name: Attr[str] = attr()
    number: Attr[int] = attr()
    key = Key(pk=("TALLY", name), sk=("TALLY",))


@dataclass(frozen=True, slots=True)
class StreamRound:
    """What a round delivered, and what was wrong with it."""

    name: str
    deliveries: int
    crashes: int
    shards: int
    faults: list[str]


def check_deliveries(deliveries: Iterable[tuple[str, int]], expected: dict[str, int]) -> list[str]:
    """Return what is missing, and what came before an earlier change of the same item."""
    newest: Counter[str] = Counter()
    faults: list[str] = []
    for name, number in deliveries:
        if number > newest[name] + 1:
            faults.append(f"{name}: {number} was delivered before {newest[name] + 1}")
        newest[name] = max(newest[name], number)
    missing = {name: last for name, last in expected.items() if newest[name] < last}
    return faults + [f"{name}: nothing after {newest[name]} of {n}" for name, n in missing.items()]


def run_rounds(seed: int, folder: Path, rounds: int, numbers: int = 60) -> Iterator[StreamRound]:
    """Run the rounds, each on a new file."""
    for number in range(rounds):
        random = Random(seed * 1_000_003 + number)
        yield _run_round(f"round {number} of seed {seed}", random, folder / f"{number}", numbers)


def _run_round(name: str, random: Random, place: Path, numbers: int) -> StreamRound:
    shards = StreamShards(first=1, most=4, records=random.randint(20, 60))
    items = [f"t{number}" for number in range(random.randint(3, 12))]
    log = place.with_suffix(".log")
    log.touch()
    with (
        Engine.on_file(place, Settings(stream_shards=shards, durable=False)) as engine,
        endpoint(engine) as url,
    ):
        create_table(engine, counters, counters.name, TableSettings(stream="NEW_AND_OLD_IMAGES"))
        Store(engine).admin.create_table(checkpoints)
        writers = [
            threading.Thread(target=_write, args=(url, items[start::2], numbers))
            for start in range(2)
        ]
        for writer in writers:
            writer.start()
        crashes = _consume(url, log, random, dict.fromkeys(items, numbers))
        for writer in writers:
            writer.join()
        stream = engine._catalog.tables[counters.name].record.streams[-1]
        opened = sum(generation.shards for generation in stream.generations)
    deliveries = list(_read(log))
    faults = check_deliveries(deliveries, dict.fromkeys(items, numbers))
    return StreamRound(name, len(deliveries), crashes, opened, faults)


def _write(url: str, items: Sequence[str], numbers: int) -> None:
    with connect(f"dynamodb+{url}") as driver:
        store = Store(driver)
        for number in range(1, numbers + 1):
            for name in items:
                store.put(Tally(name=name, number=number))


def _consume(url: str, log: Path, random: Random, expected: dict[str, int]) -> int:
    """Keep consumers running until everything was delivered; return how many crashed."""
    names, crashes = count(1), 0
    running: dict[str, subprocess.Popen[bytes]] = {}
    size, until = 0, time.monotonic() + MAX_WAIT
    try:
        while check_deliveries(_read(log), expected) and time.monotonic() < until:
            for name in [name for name, process in running.items() if process.poll() is not None]:
                crashes += running.pop(name).returncode == -signal.SIGKILL
            while len(running) < CONSUMERS:
                name, after = f"w{next(names)}", random.randint(5, 60)
                command = [sys.executable, "-m", "drills.streams", "--consume", url]
                command += ["--worker", name, "--log", str(log), "--crash-after", str(after)]
                environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
                running[name] = subprocess.Popen(command, env=environment)
            time.sleep(0.05)
            if log.stat().st_size > size:
                size, until = log.stat().st_size, time.monotonic() + MAX_WAIT
    finally:
        for process in running.values():
            process.kill()
            process.wait()
    return crashes


def _follow(url: str, worker: str, log: Path, crash_after: int) -> None:
    """Write each change to the log, as the work of a consumer, and die after some of them."""
    with connect(f"dynamodb+{url}") as driver, log.open("a", buffering=1) as output:
        stream = Store(driver).stream(
            Tally, name="drill", checkpoints=checkpoints, worker=worker, lease=1, poll=0.05, page=7
        )
        for done, change in enumerate(stream, 1):
            if change.new is not None:
                output.write(f"{change.new.name} {change.new.number}\n")
            if done == crash_after:
                os.kill(os.getpid(), signal.SIGKILL)


def _read(log: Path) -> Iterator[tuple[str, int]]:
    for line in log.read_text().splitlines():
        name, number = line.split()
        yield name, int(number)


def main() -> int:
    """Run the drill and return the exit code: 0 if every change was delivered in order."""
    parser = argparse.ArgumentParser(prog="python -m drills.streams", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--consume", help=argparse.SUPPRESS)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--log", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--crash-after", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.consume:
        _follow(options.consume, options.worker, options.log, options.crash_after)
        return 0
    print(f"streams: {options.rounds} rounds, SEED={options.seed}", flush=True)
    totals: defaultdict[str, int] = defaultdict(int)
    with tempfile.TemporaryDirectory() as folder:
        for result in run_rounds(options.seed, Path(folder), options.rounds):
            totals["failed"] += bool(result.faults)
            for what in ("deliveries", "crashes", "shards"):
                totals[what] += getattr(result, what)
            for fault in result.faults[:10]:
                print(f"  {result.name}: {fault}", flush=True)
    print(
        f"streams: {totals['deliveries']} deliveries from {totals['shards']} shards, "
        f"{totals['crashes']} crashes; {totals['failed']} rounds failed"
    )
    return 1 if totals["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
