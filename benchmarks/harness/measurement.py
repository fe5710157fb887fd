"""Measure rates, check results, and report what is missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".bench"
PEERS = ROOT / ".peers"
_PROGRAMS = Path(__file__).resolve().parents[1] / "programs"
_ROUNDS = 4

# The work to measure. Its argument counts the calls, so that each call can use another item.
Work: TypeAlias = Callable[[int], object]


class Missing(Exception):
    """A measurement needs something that is not installed or does not start."""


class WrongResult(Exception):
    """A contender did not do the work, so its speed is meaningless."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Sizes and durations of a run; the defaults are those of the documentation.

    `seconds` is the time for one request on one contender. With `warm`, servers are warmed up
    before. `clients` is the number of people who use an app. `max_requests` ends a run of load
    early. `peers` are the names of the peers to measure; None means all.
    """

    seconds: float = 2.0
    items: int = 1_000
    counted: int = 10_000
    few: int = 1_000
    many: int = 1_000_000
    stored: int = 100_000
    clients: int = 1_000
    starts: int = 3
    connections: tuple[int, ...] = (16, 1)
    warm: bool = True
    max_requests: int | None = None
    peers: frozenset[str] | None = None

    def includes(self, peer: str) -> bool:
        """Return whether the run measures this peer."""
        return self.peers is None or peer in self.peers


def measure_rates(works: Sequence[Work], seconds: float, clients: int = 1) -> list[float]:
    """Return the rate of each in calls per second; clients are threads, and count together.

    They take turns, so that other load on the machine affects all of them alike.
    """
    calls = [0] * len(works)
    rates: list[list[float]] = [[] for _ in works]
    with ExitStack() as stack:
        # Each work keeps its threads, because it may have a connection for each.
        pools = [stack.enter_context(ThreadPoolExecutor(clients)) for _ in works]
        for _ in range(_ROUNDS):
            for number, work in enumerate(works):
                repeat = partial(_repeat, work, calls[number], seconds / _ROUNDS, clients)
                if clients == 1:
                    counts = [repeat(0)]
                else:
                    counts = list(pools[number].map(repeat, range(clients)))
                calls[number] += clients * max(count for count, _ in counts)
                rates[number].append(sum(count / elapsed for count, elapsed in counts))
    return [median(rounds) for rounds in rates]


def _repeat(work: Work, first: int, seconds: float, clients: int, client: int) -> tuple[int, float]:
    """Call `work` with every number of this client; return the calls and the time."""
    calls = 0
    started = time.perf_counter()
    while True:
        work(first + calls * clients + client)
        calls += 1
        elapsed = time.perf_counter() - started
        if elapsed >= seconds:
            return calls, elapsed


def expect(actual: object, expected: object) -> None:
    """Raise WrongResult unless the result is the expected one."""
    if actual != expected:
        raise WrongResult(f"expected {expected!r:.200}, but got {actual!r:.200}")


def show_progress(activity: str) -> None:
    """Print what is being measured, to standard error."""
    print(f"… {activity}", file=sys.stderr, flush=True)


@contextmanager
def temporary_folder() -> Generator[Path]:
    """Yield a folder on disk; the system's temporary folder may be in memory."""
    HOME.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=HOME) as folder:
        yield Path(folder)


def run_peer_program(package: str, *arguments: str | Path, prefix: str = "with") -> Any:
    """Run `programs/<prefix>_<package>.py` in the peer's environment; return the JSON it prints."""
    python = PEERS / package / "bin" / "python"
    if not python.is_file():
        raise Missing(f"{package} is not installed in .peers")
    completed = subprocess.run(
        [python, _PROGRAMS / f"{prefix}_{package}.py", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if completed.returncode:
        last_line = completed.stderr.strip().splitlines()[-1:]
        raise Missing(f"{package} does not run: {''.join(last_line)}")
    return json.loads(completed.stdout.splitlines()[-1])
