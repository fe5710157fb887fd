"""Simulate writes to partitions with SimPy, event by event; print seconds and throttled calls."""

# SimPy is installed in an environment of its own, so type checkers do not find it.
# mypy: disable-error-code="import-not-found, no-any-unimported, no-any-return"
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
import random
import sys
import time
from bisect import bisect
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import simpy

MAX_ATTEMPTS = 10
BASE_DELAY, MAX_DELAY = 0.02, 2.0


class Table:
    """Partitions with a limit of units in each second."""

    def __init__(self, environment: Any, load: dict[str, Any]) -> None:
        self.environment = environment
        self.limit: float = load["limit"]
        self.partition_of: list[int] = load["partitions"]
        self.sums = list(accumulate(load["weights"]))
        self.left = [self.limit] * (max(self.partition_of) + 1)
        self.second = 0
        self.throttled = 0
        self.latencies: list[float] = []

    def write(self) -> Iterator[Any]:
        """Write an item, and try again if it is throttled."""
        started = self.environment.now
        partition = self.partition_of[bisect(self.sums, random.random() * self.sums[-1])]
        for attempt in range(MAX_ATTEMPTS):
            second = int(self.environment.now)
            if second != self.second:
                self.second = second
                self.left = [self.limit] * len(self.left)
            if self.left[partition] > 0:
                self.left[partition] -= 1
                yield self.environment.timeout(random.lognormvariate(-5.3, 0.4))
                self.latencies.append(self.environment.now - started)
                return
            self.throttled += attempt == 0
            longest = min(MAX_DELAY, BASE_DELAY * 2**attempt)
            yield self.environment.timeout(random.random() * longest)


def arrivals(table: Table, calls: int, rate: float) -> Iterator[Any]:
    """Start calls at random times."""
    for _ in range(calls):
        yield table.environment.timeout(random.expovariate(rate))
        table.environment.process(table.write())


def main() -> None:
    """Simulate the load that is given as JSON."""
    load = json.loads(sys.argv[1])
    random.seed(1)
    environment = simpy.Environment()
    table = Table(environment, load)
    started = time.process_time()
    environment.process(arrivals(table, load["calls"], load["rate"]))
    environment.run()
    print(json.dumps([time.process_time() - started, table.throttled]))


if __name__ == "__main__":
    main()
