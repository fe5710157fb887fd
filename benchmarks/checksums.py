"""Requests in process on a file, with and without checksums."""

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
from dynamodb_engine.engine.storage import Database, SqliteLayout

CLAIM = (
    "checksums of rows cost a get or put on a file at most a tenth more time, and those of pages "
    "at most a twentieth"
)
MEASURED = ("PutItem", "GetItem")
SETTINGS = Settings(durable=False)
COLUMNS = ("on a file", "with checksums", "without", "cost", "target")


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure requests per second, without waiting for the disk, which would hide the cost."""
    yield _measure(scale, "rows", _without_rows, Target(at_most=1.1))
    yield _measure(scale, "pages", _without_pages, Target(at_most=1.05))


def _measure(
    scale: Scale, name: str, without: Callable[[Path], Engine], target: Target
) -> ReportTable:
    with temporary_folder() as folder:
        comparison = compare(
            partial(_contender, _with_both, folder),
            partial(_contender, without, folder),
            scale,
            count=3,
        )
        rows = [_row(*figures, target) for figures in comparison]
    return ReportTable(f"In process, on a file: checksums of {name}", list(COLUMNS), rows)


def _row(name: str, ours: float, without: float, target: Target) -> list[str]:
    cost = without / ours
    verdict = target.verdict(cost) if name in MEASURED else ""
    return [name, format_rate(ours), format_rate(without), format_ratio(cost), verdict]


@contextmanager
def _contender(start: Callable[[Path], Engine], folder: Path) -> Generator[EmbeddedContender]:
    with start(folder / f"{uuid4()}.db") as engine:
        yield EmbeddedContender(engine)


def _with_both(path: Path) -> Engine:
    return Engine.on_file(path, SETTINGS)


def _without_rows(path: Path) -> Engine:
    engine = _with_both(path)
    engine._catalog.layout = SqliteLayout(in_memory=True)  # pyright: ignore[reportPrivateUsage]
    return engine


def _without_pages(path: Path) -> Engine:
    return Engine(Database(path, durable=False, vfs="unix"), SETTINGS)
