"""Requests in process: the embedded engine and moto."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.in_process.compare import compare
from benchmarks.in_process.embedded import embedded
from benchmarks.in_process.moto_in_process import moto
from benchmarks.measuring import units
from benchmarks.measuring.bar import Bar
from benchmarks.measuring.scale import Scale
from benchmarks.measuring.table import Table

CLAIM = "in process the engine is a hundred times as fast as moto, the usual engine in process"
BAR = Bar(at_least=100)


def measure(scale: Scale) -> Iterable[Table]:
    """Requests a second in memory, ours and moto's."""
    rows = [_row(*figures) for figures in compare(embedded, moto, scale)]
    columns = ["in memory", "embedded engine", "moto", "ratio", "bar"]
    yield Table("In process: the embedded engine and moto", columns, rows)


def _row(name: str, ours: float, theirs: float) -> list[str]:
    ratio = ours / theirs
    figures = [units.rate(ours), units.rate(theirs), units.times(ratio)]
    return [name, *figures, BAR.verdict(ratio)]
