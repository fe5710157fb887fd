"""What was found out about several servers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.measuring.missing import Missing, WrongAnswer
from benchmarks.measuring.progress import progress
from benchmarks.measuring.scale import Scale
from benchmarks.over_http.load import Load
from benchmarks.over_http.requests import Prepare
from benchmarks.over_http.server import Running, Server, running
from benchmarks.over_http.trial import trial
from benchmarks.workload.requests import create


@dataclass(frozen=True, slots=True)
class Figures:
    """Loads by server, request and number of connections; and a line for each that is missing."""

    servers: Sequence[Server]
    loads: Mapping[tuple[str, str, int], Load]
    missing: Sequence[str]

    def load(self, server: Server, request: str, connections: int) -> Load | None:
        """The load that a server bears; None if it does not do what is asked."""
        return self.loads.get((server.name, request, connections))

    def ratio(self, request: str, connections: int) -> float | None:
        """How many times as often as the fastest peer ours, the first, does it."""
        ours, *theirs = (self.load(server, request, connections) for server in self.servers)
        rates = [load.a_second for load in theirs if load is not None]
        return ours.a_second / max(rates) if ours is not None and rates else None


def figures(
    ours: Server,
    peers: Sequence[Server],
    requests: Mapping[str, Prepare],
    scale: Scale,
    *,
    on_file: bool = False,
) -> Figures:
    """All requests on all servers, one server at a time; a peer that fails is left out."""
    found: list[Server] = []
    missing: list[str] = []
    loads: dict[tuple[str, str, int], Load] = {}
    for server in (ours, *peers):
        try:
            with running(server, on_file=on_file) as process:
                process.client.create(create())
                loads |= _loads(server, process, requests, scale, missing)
        except (Missing, WrongAnswer) as reason:
            # Without ours there is nothing to compare with.
            if server is ours:
                raise
            missing.append(f"{server.title} is missing: {reason}.")
        else:
            found.append(server)
    return Figures(found, loads, missing)


def _loads(
    server: Server,
    process: Running,
    requests: Mapping[str, Prepare],
    scale: Scale,
    missing: list[str],
) -> dict[tuple[str, str, int], Load]:
    loads: dict[tuple[str, str, int], Load] = {}
    for number, (name, prepare) in enumerate(requests.items()):
        progress(f"{server.title}: {name}")
        try:
            for connections, load in trial(process, prepare, scale, cold=number == 0):
                loads[server.name, name, connections] = load
        except WrongAnswer as reason:
            missing.append(f"{server.title}, “{name}”, is missing: {reason}.")
    return loads
