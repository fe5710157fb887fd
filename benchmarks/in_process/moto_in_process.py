"""Moto as a contender, asked through boto3 as its users ask it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Protocol, TypedDict, TypeVar, cast

import boto3
import msgspec
from moto import mock_aws

from benchmarks.workload import requests
from singletable import GetItem, Item, Operation, PutItem

R = TypeVar("R")


class Answer(TypedDict, total=False):
    """As much of boto3's answers as is looked at."""

    Item: Item
    Items: list[Item]
    Count: int
    LastEvaluatedKey: Item


class Client(Protocol):
    """As much of boto3's client as is measured; boto3 has no types of its own."""

    def create_table(self, **request: object) -> Answer:
        """Make a table."""
        ...

    def put_item(self, **request: object) -> Answer:
        """Store an item."""
        ...

    def get_item(self, **request: object) -> Answer:
        """Ask for an item."""
        ...

    def query(self, **request: object) -> Answer:
        """Ask for items."""
        ...

    def update_item(self, **request: object) -> Answer:
        """Change an item."""
        ...

    def transact_write_items(self, **request: object) -> Answer:
        """Write several items or none."""
        ...

    def batch_write_item(self, **request: object) -> Answer:
        """Write several items."""
        ...


class Moto:
    """Moto, given the same operations in boto3's form."""

    def __init__(self, client: Client) -> None:
        self._client = client
        client.create_table(**_arguments(requests.create()))

    def fill(self, items: Iterable[Item]) -> None:
        """Store many items, 25 at a time."""
        for batch in requests.batches(items):
            self._client.batch_write_item(**_arguments(batch))

    def put(self, item: Item) -> None:
        """Store an item."""
        self._client.put_item(**_arguments(PutItem(requests.TABLE, item)))

    def get(self, key: Item) -> Item | None:
        """The item with a key."""
        return self._client.get_item(**_arguments(GetItem(requests.TABLE, key))).get("Item")

    def query(self, partition: str) -> Sequence[Item]:
        """All items of a partition; they fit into one page here."""
        return self._client.query(**_arguments(requests.query(partition)))["Items"]

    def update(self, partition: str, sort: str) -> None:
        """Add one year to an item, if it has not too many."""
        self._client.update_item(**_arguments(requests.update(partition, sort)))

    def transact(self, new: Item, partition: str, sort: str) -> None:
        """Store an item that must be new, and add one year to another; or neither."""
        request = requests.transaction(new, partition, sort)
        self._client.transact_write_items(**_arguments(request))

    def batch(self, items: Sequence[Item]) -> None:
        """Store 25 items."""
        self._client.batch_write_item(**_arguments(requests.batch(items)))

    def count(self, partition: str) -> int:
        """How many items a partition has, all pages asked for."""
        page = self._client.query(**_arguments(requests.count(partition)))
        found = page["Count"]
        while "LastEvaluatedKey" in page:
            request = requests.count(partition, page["LastEvaluatedKey"])
            page = self._client.query(**_arguments(request))
            found += page["Count"]
        return found


def _arguments(operation: Operation[R]) -> dict[str, object]:
    # A struct's fields become a dictionary's members, which no type can say.
    return cast("dict[str, object]", msgspec.to_builtins(operation))


@contextmanager
def moto() -> Generator[Moto]:
    """A new moto, with one empty table."""
    with mock_aws():
        make = cast(Callable[..., Client], boto3.client)  # pyright: ignore[reportUnknownMemberType]
        yield Moto(
            make(
                "dynamodb",
                region_name="us-east-1",
                aws_access_key_id="x",
                aws_secret_access_key="x",
            )
        )
