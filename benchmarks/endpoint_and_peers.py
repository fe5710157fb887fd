"""Requests over HTTP: our endpoint and its peers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from benchmarks.harness.measurement import Scale
from benchmarks.harness.report import (
    ReportTable,
    Target,
    format_microseconds,
    format_milliseconds,
    format_rate,
    format_ratio,
)
from benchmarks.http_load.comparison import Comparison, compare_servers
from benchmarks.http_load.load import Load
from benchmarks.http_load.requests import REQUESTS
from benchmarks.http_load.servers import OURS, peers

CLAIM = "over HTTP the endpoint handles several times as many requests as the fastest peer"
# By prefix of the request's name, for the highest number of connections.
TARGETS = {
    "PutItem": Target(at_least=2),
    "GetItem": Target(at_least=2),
    "UpdateItem": Target(at_least=2),
    "Query, COUNT": Target(at_least=20),
    "Query": Target(at_least=5),
    "TransactWriteItems": Target(at_least=4),
    "BatchWriteItem": Target(at_least=4),
}
_PEERS_NOTE = "Peers: {}."


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure throughput, latency, and the CPU time of the server per request."""
    comparison = compare_servers(OURS, peers(scale), REQUESTS, scale)
    names = [server.name for server in comparison.servers]
    for connections in scale.connections:
        is_maximum = connections == max(scale.connections)
        rows = [
            _rate_row(comparison, request, connections, is_maximum=is_maximum)
            for request in REQUESTS
        ]
        columns = [
            _connections(connections),
            *names,
            "to the fastest peer",
            *(["target"] if is_maximum else []),
        ]
        notes = [_PEERS_NOTE.format(", ".join(server.title for server in comparison.servers[1:]))]
        yield ReportTable(
            f"Requests per second over {_connections(connections)}",
            columns,
            rows,
            [*notes, *comparison.missing] if is_maximum else (),
        )
    for connections in scale.connections:
        yield _load_table(
            f"Latency over {_connections(connections)}, p50 / p99 in ms",
            comparison,
            connections,
            lambda load: f"{format_milliseconds(load.p50)} / {format_milliseconds(load.p99)}",
        )
    most = max(scale.connections)
    yield _load_table(
        f"CPU time of the server over {_connections(most)}",
        comparison,
        most,
        lambda load: format_microseconds(load.cpu_seconds),
    )


def _rate_row(
    comparison: Comparison, request: str, connections: int, *, is_maximum: bool
) -> list[str]:
    loads = [comparison.load(server, request, connections) for server in comparison.servers]
    rates = ["–" if load is None else format_rate(load.rate) for load in loads]
    ratio = comparison.ratio(request, connections)
    row = [request, *rates, "–" if ratio is None else format_ratio(ratio)]
    if not is_maximum:
        return row
    target = next(target for name, target in TARGETS.items() if request.startswith(name))
    return [*row, "–" if ratio is None else target.verdict(ratio)]


def _load_table(
    title: str, comparison: Comparison, connections: int, format_load: Callable[[Load], str]
) -> ReportTable:
    columns = [_connections(connections), *(server.name for server in comparison.servers)]
    rows = [
        [
            request,
            *(
                "–" if load is None else format_load(load)
                for server in comparison.servers
                for load in [comparison.load(server, request, connections)]
            ),
        ]
        for request in REQUESTS
    ]
    return ReportTable(title, columns, rows)


def _connections(connections: int) -> str:
    return "1 connection" if connections == 1 else f"{connections} connections"
