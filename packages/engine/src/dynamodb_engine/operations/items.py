"""Operations on items: single items, pages, batches and transactions."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Raw, field

from dynamodb_engine.operations.base import Operation, Shape
from dynamodb_engine.values import AttributeValue, Item, item_from_json

__all__ = [
    "AttributeValueUpdate",
    "BatchGetItem",
    "BatchGetItemOutput",
    "BatchWriteItem",
    "BatchWriteItemOutput",
    "Capacity",
    "ComparisonOperator",
    "Condition",
    "ConditionCheck",
    "ConditionalOperator",
    "ConsumedCapacity",
    "Delete",
    "DeleteItem",
    "DeleteRequest",
    "ExpectedAttributeValue",
    "Get",
    "GetItem",
    "GetItemOutput",
    "ItemCollectionMetrics",
    "ItemResponse",
    "KeysAndAttributes",
    "PageOutput",
    "Put",
    "PutItem",
    "PutRequest",
    "Query",
    "ReturnConsumedCapacity",
    "ReturnItemCollectionMetrics",
    "ReturnOnFailure",
    "ReturnValue",
    "Scan",
    "Select",
    "TransactGetItem",
    "TransactGetItems",
    "TransactGetItemsOutput",
    "TransactWriteItem",
    "TransactWriteItems",
    "TransactWriteItemsOutput",
    "Update",
    "UpdateItem",
    "WriteItemOutput",
    "WriteRequest",
]

ComparisonOperator: TypeAlias = Literal[
    "EQ",
    "NE",
    "IN",
    "LE",
    "LT",
    "GE",
    "GT",
    "BETWEEN",
    "NOT_NULL",
    "NULL",
    "CONTAINS",
    "NOT_CONTAINS",
    "BEGINS_WITH",
]
ConditionalOperator: TypeAlias = Literal["AND", "OR"]
ReturnConsumedCapacity: TypeAlias = Literal["INDEXES", "TOTAL", "NONE"]
ReturnItemCollectionMetrics: TypeAlias = Literal["SIZE", "NONE"]
ReturnValue: TypeAlias = Literal["NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"]
ReturnOnFailure: TypeAlias = Literal["ALL_OLD", "NONE"]
Select: TypeAlias = Literal[
    "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "COUNT"
]


class ExpectedAttributeValue(Shape, frozen=True):
    """The legacy form of a condition on one attribute."""

    value: AttributeValue | None = None
    exists: bool | None = None
    comparison_operator: ComparisonOperator | None = None
    attribute_value_list: list[AttributeValue] | None = None


class Condition(Shape, frozen=True):
    """The legacy form of a key condition or filter on one attribute."""

    comparison_operator: ComparisonOperator
    attribute_value_list: list[AttributeValue] | None = None


class AttributeValueUpdate(Shape, frozen=True):
    """The legacy form of an update of one attribute."""

    value: AttributeValue | None = None
    action: Literal["ADD", "PUT", "DELETE"] | None = None


class Capacity(Shape, frozen=True):
    """Capacity units consumed by a table or an index."""

    capacity_units: float
    read_capacity_units: float | None = None
    write_capacity_units: float | None = None


class ConsumedCapacity(Shape, frozen=True):
    """Capacity units consumed on one table; by index only if INDEXES was requested."""

    table_name: str
    capacity_units: float
    read_capacity_units: float | None = None
    write_capacity_units: float | None = None
    table: Capacity | None = None
    local_secondary_indexes: dict[str, Capacity] | None = None
    global_secondary_indexes: dict[str, Capacity] | None = None


class ItemCollectionMetrics(Shape, frozen=True):
    """An item collection that a write changed, with a lower and an upper estimate of its size."""

    item_collection_key: Item
    size_estimate_range_gb: list[float] = field(name="SizeEstimateRangeGB")


# --- One item


class WriteItemOutput(Shape, frozen=True):
    """The output of a put, update or delete; attributes only if they were requested."""

    raw_attributes: Raw | None = field(name="Attributes", default=None)
    consumed_capacity: ConsumedCapacity | None = None
    item_collection_metrics: ItemCollectionMetrics | None = None

    @property
    def attributes(self) -> Item | None:
        """The attributes that `return_values` requests, or None."""
        return None if self.raw_attributes is None else item_from_json(self.raw_attributes)


class GetItemOutput(Shape, frozen=True):
    """The item, if it exists."""

    raw_item: Raw | None = field(name="Item", default=None)
    consumed_capacity: ConsumedCapacity | None = None

    @property
    def item(self) -> Item | None:
        """The item, decoded at each call, or None."""
        return None if self.raw_item is None else item_from_json(self.raw_item)


class PutItem(Operation[WriteItemOutput], frozen=True):
    """Store an item, replacing the one with the same key."""

    table_name: str
    item: Item
    expected: dict[str, ExpectedAttributeValue] | None = None
    return_values: ReturnValue | None = None
    return_consumed_capacity: ReturnConsumedCapacity | None = None
    return_item_collection_metrics: ReturnItemCollectionMetrics | None = None
    conditional_operator: ConditionalOperator | None = None
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: ReturnOnFailure | None = None


class GetItem(Operation[GetItemOutput], frozen=True):
    """Return the item with a key."""

    table_name: str
    key: Item
    attributes_to_get: list[str] | None = None
    consistent_read: bool | None = None
    return_consumed_capacity: ReturnConsumedCapacity | None = None
    projection_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None


class UpdateItem(Operation[WriteItemOutput], frozen=True):
    """Change attributes of an item, or create it."""

    table_name: str
    key: Item
    attribute_updates: dict[str, AttributeValueUpdate] | None = None
    expected: dict[str, ExpectedAttributeValue] | None = None
    conditional_operator: ConditionalOperator | None = None
    return_values: ReturnValue | None = None
    return_consumed_capacity: ReturnConsumedCapacity | None = None
    return_item_collection_metrics: ReturnItemCollectionMetrics | None = None
    update_expression: str | None = None
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: ReturnOnFailure | None = None


class DeleteItem(Operation[WriteItemOutput], frozen=True):
    """Remove the item with a key."""

    table_name: str
    key: Item
    expected: dict[str, ExpectedAttributeValue] | None = None
    conditional_operator: ConditionalOperator | None = None
    return_values: ReturnValue | None = None
    return_consumed_capacity: ReturnConsumedCapacity | None = None
    return_item_collection_metrics: ReturnItemCollectionMetrics | None = None
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: ReturnOnFailure | None = None


# --- Pages of items


class PageOutput(Shape, frozen=True):
    """Items in order, and the key to continue after if there may be more."""

    count: int
    scanned_count: int
    raw_items: list[Raw] | None = field(name="Items", default=None)
    last_evaluated_key: Item | None = None
    consumed_capacity: ConsumedCapacity | None = None

    @property
    def items(self) -> list[Item]:
        """The items, decoded at each call; empty if only their count was requested."""
        return [item_from_json(raw) for raw in self.raw_items or ()]


class Query(Operation[PageOutput], frozen=True):
    """Return the items of one partition, in the order of their sort keys."""

    table_name: str
    index_name: str | None = None
    select: Select | None = None
    attributes_to_get: list[str] | None = None
    limit: int | None = None
    consistent_read: bool | None = None
    key_conditions: dict[str, Condition] | None = None
    query_filter: dict[str, Condition] | None = None
    conditional_operator: ConditionalOperator | None = None
    scan_index_forward: bool | None = None
    exclusive_start_key: Item | None = None
    return_consumed_capacity: ReturnConsumedCapacity | None = None
    projection_expression: str | None = None
    filter_expression: str | None = None
    key_condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None


class Scan(Operation[PageOutput], frozen=True):
    """Return all items of a table or index, in no meaningful order."""

    table_name: str
    index_name: str | None = None
    attributes_to_get: list[str] | None = None
    limit: int | None = None
    select: Select | None = None
    scan_filter: dict[str, Condition] | None = None
    conditional_operator: ConditionalOperator | None = None
    exclusive_start_key: Item | None = None
    return_consumed_capacity: ReturnConsumedCapacity | None = None
    total_segments: int | None = None
    segment: int | None = None
    projection_expression: str | None = None
    filter_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    consistent_read: bool | None = None


# --- Batches: many items, each on its own


class KeysAndAttributes(Shape, frozen=True):
    """Keys to get from one table, and which attributes of the items."""

    keys: list[Item]
    attributes_to_get: list[str] | None = None
    consistent_read: bool | None = None
    projection_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None


class BatchGetItemOutput(Shape, frozen=True):
    """The items that exist, and the keys to request again."""

    raw_responses: dict[str, list[Raw]] = field(name="Responses")
    unprocessed_keys: dict[str, KeysAndAttributes]
    consumed_capacity: list[ConsumedCapacity] | None = None

    @property
    def responses(self) -> dict[str, list[Item]]:
        """The items by table, decoded at each call; their order is not that of the keys."""
        return {
            table: [item_from_json(raw) for raw in raws]
            for table, raws in self.raw_responses.items()
        }


class BatchGetItem(Operation[BatchGetItemOutput], frozen=True):
    """Return up to 100 items."""

    request_items: dict[str, KeysAndAttributes]
    return_consumed_capacity: ReturnConsumedCapacity | None = None


class PutRequest(Shape, frozen=True):
    """An item to store."""

    item: Item


class DeleteRequest(Shape, frozen=True):
    """A key to remove."""

    key: Item


class WriteRequest(Shape, frozen=True):
    """One write of a batch; exactly one field is set."""

    put_request: PutRequest | None = None
    delete_request: DeleteRequest | None = None


class BatchWriteItemOutput(Shape, frozen=True):
    """The writes to request again."""

    unprocessed_items: dict[str, list[WriteRequest]]
    item_collection_metrics: dict[str, list[ItemCollectionMetrics]] | None = None
    consumed_capacity: list[ConsumedCapacity] | None = None


class BatchWriteItem(Operation[BatchWriteItemOutput], frozen=True):
    """Store or remove up to 25 items."""

    request_items: dict[str, list[WriteRequest]]
    return_consumed_capacity: ReturnConsumedCapacity | None = None
    return_item_collection_metrics: ReturnItemCollectionMetrics | None = None


# --- Transactions: many items, all or none of them


class Get(Shape, frozen=True):
    """An item to get."""

    table_name: str
    key: Item
    projection_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None


class TransactGetItem(Shape, frozen=True):
    """One action of a reading transaction."""

    get: Get


class ItemResponse(Shape, frozen=True):
    """An item, if it exists."""

    raw_item: Raw | None = field(name="Item", default=None)

    @property
    def item(self) -> Item | None:
        """The item, decoded at each call, or None."""
        return None if self.raw_item is None else item_from_json(self.raw_item)


class TransactGetItemsOutput(Shape, frozen=True):
    """One response for each action, in order."""

    responses: list[ItemResponse]
    consumed_capacity: list[ConsumedCapacity] | None = None


class TransactGetItems(Operation[TransactGetItemsOutput], frozen=True):
    """Return up to 100 items from one consistent snapshot."""

    transact_items: list[TransactGetItem]
    return_consumed_capacity: ReturnConsumedCapacity | None = None


class ConditionCheck(Shape, frozen=True):
    """A condition that an item must satisfy, or else the transaction is canceled."""

    table_name: str
    key: Item
    condition_expression: str
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: ReturnOnFailure | None = None


class Put(Shape, frozen=True):
    """An item to store."""

    table_name: str
    item: Item
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: ReturnOnFailure | None = None


class Delete(Shape, frozen=True):
    """An item to remove."""

    table_name: str
    key: Item
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: ReturnOnFailure | None = None


class Update(Shape, frozen=True):
    """An item to change."""

    table_name: str
    key: Item
    update_expression: str
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: ReturnOnFailure | None = None


class TransactWriteItem(Shape, frozen=True):
    """One action of a writing transaction; exactly one field is set."""

    condition_check: ConditionCheck | None = None
    put: Put | None = None
    delete: Delete | None = None
    update: Update | None = None


class TransactWriteItemsOutput(Shape, frozen=True):
    """All actions were carried out."""

    consumed_capacity: list[ConsumedCapacity] | None = None
    item_collection_metrics: dict[str, list[ItemCollectionMetrics]] | None = None


class TransactWriteItems(Operation[TransactWriteItemsOutput], frozen=True):
    """Carry out up to 100 actions, or none of them."""

    transact_items: list[TransactWriteItem]
    return_consumed_capacity: ReturnConsumedCapacity | None = None
    return_item_collection_metrics: ReturnItemCollectionMetrics | None = None
    client_request_token: str | None = None
