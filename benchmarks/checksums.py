"""Requests in process on a file, with and without checksums of pages."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from uuid import uuid4

from benchmarks.harness.measurement import Scale, temporary_folder
from benchmarks.harness.report import ReportTable, Target, format_rate, format_ratio
from benchmarks.in_process.comparison import compare
from benchmarks.in_process.embedded import EmbeddedContender
from dynamodb_engine import Engine, Settings
from dynamodb_engine.engine.storage import Database

CLAIM = "checksums of pages cost a get or put on a file at most a twentieth more time"
MEASURED = ("PutItem", "GetItem")
SETTINGS = Settings(durable=False)
COLUMNS = ("on a file", "with checksums", "without", "cost", "target")
TARGET = Target(at_most=1.05)


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure requests per second, without waiting for the disk, which would hide the cost."""
    with temporary_folder() as folder:
        comparison = compare(
            partial(_contender, _with_checksums, folder),
            partial(_contender, _without_checksums, folder),
            scale,
            count=3,
        )
        rows = [_row(*figures) for figures in comparison]
    yield ReportTable("In process, on a file: checksums of pages", list(COLUMNS), rows)


def _row(name: str, ours: float, without: float) -> list[str]:
    cost = without / ours
    verdict = TARGET.verdict(cost) if name in MEASURED else ""
    return [name, format_rate(ours), format_rate(without), format_ratio(cost), verdict]


@contextmanager
def _contender(start: Callable[[Path], Engine], folder: Path) -> Generator[EmbeddedContender]:
    with start(folder / f"{uuid4()}.db") as engine:
        yield EmbeddedContender(engine)


def _with_checksums(path: Path) -> Engine:
    return Engine.on_file(path, SETTINGS)


def _without_checksums(path: Path) -> Engine:
    return Engine(Database(path, durable=False, vfs="unix"), SETTINGS)
