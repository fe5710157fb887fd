"""Requests in process: the embedded engine and hand-written SQLite."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from uuid import uuid4

from benchmarks.harness.measurement import Scale, temporary_folder
from benchmarks.harness.report import ReportTable, Target, format_rate, format_ratio
from benchmarks.in_process.comparison import compare
from benchmarks.in_process.embedded import embedded
from benchmarks.in_process.sqlite import raw_sqlite

CLAIM = "an operation on one item costs at most five times what hand-written SQLite costs"
TARGETS = {"PutItem": Target(at_most=5), "GetItem": Target(at_most=5)}
COLUMNS = ("embedded engine", "hand-written SQLite", "cost", "target")


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure requests per second; the cost is how many times as long ours takes."""
    comparison = compare(embedded, raw_sqlite, scale)
    title = "In process, in memory: the embedded engine and hand-written SQLite"
    yield ReportTable(title, ["in memory", *COLUMNS], [_row(*figures) for figures in comparison])
    with temporary_folder() as folder:
        comparison = compare(
            lambda: embedded(f"file:{_new(folder)}"), lambda: raw_sqlite(_new(folder)), scale
        )
        rows = [_row(*figures) for figures in comparison]
    title = "In process, durable on a file: the embedded engine and hand-written SQLite"
    yield ReportTable(title, ["on a file", *COLUMNS], rows)


def _row(name: str, ours: float, by_hand: float) -> list[str]:
    cost = by_hand / ours
    verdict = TARGETS[name].verdict(cost) if name in TARGETS else ""
    return [name, format_rate(ours), format_rate(by_hand), format_ratio(cost), verdict]


def _new(folder: Path) -> Path:
    return folder / f"{uuid4()}.db"
