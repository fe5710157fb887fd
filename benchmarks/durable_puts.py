"""Puts over HTTP that are kept in files: our endpoint and the peers that have files."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.measuring import units
from benchmarks.measuring.bar import Bar
from benchmarks.measuring.scale import Scale
from benchmarks.measuring.table import Table
from benchmarks.over_http.figures import Figures, figures
from benchmarks.over_http.requests import put
from benchmarks.over_http.server import Server
from benchmarks.over_http.servers import DYNAMODB_LOCAL, OURS, peers

CLAIM = "puts that survive a power cut are ten times as many as DynamoDB Local's"
BAR = Bar(at_least=10)
_PUT = "PutItem"


def measure(scale: Scale) -> Iterable[Table]:
    """Puts a second into files."""
    others = peers(scale)
    found = figures(
        OURS, [peer for peer in others if peer.keeps_files], {_PUT: put}, scale, on_file=True
    )
    columns = ["into files", "connections", "puts", "p50 / p99 in ms", "ours to theirs", "bar"]
    rows = [
        _row(found, server, connections, crowded=connections == max(scale.connections))
        for connections in scale.connections
        for server in found.servers
    ]
    without = [f"{peer.name} keeps no files." for peer in others if not peer.keeps_files]
    yield Table("Puts into files over HTTP", columns, rows, [*found.missing, *without])


def _row(found: Figures, server: Server, connections: int, *, crowded: bool) -> list[str]:
    load, ours = found.load(server, _PUT, connections), found.load(OURS, _PUT, connections)
    if load is None or ours is None:
        return [server.name, str(connections), "–", "–", "–", ""]
    ratio = ours.a_second / load.a_second
    judged = crowded and server is DYNAMODB_LOCAL
    return [
        server.name,
        str(connections),
        units.rate(load.a_second),
        f"{units.milliseconds(load.p50)} / {units.milliseconds(load.p99)}",
        "" if server is OURS else units.times(ratio),
        BAR.verdict(ratio) if judged else "",
    ]
