"""The embedded engine with few items and with many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchmarks.harness.measurement import Scale, Work, expect, measure_rates
from benchmarks.harness.report import ReportTable, format_rate
from benchmarks.harness.workload import item, nth_item, nth_key, nth_sort_key
from benchmarks.in_process.comparison import QUERIED
from benchmarks.in_process.embedded import EmbeddedContender, embedded
from singletable import Item

CLAIM = "a request costs the same in a large table as in a small one"
# Successive requests should not use neighboring items.
_STRIDE = 7_919
_TEN = 10


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure requests per second in memory at two sizes; a ratio of 1 is ideal."""
    sizes = (scale.few, scale.many)
    with embedded() as small, embedded() as large:
        works = [_works(engine, size) for engine, size in zip((small, large), sizes, strict=True)]
        rows: list[list[str]] = []
        for name in works[0]:
            few, many = measure_rates([requests[name] for requests in works], scale.seconds)
            rows.append([name, format_rate(few), format_rate(many), f"{many / few:.2f}"])
    columns = ["in memory", *(f"{size:,} items" for size in sizes), "ratio"]
    yield ReportTable("The embedded engine: few items and many", columns, rows)


def _works(engine: EmbeddedContender, size: int) -> dict[str, Work]:
    """Fill an engine to a size; return the requests by name."""
    partition = size // 10
    engine.fill(_items(size, partition))
    ordinary = size - partition - QUERIED
    prefix = nth_sort_key(partition // 2)[:-1]
    expect(len(engine.query("QUERIED")), QUERIED)
    expect(len(engine.query_prefix("LARGE", prefix)), _TEN)
    expect(engine.get(nth_key(ordinary - 1)), nth_item(ordinary - 1))
    return {
        "GetItem": lambda number: engine.get(nth_key(number * _STRIDE % ordinary)),
        "PutItem": lambda number: engine.put(nth_item(size + number)),
        f"Query, {QUERIED} items": lambda number: engine.query("QUERIED"),
        f"Query by prefix, {_TEN} items of a tenth of all": lambda number: engine.query_prefix(
            "LARGE", prefix
        ),
    }


def _items(size: int, partition: int) -> Iterator[Item]:
    """Yield items of many small partitions, of a queried one, and of one with a tenth of all."""
    for number in range(partition):
        yield item("LARGE", nth_sort_key(number), str(number))
    for number in range(QUERIED):
        yield item("QUERIED", nth_sort_key(number), str(number))
    yield from map(nth_item, range(size - partition - QUERIED))
