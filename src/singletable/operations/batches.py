"""Operations on many items, each item for itself."""

from __future__ import annotations

from msgspec import Raw, field

from singletable.operations.operation import Operation, Shape
from singletable.operations.shapes import (
    ConsumedCapacity,
    ItemCollectionMetrics,
    ReturnConsumedCapacity,
    ReturnItemCollectionMetrics,
)
from singletable.values import Item, item_from_json


class KeysAndAttributes(Shape, frozen=True):
    """Keys to get from one table, and which attributes of them."""

    keys: list[Item]
    attributes_to_get: list[str] | None = None
    consistent_read: bool | None = None
    projection_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None


class BatchGetItemOutput(Shape, frozen=True):
    """The items that were found, and the keys to ask for again."""

    raw_responses: dict[str, list[Raw]] = field(name="Responses")
    unprocessed_keys: dict[str, KeysAndAttributes]
    consumed_capacity: list[ConsumedCapacity] | None = None

    @property
    def responses(self) -> dict[str, list[Item]]:
        """The items by table, decoded anew at each call; their order is not that of the keys."""
        return {
            table: [item_from_json(raw) for raw in raws]
            for table, raws in self.raw_responses.items()
        }


class BatchGetItem(Operation[BatchGetItemOutput], frozen=True):
    """Ask for up to 100 items."""

    request_items: dict[str, KeysAndAttributes]
    return_consumed_capacity: ReturnConsumedCapacity | None = None


class PutRequest(Shape, frozen=True):
    """An item to store."""

    item: Item


class DeleteRequest(Shape, frozen=True):
    """A key to remove."""

    key: Item


class WriteRequest(Shape, frozen=True):
    """One write of a batch: exactly one field is there."""

    put_request: PutRequest | None = None
    delete_request: DeleteRequest | None = None


class BatchWriteItemOutput(Shape, frozen=True):
    """The writes to ask for again."""

    unprocessed_items: dict[str, list[WriteRequest]]
    item_collection_metrics: dict[str, list[ItemCollectionMetrics]] | None = None
    consumed_capacity: list[ConsumedCapacity] | None = None


class BatchWriteItem(Operation[BatchWriteItemOutput], frozen=True):
    """Store or remove up to 25 items."""

    request_items: dict[str, list[WriteRequest]]
    return_consumed_capacity: ReturnConsumedCapacity | None = None
    return_item_collection_metrics: ReturnItemCollectionMetrics | None = None
