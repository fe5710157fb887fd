"""Durable puts over HTTP: our endpoint and the peers that store files."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.harness.measurement import Scale
from benchmarks.harness.report import (
    ReportTable,
    Target,
    format_milliseconds,
    format_rate,
    format_ratio,
)
from benchmarks.http_load.comparison import Comparison, compare_servers
from benchmarks.http_load.requests import put
from benchmarks.http_load.servers import DYNAMODB_LOCAL, OURS, Server, peers

CLAIM = "durable puts are at least ten times as fast as DynamoDB Local's"
TARGET = Target(at_least=10)
_PUT = "PutItem"


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure puts per second into files."""
    all_peers = peers(scale)
    comparison = compare_servers(
        OURS, [peer for peer in all_peers if peer.keeps_files], {_PUT: put}, scale, on_file=True
    )
    columns = ["into files", "connections", "puts", "p50 / p99 in ms", "ours to theirs", "target"]
    rows = [
        _row(comparison, server, connections, is_maximum=connections == max(scale.connections))
        for connections in scale.connections
        for server in comparison.servers
    ]
    notes = [f"{peer.name} stores no files." for peer in all_peers if not peer.keeps_files]
    yield ReportTable("Puts into files over HTTP", columns, rows, [*comparison.missing, *notes])


def _row(
    comparison: Comparison, server: Server, connections: int, *, is_maximum: bool
) -> list[str]:
    load, ours = (
        comparison.load(server, _PUT, connections),
        comparison.load(OURS, _PUT, connections),
    )
    if load is None or ours is None:
        return [server.name, str(connections), "–", "–", "–", ""]
    ratio = ours.rate / load.rate
    has_target = is_maximum and server is DYNAMODB_LOCAL
    return [
        server.name,
        str(connections),
        format_rate(load.rate),
        f"{format_milliseconds(load.p50)} / {format_milliseconds(load.p99)}",
        "" if server is OURS else format_ratio(ratio),
        TARGET.verdict(ratio) if has_target else "",
    ]
