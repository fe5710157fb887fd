"""One request on one server."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from benchmarks.measuring.missing import WrongAnswer
from benchmarks.measuring.scale import Scale
from benchmarks.measuring.scratch import scratch
from benchmarks.over_http.load import Load, load
from benchmarks.over_http.process import processor_seconds
from benchmarks.over_http.requests import Prepare, Request
from benchmarks.over_http.server import Running

# More than are ever sent in one go, so that every go has new numbers.
_NUMBERS = 10_000_000
# Fewer answers than this, or than there are connections, say little: a slow server is given more
# time, and once more.
_FEW = 4
_LONGER = (4, 16)
# A server is warm when it no longer becomes faster from go to go.
_FASTER = 1.1
_MOST = 5


def trial(
    server: Running, prepare: Prepare, scale: Scale, *, cold: bool = False
) -> Iterator[tuple[int, Load]]:
    """The load that a server bears, by number of connections; WrongAnswer if it answers wrongly.

    All figures are for the whole of what is asked, whatever number of pages that takes. A server
    that is `cold` has not been asked anything before.
    """
    seconds = max(1, round(scale.seconds))
    with scratch() as folder:
        goes = _Goes(server, prepare(server.client, scale), folder)
        if scale.warm:
            goes.warm(max(scale.connections), seconds, at_least=_MOST if cold else 1)
        for connections in sorted(scale.connections):
            yield connections, _whole(goes.measured(connections, seconds), goes.request.parts)


def _whole(page: Load, pages: int) -> Load:
    return replace(
        page,
        a_second=page.a_second / pages,
        p50=page.p50 * pages,
        p99=page.p99 * pages,
        processor=page.processor * pages,
    )


@dataclass(frozen=True, slots=True)
class _Goes:
    """Goes of load with one request on one server, each with numbers of its own."""

    server: Running
    request: Request
    folder: Path
    firsts: count[int] = field(default_factory=lambda: count(_NUMBERS, _NUMBERS))

    def warm(self, connections: int, seconds: int, at_least: int) -> None:
        """Ask until the server becomes no faster: one that compiles as it runs has to have run."""
        last = 0.0
        for done in range(1, _MOST + 1):
            borne = self._go(connections, seconds)
            slow = borne.requests < max(_FEW, connections)
            if done >= at_least and (slow or borne.a_second <= last * _FASTER):
                return
            last = borne.a_second

    def measured(self, connections: int, seconds: int) -> Load:
        """The load that the server bears, for as long as it takes to have some answers."""
        enough = max(_FEW, connections)
        borne = self._go(connections, seconds)
        for times in _LONGER:
            if borne.requests < enough:
                borne = self._go(connections, seconds * times)
        if borne.requests < enough:
            raise WrongAnswer(
                f"asked by {connections} at a time, it gave {borne.requests} answers "
                f"in {seconds * _LONGER[-1]} seconds"
            )
        return borne

    def _go(self, connections: int, seconds: int) -> Load:
        """Send for some seconds, and see that what was acknowledged was done."""
        _settle(self.server)
        sent, span = self.request.sent, self.request.sent.span
        first = 0 if span is not None else next(self.firsts)
        borne = load(
            self.server, sent, self.folder, first=first, connections=connections, seconds=seconds
        )
        # wrk keeps the first number to itself, and may not have answers for the last ones.
        if borne.requests > 2 * connections:
            done = 1 + borne.requests // 2
            self.request.proof(first + (done if span is None else done % span))
        return borne


def _settle(server: Running) -> None:
    """Wait until the server is idle: a slow one may still work for those who have hung up."""
    # Meanwhile a server may hang up on whoever says nothing.
    server.client.close()
    until = time.monotonic() + 30
    while time.monotonic() < until:
        before = processor_seconds(server.pid)
        time.sleep(0.1)
        if processor_seconds(server.pid) - before <= 0.02:
            return
