"""Single items in process: the embedded engine and moto."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Protocol, TypeAlias, cast

import boto3
from moto import mock_aws

from singletable import (
    AttributeDefinition,
    CreateTable,
    GetItem,
    Item,
    KeySchemaElement,
    PutItem,
    connect,
)

CLAIM = "reads and writes of one item are far faster than in moto, the usual engine in process"
TABLE = "benchmark"
SECONDS = 2.0

Act: TypeAlias = Callable[[Item], object]


class Client(Protocol):
    """As much of boto3's client as is measured; boto3 has no types of its own."""

    def create_table(self, **request: object) -> object:
        """Make a table."""
        ...

    def put_item(self, **request: object) -> object:
        """Store an item."""
        ...

    def get_item(self, **request: object) -> object:
        """Ask for an item."""
        ...


def measure() -> Iterable[str]:
    """Puts and gets a second, ours and moto's."""
    ours = _embedded()
    peer = _moto()
    for what, mine, theirs in zip(("put", "get"), ours, peer, strict=True):
        yield f"{what}: {mine:,.0f} a second, moto {theirs:,.0f}: {mine / theirs:.0f} times"


def _embedded() -> tuple[float, float]:
    with connect("memory:") as driver:
        driver.execute(
            CreateTable(
                TABLE,
                [AttributeDefinition("PK", "S"), AttributeDefinition("SK", "S")],
                [KeySchemaElement("PK", "HASH"), KeySchemaElement("SK", "RANGE")],
                billing_mode="PAY_PER_REQUEST",
            )
        )
        return _rates(
            lambda item: driver.execute(PutItem(TABLE, item)),
            lambda key: driver.execute(GetItem(TABLE, key)).item,
        )


def _moto() -> tuple[float, float]:
    with mock_aws():
        make = cast(Callable[..., Client], boto3.client)  # pyright: ignore[reportUnknownMemberType]
        client = make(
            "dynamodb", region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x"
        )
        client.create_table(
            TableName=TABLE,
            AttributeDefinitions=[
                {"AttributeName": "PK", "AttributeType": "S"},
                {"AttributeName": "SK", "AttributeType": "S"},
            ],
            KeySchema=[
                {"AttributeName": "PK", "KeyType": "HASH"},
                {"AttributeName": "SK", "KeyType": "RANGE"},
            ],
            BillingMode="PAY_PER_REQUEST",
        )
        return _rates(
            lambda item: client.put_item(TableName=TABLE, Item=item),
            lambda key: client.get_item(TableName=TABLE, Key=key),
        )


def _rates(put: Act, get: Act) -> tuple[float, float]:
    return _rate(lambda number: put(_item(number))), _rate(lambda number: get(_key(number % 100)))


def _rate(act: Callable[[int], object]) -> float:
    """How often a second it can be done, one after the other."""
    done = 0
    begun = time.perf_counter()
    while (elapsed := time.perf_counter() - begun) < SECONDS:
        act(done)
        done += 1
    return done / elapsed


def _key(number: int) -> Item:
    return {"PK": {"S": f"USER#{number % 1000}"}, "SK": {"S": f"SKILL#{number}"}}


def _item(number: int) -> Item:
    return {**_key(number), "name": {"S": "x" * 200}, "years": {"N": str(number)}}
