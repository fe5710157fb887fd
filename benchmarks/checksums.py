"""Requests in process on a file, with and without checksums."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from benchmarks.harness.measurement import Scale, temporary_folder
from benchmarks.harness.report import ReportTable, Target, format_rate, format_ratio
from benchmarks.in_process.comparison import compare
from benchmarks.in_process.embedded import EmbeddedContender
from singletable import Engine, Settings

CLAIM = "checksums of rows cost a get or put on a file at most a tenth more time"
TARGETS = {"PutItem": Target(at_most=1.1), "GetItem": Target(at_most=1.1)}
COLUMNS = ("on a file", "with checksums", "without", "cost", "target")


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure requests per second, without waiting for the disk, which would hide the cost."""
    with temporary_folder() as folder:
        comparison = compare(
            lambda: _contender(folder, checksums=True),
            lambda: _contender(folder, checksums=False),
            scale,
            count=3,
        )
        rows = [_row(*figures) for figures in comparison]
    yield ReportTable("In process, on a file: checksums of rows", list(COLUMNS), rows)


def _row(name: str, ours: float, without: float) -> list[str]:
    cost = without / ours
    verdict = TARGETS[name].verdict(cost) if name in TARGETS else ""
    return [name, format_rate(ours), format_rate(without), format_ratio(cost), verdict]


@contextmanager
def _contender(folder: Path, *, checksums: bool) -> Generator[EmbeddedContender]:
    with Engine.on_file(folder / f"{uuid4()}.db", Settings(durable=False)) as engine:
        engine._catalog.in_memory = not checksums  # pyright: ignore[reportPrivateUsage]
        yield EmbeddedContender(engine)
