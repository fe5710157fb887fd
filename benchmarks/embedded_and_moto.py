"""Requests in process: the embedded engine and moto."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.harness.measurement import Scale
from benchmarks.harness.report import ReportTable, Target, format_rate, format_ratio
from benchmarks.in_process.comparison import compare
from benchmarks.in_process.embedded import embedded
from benchmarks.in_process.moto_client import moto

CLAIM = "in process the engine is a hundred times as fast as moto"
TARGET = Target(at_least=100)


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure requests per second in memory."""
    rows = [_row(*figures) for figures in compare(embedded, moto, scale)]
    columns = ["in memory", "embedded engine", "moto", "ratio", "target"]
    yield ReportTable("In process: the embedded engine and moto", columns, rows)


def _row(name: str, ours: float, theirs: float) -> list[str]:
    ratio = ours / theirs
    figures = [format_rate(ours), format_rate(theirs), format_ratio(ratio)]
    return [name, *figures, TARGET.verdict(ratio)]
