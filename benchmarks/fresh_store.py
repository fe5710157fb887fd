"""A fresh store for a test, and what moto takes for the same."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

import boto3
import msgspec
from moto import mock_aws

from benchmarks.measuring import units
from benchmarks.measuring.bar import Bar
from benchmarks.measuring.rates import rates
from benchmarks.measuring.scale import Scale
from benchmarks.measuring.table import Table
from benchmarks.store_overhead import Ballot, votes
from singletable import Attr, Entity, Key, attr
from singletable.schema import Table as Declared
from singletable.schema import create_operation
from singletable.testing.stores import StoreClock, StoreFactories

CLAIM = "a test has a fresh store with its tables in under a millisecond"
BAR = Bar(at_most=1, unit=" ms")

log = Declared("vote_event_log")


class Event(Entity, table=log):
    """What happened in an election."""

    election: Attr[str] = attr()
    number: Attr[int] = attr()
    key = Key(pk=("LOG", election), sk=(number,))


def measure(scale: Scale) -> Iterable[Table]:
    """The time until two tables are there and empty, one of them with an index."""
    with _client() as client:
        made, used, moto = rates(
            [lambda _: _fresh(), lambda _: _used(), lambda _: _used_moto(client)], scale.seconds
        )
    yield Table(
        "Two empty tables for a test, one with an index",
        ["", "a test", "moto to ours", "bar"],
        [
            [
                "`make_store()`, made and gone",
                f"{units.milliseconds(1 / made)} ms",
                "",
                BAR.verdict(1000 / made),
            ],
            ["with one write", f"{units.milliseconds(1 / used)} ms", "", ""],
            [
                "moto in process, with one write",
                f"{units.milliseconds(1 / moto)} ms",
                units.times(used / moto),
                "",
            ],
        ],
        ["moto's client is made once; each test makes the tables, writes, and deletes them."],
    )


def _fresh() -> None:
    stores = StoreFactories((votes, log), StoreClock(), None)
    stores.store()
    stores.close()


def _used() -> None:
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


def _used_moto(client: Any) -> None:
    for table in (votes, log):
        client.create_table(**msgspec.to_builtins(create_operation(table)))
    client.put_item(TableName="votes", Item={"PK": {"S": "ELECTION#L"}, "SK": {"S": "BALLOT#ada"}})
    for table in (votes, log):
        client.delete_table(TableName=table.name)
