"""The moto contender, used through boto3."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Protocol, TypedDict, TypeVar, cast

import boto3
import msgspec
from moto import mock_aws

from benchmarks.harness import workload
from singletable import GetItem, Item, Operation, PutItem

R = TypeVar("R")


class Output(TypedDict, total=False):
    """The used parts of boto3's outputs."""

    Item: Item
    Items: list[Item]
    Count: int
    LastEvaluatedKey: Item


class DynamoDBClient(Protocol):
    """The used part of boto3's client; boto3 has no types."""

    def create_table(self, **request: object) -> Output:
        """Create a table."""
        ...

    def put_item(self, **request: object) -> Output:
        """Put an item."""
        ...

    def get_item(self, **request: object) -> Output:
        """Get an item."""
        ...

    def query(self, **request: object) -> Output:
        """Query items."""
        ...

    def update_item(self, **request: object) -> Output:
        """Update an item."""
        ...

    def transact_write_items(self, **request: object) -> Output:
        """Write several items in a transaction."""
        ...

    def batch_write_item(self, **request: object) -> Output:
        """Write several items."""
        ...


class MotoContender:
    """moto, which gets the same operations in boto3's form."""

    def __init__(self, client: DynamoDBClient) -> None:
        self._client = client
        client.create_table(**_arguments(workload.create()))

    def fill(self, items: Iterable[Item]) -> None:
        """Put many items, 25 at a time."""
        for batch in workload.batches(items):
            self._client.batch_write_item(**_arguments(batch))

    def put(self, item: Item) -> None:
        """Put an item."""
        self._client.put_item(**_arguments(PutItem(workload.TABLE, item)))

    def get(self, key: Item) -> Item | None:
        """Return the item with a key."""
        return self._client.get_item(**_arguments(GetItem(workload.TABLE, key))).get("Item")

    def query(self, partition: str) -> Sequence[Item]:
        """Return all items of a partition, which fit into one page."""
        return self._client.query(**_arguments(workload.query(partition)))["Items"]

    def update(self, partition: str, sort: str) -> None:
        """Add one to the years of an item, with a condition."""
        self._client.update_item(**_arguments(workload.update(partition, sort)))

    def transact(self, new: Item, partition: str, sort: str) -> None:
        """Put a new item and update another one, in a transaction."""
        request = workload.transaction(new, partition, sort)
        self._client.transact_write_items(**_arguments(request))

    def batch(self, items: Sequence[Item]) -> None:
        """Put 25 items."""
        self._client.batch_write_item(**_arguments(workload.batch(items)))

    def count(self, partition: str) -> int:
        """Return the number of items of a partition, from all pages."""
        page = self._client.query(**_arguments(workload.count(partition)))
        total = page["Count"]
        while "LastEvaluatedKey" in page:
            request = workload.count(partition, page["LastEvaluatedKey"])
            page = self._client.query(**_arguments(request))
            total += page["Count"]
        return total


def _arguments(operation: Operation[R]) -> dict[str, object]:
    return cast("dict[str, object]", msgspec.to_builtins(operation))


@contextmanager
def moto() -> Generator[MotoContender]:
    """Yield a new moto with one empty table."""
    with mock_aws():
        create_client = cast(Callable[..., DynamoDBClient], boto3.client)  # pyright: ignore[reportUnknownMemberType]
        yield MotoContender(
            create_client(
                "dynamodb",
                region_name="us-east-1",
                aws_access_key_id="x",
                aws_secret_access_key="x",
            )
        )
