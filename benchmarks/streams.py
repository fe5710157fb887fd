"""Read a stream: records a second, and the time from a write to its record."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from statistics import median

from benchmarks.harness.measurement import Missing, Scale, expect
from benchmarks.harness.report import (
    ReportTable,
    Target,
    format_microseconds,
    format_rate,
    format_ratio,
)
from benchmarks.http_load.servers import OURS, Server, peers, running
from dynamodb_engine import (
    DescribeStream,
    Driver,
    Engine,
    GetRecords,
    GetShardIterator,
    ListStreams,
    ReadChanges,
)
from dynamodb_engine.operations import ShardIteratorType
from singletable import Attr, Entity, Key, Store, Table, attr, connect
from singletable.tables import TableSettings, create_table

CLAIM = "reading a stream of two shards takes at most four times as long as reading the change feed"
RATIO_TARGET = Target(at_most=4.0)
LOCAL = "DynamoDB Local"
SAMPLES = 50

parcels = Table("parcels")


class Parcel(Entity, table=parcels):
    """An item of 400 bytes."""

    number: Attr[int] = attr()
    text: Attr[str] = attr()
    key = Key(pk=("PARCEL", number), sk=("PARCEL",))


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure in memory, over HTTP, and at DynamoDB Local."""
    count = scale.items * 10
    with Engine.in_memory() as engine:
        feed = 1 / _seconds(count, lambda: _prepare(engine, count), lambda: _read_feed(engine))
        rows = [["memory, ReadChanges", format_rate(feed), "", "", ""]]
    with connect("memory:") as driver:
        rows.append(_row("memory, GetRecords", driver, count, feed))
    servers = [OURS, *(peer for peer in peers(scale) if peer.name == LOCAL)]
    rows += [_measure_server(server, count) for server in servers]
    yield ReportTable(
        f"A stream of {count:,} changes of 400 bytes, with both images",
        ["", "records a second", "feed to stream", "target", "write to record, median"],
        rows,
        [
            "A record can be read as soon as its write is acknowledged: the last column is one "
            "write and one GetRecords of each shard."
        ],
    )


def _measure_server(server: Server, count: int) -> list[str]:
    try:
        with (
            running(server) as started,
            connect(f"dynamodb+http://127.0.0.1:{started.port}") as driver,
        ):
            return _row(f"{server.name}, HTTP", driver, count, None)
    except Missing as missing:
        return [server.name, str(missing), "", "", ""]


def _row(name: str, driver: Driver, count: int, feed: float | None) -> list[str]:
    rate = 1 / _seconds(count, lambda: _prepare(driver, count), lambda: _read_stream(driver))
    ratio = None if feed is None else feed / rate
    return [
        name,
        format_rate(rate),
        "" if ratio is None else format_ratio(ratio),
        "" if ratio is None else RATIO_TARGET.verdict(ratio),
        format_microseconds(median(_latencies(driver))),
    ]


def _prepare(driver: Driver, count: int) -> None:
    create_table(driver, parcels, parcels.name, TableSettings(stream="NEW_AND_OLD_IMAGES"))
    Store(driver).put_many(Parcel(number=number, text="x" * 350) for number in range(count))


def _seconds(count: int, prepare: Callable[[], object], read: Callable[[], int]) -> float:
    """Return the seconds for each record."""
    prepare()
    started = time.perf_counter()
    expect(read(), count)
    return (time.perf_counter() - started) / count


def _read_feed(engine: Engine) -> int:
    position = total = 0
    while True:
        page = engine.execute(ReadChanges(position))
        for change in page.changes:
            total += change.new is not None
        if not page.changes:
            return total
        position = page.position


def _iterators(driver: Driver, kind: ShardIteratorType) -> Iterator[str]:
    (stream,) = driver.execute(ListStreams(parcels.name)).streams
    arn = stream.stream_arn
    for shard in driver.execute(DescribeStream(arn)).stream_description.shards:
        yield driver.execute(GetShardIterator(arn, shard.shard_id, kind)).shard_iterator


def _read_stream(driver: Driver) -> int:
    total = 0
    for start in _iterators(driver, "TRIM_HORIZON"):
        iterator: str | None = start
        while iterator is not None:
            page = driver.execute(GetRecords(iterator))
            total += len(page.records)
            iterator = page.next_shard_iterator if page.records else None
    return total


def _latencies(driver: Driver) -> Iterator[float]:
    """Yield the seconds from the start of a write until its record was read."""
    iterators = list(_iterators(driver, "LATEST"))
    store = Store(driver)
    for sample in range(SAMPLES):
        started = time.perf_counter()
        store.put(Parcel(number=-1 - sample, text="x"))
        found = 0
        while not found:
            for place, iterator in enumerate(iterators):
                page = driver.execute(GetRecords(iterator))
                found += len(page.records)
                iterators[place] = page.next_shard_iterator or iterator
        yield time.perf_counter() - started
