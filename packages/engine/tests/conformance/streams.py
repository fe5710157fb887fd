"""Read streams as a simple client does: shard by shard, parents before their children."""

from __future__ import annotations

from collections.abc import Iterator

from dynamodb_engine import operations as ops
from dynamodb_engine.operations import Driver


def make_streamed(driver: Driver, request: ops.CreateTable) -> str:
    """Create a table with a stream and return the stream's ARN."""
    arn = driver.execute(request).table_description.latest_stream_arn
    assert arn is not None
    return arn


def shards_of(driver: Driver, arn: str) -> list[ops.Shard]:
    """Return all shards, one page for each."""
    shards: list[ops.Shard] = []
    last: str | None = None
    while True:
        request = ops.DescribeStream(arn, limit=1, exclusive_start_shard_id=last)
        page = driver.execute(request).stream_description
        shards += page.shards
        last = page.last_evaluated_shard_id
        if last is None:
            return shards


def iterator(
    driver: Driver,
    arn: str,
    shard: str,
    kind: ops.ShardIteratorType = "TRIM_HORIZON",
    number: str | None = None,
    timestamp: float | None = None,
) -> str:
    """Return an iterator of a shard."""
    request = ops.GetShardIterator(arn, shard, kind, number, timestamp)
    return driver.execute(request).shard_iterator


def read(driver: Driver, place: str | None, limit: int | None = None) -> Iterator[ops.Record]:
    """Yield records from an iterator on, until a page is empty or the shard ends."""
    while place is not None:
        page = driver.execute(ops.GetRecords(place, limit))
        yield from page.records
        place = page.next_shard_iterator if page.records else None


def records_of(driver: Driver, arn: str, limit: int | None = None) -> list[ops.Record]:
    """Return all records of a stream: of each shard in turn."""
    return [
        record
        for shard in shards_of(driver, arn)
        for record in read(driver, iterator(driver, arn, shard.shard_id), limit)
    ]
