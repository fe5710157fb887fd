"""Requests of an object mapper to an endpoint: the same four for every library."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

from benchmarks.harness.measurement import expect, measure_rates

TABLE = "votes"
REQUESTS = ("get", "create", "update", "query of 100")
MANY = 100


@dataclass(frozen=True, slots=True)
class EndpointRequests:
    """What a library does for each request; all return objects.

    `get` reads voter v001 of election L, `create` writes a new voter, `update` sets the rank of
    v001 if the item exists and returns the new state, `query` returns all ballots of the election.
    """

    get: Callable[[], Any]
    create: Callable[[str], object]
    update: Callable[[], Any]
    query: Callable[[], list[Any]]

    def rates(self, seconds: float, election: str) -> list[float]:
        """Check the results, and return the calls per second of each request."""
        expect((self.get().voter, int(self.update().rank)), ("v001", 3))
        expect([ballot.voter for ballot in self.query()], [f"v{n:03d}" for n in range(MANY)])
        numbers = count()
        works: list[Callable[[int], object]] = [
            lambda _: self.get(),
            lambda _: self.create(f"{election}{next(numbers)}"),
            lambda _: self.update(),
            lambda _: self.query(),
        ]
        return [rate for work in works for rate in measure_rates([work], seconds)]

    def measure_and_print(self, name: str) -> None:
        """Print the rates as JSON; the arguments are the time in seconds and the port."""
        print(json.dumps(self.rates(float(sys.argv[1]), name)))


def endpoint() -> str:
    """Return the address of the endpoint, whose port is the second argument."""
    return f"http://127.0.0.1:{sys.argv[2]}"
