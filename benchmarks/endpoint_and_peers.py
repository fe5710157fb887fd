"""Requests over HTTP: our endpoint and the servers that people use in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from benchmarks.measuring import units
from benchmarks.measuring.bar import Bar
from benchmarks.measuring.scale import Scale
from benchmarks.measuring.table import Table
from benchmarks.over_http.figures import Figures, figures
from benchmarks.over_http.load import Load
from benchmarks.over_http.requests import REQUESTS
from benchmarks.over_http.servers import OURS, peers

CLAIM = "over HTTP the endpoint answers several times as many requests as the fastest peer"
# By the beginning of the request's name, for the most connections that are measured.
BARS = {
    "PutItem": Bar(at_least=2),
    "GetItem": Bar(at_least=2),
    "UpdateItem": Bar(at_least=2),
    "Query, COUNT": Bar(at_least=20),
    "Query": Bar(at_least=5),
    "TransactWriteItems": Bar(at_least=4),
    "BatchWriteItem": Bar(at_least=4),
}
_WHO = "Peers: {}."


def measure(scale: Scale) -> Iterable[Table]:
    """Requests a second, latencies, and the server's processor time for a request."""
    found = figures(OURS, peers(scale), REQUESTS, scale)
    names = [server.name for server in found.servers]
    for connections in scale.connections:
        crowded = connections == max(scale.connections)
        rows = [_rates(found, request, connections, crowded=crowded) for request in REQUESTS]
        columns = [_over(connections), *names, "to the fastest peer", *(["bar"] if crowded else [])]
        notes = [_WHO.format(", ".join(server.title for server in found.servers[1:]))]
        yield Table(
            f"Requests a second over {_over(connections)}",
            columns,
            rows,
            [*notes, *found.missing] if crowded else (),
        )
    for connections in scale.connections:
        yield _others(
            f"Latency over {_over(connections)}, p50 / p99 in ms",
            found,
            connections,
            lambda load: f"{units.milliseconds(load.p50)} / {units.milliseconds(load.p99)}",
        )
    most = max(scale.connections)
    yield _others(
        f"The server's processor time over {_over(most)}",
        found,
        most,
        lambda load: units.microseconds(load.processor),
    )


def _rates(found: Figures, request: str, connections: int, *, crowded: bool) -> list[str]:
    loads = [found.load(server, request, connections) for server in found.servers]
    rates = ["–" if load is None else units.rate(load.a_second) for load in loads]
    ratio = found.ratio(request, connections)
    row = [request, *rates, "–" if ratio is None else units.times(ratio)]
    if not crowded:
        return row
    bar = next(bar for name, bar in BARS.items() if request.startswith(name))
    return [*row, "–" if ratio is None else bar.verdict(ratio)]


def _others(title: str, found: Figures, connections: int, shown: Callable[[Load], str]) -> Table:
    columns = [_over(connections), *(server.name for server in found.servers)]
    rows = [
        [
            request,
            *(
                "–" if load is None else shown(load)
                for server in found.servers
                for load in [found.load(server, request, connections)]
            ),
        ]
        for request in REQUESTS
    ]
    return Table(title, columns, rows)


def _over(connections: int) -> str:
    return "1 connection" if connections == 1 else f"{connections} connections"
