"""Operations on one item."""

from __future__ import annotations

from msgspec import Raw, field

from singletable.operations.operation import Operation, Shape
from singletable.operations.shapes import (
    AttributeValueUpdate,
    ConditionalOperator,
    ConsumedCapacity,
    ExpectedAttributeValue,
    ItemCollectionMetrics,
    ReturnConsumedCapacity,
    ReturnItemCollectionMetrics,
    ReturnOnFailure,
    ReturnValue,
)
from singletable.values import AttributeValue, Item, item_from_json


class WriteItemOutput(Shape, frozen=True):
    """What a put, update or delete gives back; attributes only if they were asked for."""

    raw_attributes: Raw | None = field(name="Attributes", default=None)
    consumed_capacity: ConsumedCapacity | None = None
    item_collection_metrics: ItemCollectionMetrics | None = None

    @property
    def attributes(self) -> Item | None:
        """The attributes asked for by `return_values`; None if there are none."""
        return None if self.raw_attributes is None else item_from_json(self.raw_attributes)


class GetItemOutput(Shape, frozen=True):
    """The item, if there is one."""

    raw_item: Raw | None = field(name="Item", default=None)
    consumed_capacity: ConsumedCapacity | None = None

    @property
    def item(self) -> Item | None:
        """The item, decoded anew at each call; None if there is none."""
        return None if self.raw_item is None else item_from_json(self.raw_item)


class PutItem(Operation[WriteItemOutput], frozen=True):
    """Store an item in place of the one with its key."""

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
    """Ask for the item with a key."""

    table_name: str
    key: Item
    attributes_to_get: list[str] | None = None
    consistent_read: bool | None = None
    return_consumed_capacity: ReturnConsumedCapacity | None = None
    projection_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None


class UpdateItem(Operation[WriteItemOutput], frozen=True):
    """Change attributes of an item, or make one."""

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
