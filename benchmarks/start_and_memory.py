"""Start time and memory of a server: our endpoint and its peers."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from benchmarks.harness.measurement import Missing, Scale, WrongResult, show_progress
from benchmarks.harness.report import ReportTable, Target, format_megabytes
from benchmarks.harness.workload import create, nth_item
from benchmarks.http_load.servers import OURS, Server, peers, resident_bytes, running

CLAIM = "the endpoint responds half a second after its start, and needs little memory"
START = Target(at_most=0.5, unit=" s")
MEMORY = Target(at_most=300, unit=" MB")


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure seconds from start to first response, and memory with many items."""
    rows: list[list[str]] = []
    missing: list[str] = []
    for server in (OURS, *peers(scale)):
        show_progress(f"{server.title}: start and memory")
        try:
            rows.append(_row(server, scale))
        except (Missing, WrongResult) as reason:
            if server is OURS:
                raise
            missing.append(f"{server.title} is missing: {reason}.")
    columns = ["in memory", "start", "memory when empty", f"with {scale.stored:,} items", "targets"]
    yield ReportTable("Start and memory of a server", columns, rows, missing)


def _row(server: Server, scale: Scale) -> list[str]:
    starts: list[float] = []
    for _ in range(scale.starts - 1):
        with running(server) as process:
            starts.append(process.start_seconds)
    with running(server) as process:
        starts.append(process.start_seconds)
        process.client.create(create())
        empty = resident_bytes(process.pid)
        process.client.fill(map(nth_item, range(scale.stored)))
        full = resident_bytes(process.pid)
    start = median(starts)
    targets = (
        f"{START.verdict(start)}; {MEMORY.verdict(full / 1_000_000)}" if server is OURS else ""
    )
    return [server.name, f"{start:.2f} s", format_megabytes(empty), format_megabytes(full), targets]
