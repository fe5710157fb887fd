"""Count and read all pages of a large partition, and scan its table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.harness.measurement import Scale, expect, temporary_folder
from benchmarks.harness.report import ReportTable, Target, format_microseconds, format_ratio
from singletable import Attr, Engine, Entity, Key, Scan, Store, Table, attr

CLAIM = "counting takes at most a quarter of the time of reading, and later pages are as fast"
COUNT_TARGET = Target(at_most=0.25)

depots = Table("depots")


class Parcel(Entity, table=depots):
    """A parcel in the partition of its depot."""

    depot: Attr[str] = attr()
    number: Attr[int] = attr()
    text: Attr[str] = attr()
    key = Key(pk=("DEPOT", depot), sk=number)


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure in memory and in a file, in processor time."""
    count = scale.stored
    with temporary_folder() as folder:
        rows = [_measure(count, path) for path in (None, folder / "depots.db")]
    yield ReportTable(
        f"A partition of {count:,} items of 400 bytes, processor time for each item",
        ["", "query", "count", "count to query", "target", "scan", "scan, COUNT"],
        rows,
        ["A count without a filter reads the sizes of the items, not the items."],
    )


def _measure(count: int, path: Path | None) -> list[str]:
    with Engine.in_memory() if path is None else Engine.on_file(path) as engine:
        store = Store(engine)
        store.admin.create_table(depots)
        store.put_many(Parcel(depot="d", number=n, text="x" * 350) for n in range(count))
        partition = Parcel.key.partition("d")
        query = _time(count, lambda: sum(1 for _ in store.query(partition)))
        counted = _time(count, lambda: store.count(partition))
        scans = [
            _time(count, lambda: _scan(engine, Scan("depots"))),
            _time(count, lambda: _scan(engine, Scan("depots", select="COUNT"))),
        ]
    return [
        "memory" if path is None else "file",
        format_microseconds(query),
        format_microseconds(counted),
        format_ratio(counted / query),
        COUNT_TARGET.verdict(counted / query),
        *map(format_microseconds, scans),
    ]


def _time(count: int, work: Callable[[], int]) -> float:
    """Return the seconds for each item."""
    started = time.process_time()
    expect(work(), count)
    return (time.process_time() - started) / count


def _scan(engine: Engine, scan: Scan) -> int:
    total = 0
    while True:
        page = engine.execute(scan)
        total += page.count
        if page.last_evaluated_key is None:
            return total
        scan = Scan(
            scan.table_name, select=scan.select, exclusive_start_key=page.last_evaluated_key
        )
