"""A new store for a test: our test stores and moto."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

import boto3
import msgspec
from moto import mock_aws

from benchmarks.harness.measurement import Scale, measure_rates
from benchmarks.harness.report import ReportTable, Target, format_milliseconds, format_ratio
from benchmarks.store_overhead import Ballot, votes
from singletable import Attr, Entity, Key, attr
from singletable.schema import Table as Declared
from singletable.schema import create_operation
from singletable.testing.stores import StoreClock, StoreFactories

CLAIM = "a test gets a new store with its tables in under a millisecond"
TARGET = Target(at_most=1, unit=" ms")

log = Declared("vote_event_log")


class Event(Entity, table=log):
    """An event of an election."""

    election: Attr[str] = attr()
    number: Attr[int] = attr()
    key = Key(pk=("LOG", election), sk=(number,))


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure the time to create two empty tables, one of them with an index."""
    with _client() as client:
        created, used, moto = measure_rates(
            [
                lambda _: _create_store(),
                lambda _: _create_and_write(),
                lambda _: _create_and_write_moto(client),
            ],
            scale.seconds,
        )
    yield ReportTable(
        "Two empty tables for a test, one with an index",
        ["", "per test", "moto to ours", "target"],
        [
            [
                "`make_store()`, created and closed",
                f"{format_milliseconds(1 / created)} ms",
                "",
                TARGET.verdict(1000 / created),
            ],
            ["with one write", f"{format_milliseconds(1 / used)} ms", "", ""],
            [
                "moto in process, with one write",
                f"{format_milliseconds(1 / moto)} ms",
                format_ratio(used / moto),
                "",
            ],
        ],
        ["moto's client is created once; each test creates the tables, writes, and deletes them."],
    )


def _create_store() -> None:
    stores = StoreFactories((votes, log), StoreClock(), None)
    stores.store()
    stores.close()


def _create_and_write() -> None:
    stores = StoreFactories((votes, log), StoreClock(), None)
    stores.store().create(Ballot(election="L", voter="ada"))
    stores.close()


@contextmanager
def _client() -> Generator[Any]:
    with mock_aws():
        yield boto3.client(  # pyright: ignore[reportUnknownMemberType]
            "dynamodb",
            region_name="eu-west-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )


def _create_and_write_moto(client: Any) -> None:
    for table in (votes, log):
        client.create_table(**msgspec.to_builtins(create_operation(table)))
    client.put_item(TableName="votes", Item={"PK": {"S": "ELECTION#L"}, "SK": {"S": "BALLOT#ada"}})
    for table in (votes, log):
        client.delete_table(TableName=table.name)
