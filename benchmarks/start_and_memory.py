"""How soon a server answers, and what it occupies: our endpoint and its peers."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from benchmarks.measuring import units
from benchmarks.measuring.bar import Bar
from benchmarks.measuring.missing import Missing, WrongAnswer
from benchmarks.measuring.progress import progress
from benchmarks.measuring.scale import Scale
from benchmarks.measuring.table import Table
from benchmarks.over_http.process import resident_bytes
from benchmarks.over_http.server import Server, running
from benchmarks.over_http.servers import OURS, peers
from benchmarks.workload.items import item_of
from benchmarks.workload.requests import create

CLAIM = "the endpoint answers half a second after its start, and needs little memory"
START = Bar(at_most=0.5, unit=" s")
MEMORY = Bar(at_most=300, unit=" MB")


def measure(scale: Scale) -> Iterable[Table]:
    """Seconds from the start of the process to its first answer, and memory with many items."""
    rows: list[list[str]] = []
    missing: list[str] = []
    for server in (OURS, *peers(scale)):
        progress(f"{server.title}: start and memory")
        try:
            rows.append(_row(server, scale))
        except (Missing, WrongAnswer) as reason:
            if server is OURS:
                raise
            missing.append(f"{server.title} is missing: {reason}.")
    columns = ["in memory", "start", "memory when empty", f"with {scale.stored:,} items", "bars"]
    yield Table("Start and memory of a server", columns, rows, missing)


def _row(server: Server, scale: Scale) -> list[str]:
    starts: list[float] = []
    for _ in range(scale.starts - 1):
        with running(server) as process:
            starts.append(process.start_seconds)
    with running(server) as process:
        starts.append(process.start_seconds)
        process.client.create(create())
        empty = resident_bytes(process.pid)
        process.client.fill(map(item_of, range(scale.stored)))
        full = resident_bytes(process.pid)
    start = median(starts)
    bars = f"{START.verdict(start)}; {MEMORY.verdict(full / 1_000_000)}" if server is OURS else ""
    return [server.name, f"{start:.2f} s", units.megabytes(empty), units.megabytes(full), bars]
