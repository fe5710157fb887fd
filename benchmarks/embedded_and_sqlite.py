"""Requests in process: the embedded engine and SQLite by hand."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from uuid import uuid4

from benchmarks.in_process.compare import compare
from benchmarks.in_process.embedded import embedded
from benchmarks.in_process.raw_sqlite import raw_sqlite
from benchmarks.measuring import units
from benchmarks.measuring.bar import Bar
from benchmarks.measuring.scale import Scale
from benchmarks.measuring.scratch import scratch
from benchmarks.measuring.table import Table

CLAIM = "DynamoDB's ways cost at most five times what SQLite by hand costs for one item"
BARS = {"PutItem": Bar(at_most=5), "GetItem": Bar(at_most=5)}
COLUMNS = ("embedded engine", "SQLite by hand", "cost", "bar")


def measure(scale: Scale) -> Iterable[Table]:
    """Requests a second, ours and by hand; the cost is how many times as long ours takes."""
    found = compare(embedded, raw_sqlite, scale)
    title = "In process, in memory: the embedded engine and SQLite by hand"
    yield Table(title, ["in memory", *COLUMNS], [_row(*figures) for figures in found])
    with scratch() as folder:
        found = compare(
            lambda: embedded(f"file:{_new(folder)}"), lambda: raw_sqlite(_new(folder)), scale
        )
        rows = [_row(*figures) for figures in found]
    title = "In process, durable on a file: the embedded engine and SQLite by hand"
    yield Table(title, ["on a file", *COLUMNS], rows)


def _row(name: str, ours: float, by_hand: float) -> list[str]:
    cost = by_hand / ours
    verdict = BARS[name].verdict(cost) if name in BARS else ""
    return [name, units.rate(ours), units.rate(by_hand), units.times(cost), verdict]


def _new(folder: Path) -> Path:
    return folder / f"{uuid4()}.db"
