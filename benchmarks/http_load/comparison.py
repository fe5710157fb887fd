"""Measure requests on several servers, one server at a time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from benchmarks.harness.measurement import (
    Missing,
    Scale,
    WrongResult,
    show_progress,
    temporary_folder,
)
from benchmarks.harness.workload import create
from benchmarks.http_load.load import Load, generate_load
from benchmarks.http_load.requests import Prepare, PreparedRequest
from benchmarks.http_load.servers import RunningServer, Server, running, total_cpu_seconds

# More than one run ever sends, so that every run has new numbers.
_NUMBERS = 10_000_000
# Fewer responses than this, or than connections, mean little: a slow server gets 4 and then 16
# times as long.
_MIN_RESPONSES = 4
_EXTENSIONS = (4, 16)
# A server is warm when it no longer gets faster from run to run.
_STILL_WARMING = 1.1
_MAX_WARM_UPS = 5


def measure_request(
    server: RunningServer, prepare: Prepare, scale: Scale, *, cold: bool = False
) -> Iterator[tuple[int, Load]]:
    """Yield the load by number of connections; raise WrongResult for a wrong response.

    All figures are for the whole result, however many pages it has. A `cold` server has not
    handled any request before.
    """
    seconds = max(1, round(scale.seconds))
    with temporary_folder() as folder:
        runs = _LoadRuns(server, prepare(server.client, scale), folder, scale.max_requests)
        if scale.warm:
            runs.warm(max(scale.connections), seconds, at_least=_MAX_WARM_UPS if cold else 1)
        for connections in sorted(scale.connections):
            yield connections, _all_pages(runs.measure(connections, seconds), runs.request.pages)


def _all_pages(page: Load, pages: int) -> Load:
    return replace(
        page,
        rate=page.rate / pages,
        p50=page.p50 * pages,
        p99=page.p99 * pages,
        cpu_seconds=page.cpu_seconds * pages,
    )


@dataclass(frozen=True, slots=True)
class _LoadRuns:
    """Runs of load with one request on one server, each with new numbers."""

    server: RunningServer
    request: PreparedRequest
    folder: Path
    max_requests: int | None
    first_numbers: count[int] = field(default_factory=lambda: count(_NUMBERS, _NUMBERS))

    def warm(self, connections: int, seconds: int, at_least: int) -> None:
        """Run until the server gets no faster: a JIT compiler needs that."""
        last = 0.0
        for done in range(1, _MAX_WARM_UPS + 1):
            result = self._run(connections, seconds)
            slow = result.requests < max(_MIN_RESPONSES, connections)
            if done >= at_least and (slow or result.rate <= last * _STILL_WARMING):
                return
            last = result.rate

    def measure(self, connections: int, seconds: int) -> Load:
        """Return the load, measured for long enough to get some responses."""
        enough = max(_MIN_RESPONSES, connections)
        result = self._run(connections, seconds)
        for times in _EXTENSIONS:
            if result.requests < enough:
                result = self._run(connections, seconds * times)
        if result.requests < enough:
            raise WrongResult(
                f"over {connections} connections it gave {result.requests} responses "
                f"in {seconds * _EXTENSIONS[-1]} seconds"
            )
        return result

    def _run(self, connections: int, seconds: int) -> Load:
        """Send for some seconds, and verify one of the acknowledged requests."""
        _wait_until_idle(self.server)
        spec, span = self.request.spec, self.request.spec.span
        first = 0 if span is not None else next(self.first_numbers)
        result = generate_load(
            self.server,
            spec,
            self.folder,
            first=first,
            connections=connections,
            seconds=seconds,
            max_requests=self.max_requests,
        )
        # wrk does not send the first number, and may have no response for the last ones.
        if result.requests > 2 * connections:
            done = 1 + result.requests // 2
            self.request.verify(first + (done if span is None else done % span))
        return result


def _wait_until_idle(server: RunningServer) -> None:
    """Wait until the server is idle: a slow one may still work for closed connections."""
    # The server may close an idle connection meanwhile.
    server.client.close()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        before = total_cpu_seconds(server.pid)
        time.sleep(0.1)
        if total_cpu_seconds(server.pid) - before <= 0.02:
            return


@dataclass(frozen=True, slots=True)
class Comparison:
    """Loads by server, request and number of connections, and notes on what is missing."""

    servers: Sequence[Server]
    loads: Mapping[tuple[str, str, int], Load]
    missing: Sequence[str]

    def load(self, server: Server, request: str, connections: int) -> Load | None:
        """Return the load of a server, or None if it failed."""
        return self.loads.get((server.name, request, connections))

    def ratio(self, request: str, connections: int) -> float | None:
        """Return the rate of the first server, ours, relative to the fastest peer."""
        ours, *theirs = (self.load(server, request, connections) for server in self.servers)
        rates = [load.rate for load in theirs if load is not None]
        return ours.rate / max(rates) if ours is not None and rates else None


def compare_servers(
    ours: Server,
    peers: Sequence[Server],
    requests: Mapping[str, Prepare],
    scale: Scale,
    *,
    on_file: bool = False,
) -> Comparison:
    """Measure all requests on all servers; a peer that fails is left out."""
    running_servers: list[Server] = []
    missing: list[str] = []
    loads: dict[tuple[str, str, int], Load] = {}
    for server in (ours, *peers):
        try:
            with running(server, on_file=on_file) as process:
                process.client.create(create())
                loads |= _loads(server, process, requests, scale, missing)
        except (Missing, WrongResult) as reason:
            if server is ours:
                raise
            missing.append(f"{server.title} is missing: {reason}.")
        else:
            running_servers.append(server)
    return Comparison(running_servers, loads, missing)


def _loads(
    server: Server,
    process: RunningServer,
    requests: Mapping[str, Prepare],
    scale: Scale,
    missing: list[str],
) -> dict[tuple[str, str, int], Load]:
    loads: dict[tuple[str, str, int], Load] = {}
    for number, (name, prepare) in enumerate(requests.items()):
        show_progress(f"{server.title}: {name}")
        try:
            for connections, load in measure_request(process, prepare, scale, cold=number == 0):
                loads[server.name, name, connections] = load
        except WrongResult as reason:
            missing.append(f"{server.title}, “{name}”, is missing: {reason}.")
    return loads
