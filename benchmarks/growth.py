"""The embedded engine with few items and with very many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchmarks.in_process.acts import QUERIED
from benchmarks.in_process.embedded import Embedded, embedded
from benchmarks.measuring import units
from benchmarks.measuring.expect import expect
from benchmarks.measuring.rates import Act, rates
from benchmarks.measuring.scale import Scale
from benchmarks.measuring.table import Table
from benchmarks.workload.items import item, item_of, key_of, sort_of
from singletable import Item

CLAIM = "a request costs the same in a large table as in a small one"
# Neighbours in number should not be neighbours in the order of requests.
_STRIDE = 7_919
_TEN = 10


def measure(scale: Scale) -> Iterable[Table]:
    """Requests a second in memory at two sizes; the ratio is large to small, and 1 is ideal."""
    sizes = (scale.few, scale.many)
    with embedded() as small, embedded() as large:
        acts = [_acts(engine, size) for engine, size in zip((small, large), sizes, strict=True)]
        rows: list[list[str]] = []
        for name in acts[0]:
            few, many = rates([each[name] for each in acts], scale.seconds)
            rows.append([name, units.rate(few), units.rate(many), f"{many / few:.2f}"])
    columns = ["in memory", *(f"{size:,} items" for size in sizes), "ratio"]
    yield Table("The embedded engine: few items and many", columns, rows)


def _acts(engine: Embedded, size: int) -> dict[str, Act]:
    """The requests, by name, for an engine that is filled to a size."""
    partition = size // 10
    engine.fill(_items(size, partition))
    ordinary = size - partition - QUERIED
    prefix = sort_of(partition // 2)[:-1]
    expect(len(engine.query("QUERIED")), QUERIED)
    expect(len(engine.query_prefix("LARGE", prefix)), _TEN)
    expect(engine.get(key_of(ordinary - 1)), item_of(ordinary - 1))
    return {
        "GetItem": lambda number: engine.get(key_of(number * _STRIDE % ordinary)),
        "PutItem": lambda number: engine.put(item_of(size + number)),
        f"Query, {QUERIED} items": lambda number: engine.query("QUERIED"),
        f"Query by prefix, {_TEN} items of a tenth of all": lambda number: engine.query_prefix(
            "LARGE", prefix
        ),
    }


def _items(size: int, partition: int) -> Iterator[Item]:
    """Many ordinary partitions, one that is queried, and one that has a tenth of all items."""
    for number in range(partition):
        yield item("LARGE", sort_of(number), str(number))
    for number in range(QUERIED):
        yield item("QUERIED", sort_of(number), str(number))
    yield from map(item_of, range(size - partition - QUERIED))
